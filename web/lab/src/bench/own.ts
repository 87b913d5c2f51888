// Your own fleet and keys: a configuration or a list that is pasted or dropped. What it says is read by the
// core as the command reads it.

import type { App } from '../app.ts';
import { h, replace, say } from '../dom.ts';
import { count } from '../format.ts';
import { withKeys } from '../model.ts';
import type { Panel } from './panel.ts';

/** Longer files are kept aside: a text field of that size holds the page up. */
const SHOWN = 200_000;

export function ownPanel(app: App, open: () => void): Panel {
  let file: { name: string; text: string } | undefined;
  const text = h('textarea', { id: 'own-text', spellcheck: 'false', placeholder: 'alpha:\n  servers:\n    - 10.0.0.1:11211:1 cache-1\n  hash: fnv1a_64\n  distribution: ketama', 'aria-label': 'A fleet file, or keys one a line' });
  const choose = h('input', { type: 'file', id: 'own-file', class: 'vh' });
  const pick = h('label', { for: 'own-file', class: 'file' }, 'Choose a file');
  const name = h('span', { class: 'eyebrow' });
  const rule = h('input', { type: 'text', id: 'own-rule', spellcheck: 'false', placeholder: 'ring,points_per_weight=160' });
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
      h('p', { class: 'lead' }, 'Paste or drop the file you have: a twemproxy, nginx, HAProxy, Envoy or memcached client configuration, a list of servers, or Clockwise’s own fleet file. The ring drawn is its product’s real one. Or keys, one a line; of a .csv file the first column. Nothing leaves this page.'),
      h('label', { class: 'field', for: 'own-rule' }, h('span', { class: 'label' }, 'How it places keys, where the file does not say'), rule),
      h('div', { class: 'row' }, asFleet, asKeys, choose, pick),
      name,
    ),
    h('div', { class: 'result' }, drop, pools, told, warnings),
  );

  const content = (): { name: string; text: string } => file ?? { name: 'pasted', text: text.value };

  async function take(chosen: File): Promise<void> {
    const held = await chosen.text();
    file = { name: chosen.name, text: held };
    text.value = held.length <= SHOWN ? held : `${held.slice(0, 2_000)}\n…`;
    say(name, `${chosen.name}, ${count(chosen.size)} bytes`);
    replace(pools);
    replace(warnings);
    say(told, '');
  }
  text.addEventListener('input', () => {
    file = undefined;
    say(name, '');
  });
  choose.addEventListener('change', () => {
    const chosen = choose.files?.[0];
    if (chosen) void take(chosen);
  });
  // A file may be dropped anywhere on the page.
  for (const event of ['dragenter', 'dragover'] as const) {
    document.addEventListener(event, (drag) => {
      drag.preventDefault();
      drop.classList.add('over');
    });
  }
  document.addEventListener('dragleave', (drag) => {
    if (!drag.relatedTarget) drop.classList.remove('over');
  });
  document.addEventListener('drop', (drag) => {
    drag.preventDefault();
    drop.classList.remove('over');
    const chosen = drag.dataTransfer?.files[0];
    if (!chosen) return;
    open();
    element.scrollIntoView({ block: 'nearest' });
    void take(chosen);
  });

  function read(pool: string | null): void {
    const given = content();
    const placement = rule.value.trim() === '' ? null : rule.value.trim();
    app.engine.import(given.text, given.name, pool, placement).then(
      (found) => {
        say(told, found.sentence);
        replace(warnings, ...found.warnings.map((warning) => h('li', {}, warning)));
        const buttons = found.pools.map((each) => {
          const button = h('button', { type: 'button', 'aria-pressed': String(each === found.pool) }, each);
          button.addEventListener('click', () => read(each));
          return button;
        });
        replace(pools, ...(found.pools.length > 1 ? buttons : []));
        if (found.fleet) app.change({ ...app.state, fleet: found.fleet, history: [], down: [] });
      },
      (error: Error) => {
        say(told, error.message);
        replace(warnings);
        replace(pools);
      },
    );
  }
  asFleet.addEventListener('click', () => read(null));
  asKeys.addEventListener('click', () => {
    const given = content();
    let lines = given.text.split(/\r?\n/u).filter((line) => line !== '');
    // A table: its first column, without the head.
    if (given.name.endsWith('.csv')) lines = lines.slice(1).map((line) => line.split(',', 1)[0]!.replace(/^"|"$/gu, ''));
    if (lines.length === 0) {
      say(told, 'There are no keys.');
      return;
    }
    app.change(withKeys(app.state, { pattern: '', list: lines, hot: null }));
    say(told, `${count(lines.length)} keys are placed.`);
  });

  return { name: 'own', title: 'Your own fleet', element, show: () => undefined };
}
