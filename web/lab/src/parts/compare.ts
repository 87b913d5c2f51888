// The same change under every scheme, on the page's keys and on a hundred thousand.

import type { App, Part } from '../app.ts';
import type { Comparison, SchemeName } from '../core.ts';
import { $, h, replace } from '../dom.ts';
import { count, percent, ratio } from '../format.ts';
import { MANY, rangeOf, scheme } from '../model.ts';

const { text: KEY, first: FIRST, last: LAST } = rangeOf(MANY)!;
const COUNT = count(Number(LAST - FIRST) + 1);
const KEYS = `${KEY}${FIRST} to ${KEY}${LAST}`;
/** While someone drags, the table waits: so long after the last step. */
const PAUSE_MS = 250;

/** Of columns that a phone has no room for. */
const wide = (text: string): HTMLElement => h('span', { class: 'wide' }, text);

export function compare(app: App): Part {
  let few: Comparison | undefined;
  let many: Comparison | undefined;

  /** Whether the hundred thousand keys are in the table, which nobody waits for who does not look. */
  function mark(): void {
    $('compare').dataset.many = String(many !== undefined);
  }

  function draw(): void {
    if (!few) return;
    mark();
    const moved = app.state.history.length > 0;
    // Of a hundred thousand keys the counts and the parts are of the same keys.
    const same = app.state.keys.pattern === MANY && !app.state.keys.hot;
    const part = (text: string): number => Number.parseFloat(text) || 0;
    const most = Math.max(100 * few.fair, ...(many?.rows ?? []).map((row) => part(row.percent))) || 1;
    const meter = (text: string): HTMLElement => {
      const fill = h('i', { class: 'fill' });
      fill.style.width = `${(100 * part(text)) / most}%`;
      const fair = h('i', { class: 'fair' });
      fair.style.left = `${(10_000 * (few?.fair ?? 0)) / most}%`;
      return h('span', { class: 'meter', 'aria-hidden': 'true' }, fill, fair);
    };
    const rows = few.rows.map((row) => {
      const button = h('button', { type: 'button', class: 'link', 'data-key': row.scheme }, row.title);
      const here = row.scheme === app.state.fleet.scheme;
      if (here) button.setAttribute('aria-current', 'true');
      button.addEventListener('click', () => app.change(scheme(app.state, row.scheme as SchemeName), { fly: true }));
      const other = many?.rows.find((found) => found.scheme === row.scheme);
      const refused = row.refused !== '';
      const busiest = other && other.refused === '' ? ratio(other.busiest_now) : '–';
      if (!moved) {
        const about = app.about.schemes.find((known) => known.name === row.scheme)?.about ?? `The rule of the file: ${app.state.fleet.product}.`;
        const head = h('th', { scope: 'row' }, button);
        return h('tr', { class: here ? 'here' : undefined }, head, h('td', { class: 'left' }, refused ? row.refused : about), h('td', {}, busiest));
      }
      const cell = (name: string, text: string, attributes = {}): HTMLElement => h('td', { 'data-cell': `${row.scheme} ${name}`, ...attributes }, text);
      return h(
        'tr',
        { class: here ? 'here' : undefined },
        h('th', { scope: 'row' }, button),
        refused
          ? cell('refused', row.refused, { colspan: 3, class: 'left why-not' })
          : cell('moved', count(row.moved)),
        !refused && cell('stray', count(row.stray), { class: row.stray > 0 ? 'bad' : undefined }),
        !refused && cell('many', !other || other.refused !== '' ? '–' : other.percent),
        h('td', { class: 'drawn' }, other && other.refused === '' && meter(other.percent)),
        cell('busiest', busiest, { class: 'wide' }),
      );
    });
    const changed = ['Scheme', `of ${count(few.total)} moved`, 'for nothing', same ? 'of them' : `of ${COUNT} moved`, 'busiest ÷\u00a0mean'];
    const titles = moved ? changed : ['Scheme', 'How it places a key', 'busiest ÷\u00a0mean'];
    // The number and its bar stand under one title.
    const heads = moved ? [{}, {}, {}, { class: 'many', colspan: 2 }, { class: 'wide' }] : [{}, { class: 'left' }, {}];
    replace(
      $('compare'),
      h(
        'table',
        {},
        h('caption', { class: 'vh' }, moved ? few.change : 'Nothing has changed yet'),
        h('thead', {}, h('tr', {}, ...titles.map((title, at) => h('th', { scope: 'col', ...heads[at] }, title)))),
        h('tbody', {}, ...rows),
      ),
      moved
        ? h(
            'p',
            { class: 'under' },
            `Choose a scheme to see it. For nothing: between nodes whose shares the change did not touch; an even split moves ${percent(few.fair)}`,
            wide(', the line across the bars'),
            `. The ${COUNT} keys are ${KEYS}`,
            wide(', and busiest ÷ mean is among them'),
            '.',
          )
        : h('p', { class: 'under' }, `Choose a scheme to see it. Add or remove a node, and here is what that moves under each of them. Busiest ÷ mean is among the ${COUNT} keys ${KEYS}.`),
    );
  }

  // A hundred thousand keys under every scheme take longest of all, and are placed for who looks.
  let seen = false;
  let owed = false;
  new IntersectionObserver(
    (changes) => {
      seen = changes[changes.length - 1]!.isIntersecting;
      if (seen && owed) askMany();
    },
    { rootMargin: '400px' },
  ).observe($('compare'));

  function ask(): void {
    const { state } = app;
    app.answer('compare', app.engine.compare(state, ''), (found) => {
      few = found;
      draw();
      if (state !== app.state) return;
      owed = true;
      if (seen) askMany();
    });
  }

  function askMany(): void {
    const { state } = app;
    owed = false;
    app.answer('compare', app.engine.compare(state, MANY), (found) => {
      if (state !== app.state) return;
      many = found;
      draw();
    });
  }

  return {
    state(): void {
      many = undefined;
      mark();
      owed = false;
      app.engine.overtake('compare');
      app.engine.later('compare', app.dragging ? PAUSE_MS : 0, ask, true);
    },
  };
}
