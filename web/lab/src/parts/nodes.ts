// The nodes: who is there, how heavy, in which zone, who is down.

import type { App, Part } from '../app.ts';
import { $, h, numberOf, replace, type Range } from '../dom.ts';
import { count } from '../format.ts';
import { add, HEAVIEST, nextName, remove, setDown, weigh, zone } from '../model.ts';
import { shortNames } from '../names.ts';
import { label, showsAlone, swatch, who } from './marks.ts';

/** Past so many nodes, a list of chips is longer than the page. */
const CHIPS = 60;
const WEIGHTS: Range = { min: 0, max: HEAVIEST, step: 1 };
/** So many have room without scrolling. */
const IN_SIGHT = 9;

export function nodes(app: App): Part {
  const chips = $('chips');
  const table = $('node-table');
  const details = $<HTMLDetailsElement>('node-details');
  let drawn = '';
  // In the same moment, which the event `toggle` is not.
  new MutationObserver(() => drawTable()).observe(details, { attributeFilter: ['open'] });

  function chip(name: string): HTMLElement {
    const node = app.state.fleet.nodes.find((known) => known.name === name)!;
    const down = app.state.down.includes(name);
    const close = h('button', { type: 'button', 'aria-label': `Remove node ${name}`, 'data-key': `remove ${name}`, disabled: app.state.fleet.nodes.length < 2 }, '×');
    close.addEventListener('click', () => {
      const names = app.state.fleet.nodes.map((known) => known.name);
      const next = names[names.indexOf(name) + 1] ?? names[names.indexOf(name) - 1];
      app.change(remove(app.state, name), { fly: true });
      // The button is gone: the focus goes to its neighbour.
      const close = [...chips.querySelectorAll<HTMLButtonElement>('[data-key]')].find((found) => found.dataset.key === `remove ${next}`);
      (close?.disabled === false ? close : $('add')).focus();
    });
    const notes = [node.weight === 1 ? '' : `×${count(node.weight)}`, node.zone, down ? 'down' : ''].filter((note) => note !== '');
    const element = h(
      'span',
      { class: down ? 'chip down' : 'chip', role: 'listitem' },
      swatch(app, name),
      h('span', { class: 'name', title: name }, label(app, name)),
      notes.length > 0 && h('span', { class: 'chip-note' }, notes.join(' · ')),
      close,
    );
    showsAlone(app, element, name);
    return element;
  }

  function drawTable(): void {
    if (!details.open) return;
    const rows = app.state.fleet.nodes.map((node) => {
      const weight = h('input', { type: 'number', ...WEIGHTS, value: node.weight, 'aria-label': `Weight of ${node.name}`, 'data-key': `weight ${node.name}` });
      weight.addEventListener('change', () => {
        // A slip is no drain.
        const value = Number(weight.value) < 0 ? null : numberOf(weight, WEIGHTS);
        if (value !== null && value !== node.weight) app.change(weigh(app.state, node.name, value), { fly: true });
        // What is no weight does not stay as if it were one.
        else weight.value = String(node.weight);
      });
      const where = h('input', { type: 'text', value: node.zone, 'aria-label': `Zone of ${node.name}`, 'data-key': `zone ${node.name}`, maxlength: 32 });
      where.addEventListener('change', () => app.change(zone(app.state, node.name, where.value.trim())));
      const down = h('input', { type: 'checkbox', 'aria-label': `${node.name} is down`, 'data-key': `down ${node.name}` });
      down.checked = app.state.down.includes(node.name);
      down.addEventListener('change', () => app.change(setDown(app.state, node.name, down.checked)));
      return h('tr', {}, h('th', { scope: 'row' }, who(app, node.name)), h('td', {}, weight), h('td', {}, where), h('td', {}, down));
    });
    replace(
      table,
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...['Node', 'Weight', 'Zone', 'Down'].map((title) => h('th', { scope: 'col' }, title)))),
        h('tbody', {}, ...rows),
      ),
    );
  }

  return {
    state(): void {
      // A drag changes no node, and a list of fifty takes its time.
      const now = JSON.stringify([app.state.fleet.nodes, app.state.down, [...app.looks]]);
      if (now === drawn) return;
      drawn = now;
      const names = app.state.fleet.nodes.map((node) => node.name);
      const next = nextName(app.state);
      const join = h('button', { type: 'button', id: 'add', 'data-key': 'add', disabled: names.length >= app.about.max_nodes, title: next }, `Add node ${shortNames([...names, next]).pop()}`);
      join.addEventListener('click', () => app.change(add(app.state), { fly: true }));
      const more = names.length - CHIPS;
      // A long list scrolls by itself, and the button stays in sight.
      const list = h('div', { class: names.length > IN_SIGHT ? 'chip-list many' : 'chip-list', role: 'list' }, ...names.slice(0, CHIPS).map(chip), more > 0 && h('span', { class: 'chip-note', role: 'listitem' }, `and ${count(more)} more`));
      const top = chips.firstElementChild?.scrollTop ?? 0;
      replace(chips, list, join);
      list.scrollTop = top;
      drawTable();
    },
  };
}
