// The same change under every scheme, on the page's keys and on a hundred thousand.

import type { App, Part } from '../app.ts';
import type { Comparison, SchemeName } from '../core.ts';
import { $, h, replace } from '../dom.ts';
import { count, percent, ratio } from '../format.ts';
import { scheme } from '../model.ts';

const MANY = 'key:0..99999';
/** While someone drags, the table waits: so long after the last step. */
const PAUSE_MS = 150;

export function compare(app: App): Part {
  let few: Comparison | undefined;
  let many: Comparison | undefined;

  function draw(): void {
    if (!few) return;
    const moved = app.state.history.length > 0;
    const rows = few.rows.map((row) => {
      const button = h('button', { type: 'button', class: 'link', 'data-key': row.scheme }, row.title);
      const here = row.scheme === app.state.fleet.scheme;
      if (here) button.setAttribute('aria-current', 'true');
      button.addEventListener('click', () => app.change(scheme(app.state, row.scheme as SchemeName), { fly: true }));
      const other = many?.rows.find((found) => found.scheme === row.scheme);
      const refused = row.refused !== '';
      const cell = (name: string, text: string, attributes = {}): HTMLElement => h('td', { 'data-cell': `${row.scheme} ${name}`, ...attributes }, text);
      return h(
        'tr',
        { class: here ? 'here' : undefined },
        h('th', { scope: 'row' }, button),
        refused
          ? cell('refused', row.refused, { colspan: 2, class: 'left' })
          : cell('moved', moved ? count(row.moved) : '–'),
        !refused && cell('stray', moved ? count(row.stray) : '–', { class: row.stray > 0 ? 'bad' : undefined }),
        cell('many', !moved || !other || other.refused !== '' ? '–' : other.percent),
        cell('busiest', other && other.refused === '' ? ratio(other.busiest_now) : '–', { class: 'wide' }),
      );
    });
    const titles = ['Scheme', `of ${count(few.total)} moved`, 'for nothing', 'of 100,000 moved', 'busiest ÷ mean'];
    replace(
      $('compare'),
      h(
        'table',
        {},
        h('caption', { class: 'vh' }, moved ? few.change : 'Nothing has changed yet'),
        h('thead', {}, h('tr', {}, ...titles.map((title, at) => h('th', { scope: 'col', class: at === 4 ? 'wide' : undefined }, title)))),
        h('tbody', {}, ...rows),
      ),
      h('p', { class: 'under' }, `Choose a scheme to see it. For nothing: between nodes whose shares the change did not touch${moved ? `; an even split moves ${percent(few.fair)}` : ''}. The 100,000 keys are key:0 to key:99999, and busiest ÷ mean is among them.`),
    );
  }

  function ask(): void {
    const { state } = app;
    app.answer('compare', app.engine.compare(state, ''), (found) => {
      few = found;
      draw();
      if (state !== app.state) return;
      app.answer('compare', app.engine.compare(state, MANY), (found) => {
        many = found;
        if (state === app.state) draw();
      });
    });
  }

  return {
    state(): void {
      many = undefined;
      app.engine.later('compare', PAUSE_MS, ask, true);
    },
  };
}
