// The ring as tables, for screen readers always and for anyone who asks.

import type { App, Part } from '../app.ts';
import { MOVED, type View } from '../core.ts';
import { $, h, replace } from '../dom.ts';
import { count, degrees, percent } from '../format.ts';
import { keyNames } from '../model.ts';
import { who } from './marks.ts';

/** So many keys, and so many tokens, are told one by one. */
const KEYS = 200;
const TOKENS = 64;

function table(caption: string, titles: string[], rows: (string | Node)[][]): HTMLElement {
  const cells = (row: (string | Node)[]): HTMLElement[] =>
    row.map((cell, at) => (at === 0 ? h('th', { scope: 'row' }, cell) : h('td', {}, cell)));
  return h(
    'table',
    {},
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)))),
    h('tbody', {}, ...rows.map((row) => h('tr', {}, ...cells(row)))),
  );
}

export function asTable(app: App): Part {
  const place = $('ring-table');
  const [asRing, asTable] = [$('as-ring'), $('as-table')];
  const show = (tables: boolean): void => {
    place.classList.toggle('vh', !tables);
    $('ring').hidden = tables;
    $('legend').hidden = tables;
    asRing.setAttribute('aria-pressed', String(!tables));
    asTable.setAttribute('aria-pressed', String(tables));
    if (tables) place.setAttribute('tabindex', '0');
    else place.removeAttribute('tabindex');
  };
  place.setAttribute('role', 'group');
  place.setAttribute('aria-label', 'The ring as tables');
  asRing.addEventListener('click', () => show(false));
  asTable.addEventListener('click', () => show(true));

  function draw(view: View): void {
    const nodes = view.nodes.map((node) => [
      who(app, node.name),
      count(node.tokens),
      node.share === null ? '–' : percent(node.share),
      count(node.keys),
      count(node.keys_before),
      node.down ? 'down' : 'up',
    ]);
    const names = keyNames(app.state.keys, KEYS);
    const told = names.length === view.turns.length ? Array.from(view.turns, (turn, key) => ({ turn, key })) : [];
    const keys = told.sort((a, b) => a.turn - b.turn || a.key - b.key);
    const tokens = view.band === 'arcs' && view.band_of === 'tokens' && view.ends.length <= TOKENS;
    replace(
      place,
      table('Nodes', ['Node', 'Tokens or slots', 'Share', 'Keys', 'Keys before', 'State'], nodes),
      tokens &&
        table(
          'Tokens, clockwise from the top',
          ['Token at', 'Node', 'Arc before it'],
          Array.from(view.ends, (end, arc) => {
            const from = arc === 0 ? view.ends[view.ends.length - 1]! - 1 : view.ends[arc - 1]!;
            return [degrees(end), who(app, view.names[view.arcOwners[arc]!]!), percent(view.ends.length === 1 ? 1 : end - from)];
          }),
        ),
      keys.length > 0 &&
        table(
          'Keys, clockwise from the top',
          ['Key', 'At', 'Owner', 'Before'],
          keys.map(({ turn, key }) => {
            const moved = view.flags[key]! & MOVED;
            return [names[key]!, degrees(turn), who(app, view.names[view.owners[key]!]!), moved ? who(app, view.names[view.was[key]!]!) : ''];
          }),
        ),
    );
  }

  return {
    // Nobody reads tables while they drag.
    view: (_: App, view: View) => app.engine.later('table', app.dragging ? 250 : 0, () => draw(view)),
  };
}
