// Your own fleet and keys: a configuration or a list that is pasted or dropped. What it says is read by the
// core as the command reads it.

import type { App } from '../app.ts';
import { h, replace, say } from '../dom.ts';
import { Refused, Superseded } from '../engine.ts';
import { count } from '../format.ts';
import { held, withKeys } from '../model.ts';
import { plain } from '../names.ts';
import type { Panel } from './panel.ts';

/** Longer files are kept aside: a text field of that size holds the page up. */
const SHOWN = 200_000;
/** As the core has it: no fleet file is larger. */
const FLEET_BYTES = 8 << 20;
/** A million long keys; more would not fit beside the core. */
const KEY_BYTES = 64 << 20;
/** Up to so many keys are a part of the state, and of its link. */
const IN_STATE = 1_000;

export function ownPanel(app: App, open: () => void): Panel {
  let file: File | undefined;
  /** The file that was chosen last is there; which one it is, by number. */
  let taken = Promise.resolve();
  let choice = 0;
  const text = h('textarea', { id: 'own-text', spellcheck: 'false', placeholder: 'alpha:\n  servers:\n    - 10.0.0.1:11211:1 cache-1\n  hash: fnv1a_64\n  distribution: ketama', 'aria-label': 'A fleet file, or keys one a line' });
  const choose = h('input', { type: 'file', id: 'own-file', class: 'vh' });
  const pick = h('label', { for: 'own-file', class: 'file' }, 'Choose a file');
  const name = h('span', { class: 'eyebrow' });
  const rule = h('input', { type: 'text', id: 'own-rule', spellcheck: 'false', placeholder: 'ring,points_per_weight=160', list: 'own-rules' });
  const rules = h('datalist', { id: 'own-rules' }, ...app.about.placements.map((value) => h('option', { value })));
  const asFleet = h('button', { type: 'button', class: 'main' }, 'Draw this fleet');
  const asKeys = h('button', { type: 'button' }, 'Use as keys');
  const pools = h('div', { class: 'row' });
  const told = h('p', { class: 'said', role: 'status', id: 'own-told' });
  const warnings = h('ul', { class: 'warn' });
  const drop = h('div', { class: 'drop' }, text);
  const element = h(
    'div',
    { class: 'panel' },
    h(
      'div',
      { class: 'form' },
      h('p', { class: 'lead' }, 'Paste or drop the file you have: a twemproxy, nginx, HAProxy, Envoy or memcached client configuration, a list of servers, or Clockwise’s own fleet file. The ring drawn is its product’s real one. Or keys: one a line, a .csv file with a column “key”, a metadump of memcached, a scan of Redis. Nothing leaves this page.'),
      h('label', { class: 'field', for: 'own-rule' }, h('span', { class: 'label' }, 'How it places keys, where the file does not say'), rule, rules),
      h('div', { class: 'row' }, asFleet, asKeys, choose, pick),
      name,
    ),
    h('div', { class: 'result' }, drop, pools, told, warnings),
  );

  async function content(): Promise<File> {
    await taken.catch(() => undefined);
    return file ?? new File([text.value], 'pasted');
  }
  const large = (chosen: File, most: number, what: string): string =>
    `${chosen.name} has ${count(chosen.size)} bytes, and the page takes ${what} of up to ${count(most)}; the command has no such limit.`;

  /** Until this has ended the page is not ready: to read a file takes a while before the core is asked at all. */
  function work(begun: Promise<void>): void {
    app.engine.until(begun).catch(refused);
  }

  function take(chosen: File): void {
    choice += 1;
    taken = show(chosen, choice);
    work(taken);
  }

  async function show(chosen: File, mine: number): Promise<void> {
    let start: string;
    try {
      start = await chosen.slice(0, chosen.size <= SHOWN ? SHOWN : 2_000).text();
    } catch {
      if (mine !== choice) return;
      throw new Refused(`${plain(chosen.name)} cannot be read: it is a folder, or a file that is no longer there.`);
    }
    // A shorter one that was chosen after it may have come first.
    if (mine !== choice) return;
    file = chosen;
    text.value = chosen.size <= SHOWN ? start : `${start}\n…`;
    say(name, `${chosen.name}, ${count(chosen.size)} bytes`);
    replace(pools);
    replace(warnings);
    say(told, '');
  }
  text.addEventListener('paste', (paste) => {
    const pasted = paste.clipboardData?.getData('text/plain') ?? '';
    if (pasted.length <= SHOWN) return;
    paste.preventDefault();
    take(new File([pasted], 'pasted'));
  });
  text.addEventListener('input', () => {
    choice += 1;
    file = undefined;
    say(name, '');
  });
  choose.addEventListener('change', () => {
    const chosen = choose.files?.[0];
    if (chosen) take(chosen);
  });
  // A file may be dropped anywhere on the page; text that is dragged goes where texts go.
  const isFile = (drag: DragEvent): boolean => drag.dataTransfer?.types.includes('Files') ?? false;
  for (const event of ['dragenter', 'dragover'] as const) {
    document.addEventListener(event, (drag) => {
      if (!isFile(drag)) return;
      drag.preventDefault();
      drop.classList.add('over');
    });
  }
  document.addEventListener('dragleave', (drag) => {
    if (!drag.relatedTarget) drop.classList.remove('over');
  });
  document.addEventListener('drop', (drag) => {
    if (!isFile(drag)) return;
    drag.preventDefault();
    drop.classList.remove('over');
    const chosen = drag.dataTransfer?.files[0];
    if (!chosen) return;
    open();
    element.scrollIntoView({ block: 'nearest' });
    take(chosen);
  });

  /** A text of several lines. */
  const linesOf = (text: string): string => text.split('\n').map((line) => app.told(line)).join('\n');

  function refused(error: unknown): void {
    if (error instanceof Superseded) return;
    say(told, error instanceof Error ? linesOf(error.message) : String(error));
    replace(warnings);
    replace(pools);
  }

  async function read(pool: string | null): Promise<void> {
    const given = await content();
    if (given.size > FLEET_BYTES) throw new Refused(`${given.name} has ${count(given.size)} bytes, and no fleet file has more than ${count(FLEET_BYTES)}.`);
    const placement = rule.value.trim() === '' ? null : rule.value.trim();
    const found = await app.engine.import(given.name, await given.arrayBuffer(), pool, placement);
    if (found.fleet) app.change({ ...app.state, fleet: found.fleet, history: [], down: [] });
    say(told, app.told(found.sentence));
    replace(warnings, ...found.warnings.map((warning) => h('li', {}, linesOf(warning))));
    const buttons = found.pools.map((each) => {
      const button = h('button', { type: 'button', 'aria-pressed': String(each === found.pool), 'data-key': each }, each);
      button.addEventListener('click', () => work(read(each)));
      return button;
    });
    replace(pools, ...(found.pools.length > 1 ? buttons : []));
  }
  asFleet.addEventListener('click', () => work(read(null)));

  async function place(): Promise<void> {
    const given = await content();
    if (given.size > KEY_BYTES) throw new Refused(large(given, KEY_BYTES, 'key files'));
    say(told, `Reading ${given.name} …`);
    const found = await app.engine.keys(given.name, await given.arrayBuffer());
    // Many stay with the workers, so that the page need not pass them on with every question.
    const list = found.total <= IN_STATE ? (JSON.parse(found.list) as string[]) : held(app.engine.keep(found.list));
    app.change(withKeys(app.state, { pattern: '', list, hot: null }));
    say(told, `${app.told(found.sentence)} The first: ${found.first.map(plain).join(', ')}${found.total > found.first.length ? ' …' : '.'}`);
    replace(warnings);
    replace(pools);
  }
  asKeys.addEventListener('click', () => work(place()));

  return { name: 'own', title: 'Your own fleet', element, asks: [], show: () => undefined };
}
