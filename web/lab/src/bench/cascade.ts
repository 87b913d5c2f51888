// A failure that spreads, step by step, with the database's load beside it.

import type { App } from '../app.ts';
import type { Cascade, CascadeStep } from '../core.ts';
import { h, replace, say } from '../dom.ts';
import { count, percent, plural, tenths } from '../format.ts';
import { paintOf } from '../palette.ts';
import { label } from '../parts/marks.ts';
import { RATES } from '../steps.ts';
import { numberField, type Panel } from './panel.ts';

export function cascadePanel(app: App): Panel {
  let found: Cascade | undefined;
  let at = 0;
  const first = h('select', {});
  first.addEventListener('change', () => ask());
  const hit = numberField('Hit ratio, per cent', 100 * RATES.hit_ratio, { min: 0, max: 100, step: 'any' }, ask);
  const requests = numberField('Requests a second', RATES.requests, { min: 0, max: 1e12, step: 'any' }, ask);
  const capacity = numberField('A node takes', RATES.node_capacity, { min: 0, max: 1e12, step: 'any' }, ask);
  const database = numberField('The database takes', RATES.database_capacity, { min: 0, max: 1e12, step: 'any' }, ask);
  const back = h('button', { type: 'button' }, 'Back');
  const next = h('button', { type: 'button', class: 'main' }, 'Next step');
  back.addEventListener('click', () => go(at - 1));
  next.addEventListener('click', () => go(at + 1));
  const place = h('span', { class: 'eyebrow' });
  const told = h('p', { class: 'said', role: 'status' });
  const bars = h('div', { class: 'bars', role: 'list' });
  const base = h('div', { class: 'database' });
  const end = h('p', { class: 'lead' });
  const element = h(
    'div',
    { class: 'panel' },
    h(
      'div',
      { class: 'form' },
      h('p', { class: 'lead' }, 'A node falls. Its keys go to the next ones, where each misses once, and whoever gets more than it takes falls as well.'),
      h('label', { class: 'field' }, h('span', { class: 'label' }, 'Falls first'), first),
      h('div', { class: 'fields' }, hit.element, requests.element, capacity.element, database.element),
    ),
    h('div', { class: 'result' }, h('div', { class: 'row' }, back, next, place), told, bars, base, end),
  );

  function ask(): void {
    const chosen = first.value;
    if (chosen === '') return;
    const rates = { hit_ratio: hit.value() / 100, requests: requests.value(), node_capacity: capacity.value(), database_capacity: database.value() };
    app.answer('cascade', app.engine.cascade({ state: { ...app.state, down: app.state.down.filter((name) => name !== chosen) }, first: chosen, ...rates }), (cascade) => {
      found = cascade;
      go(0);
    });
  }

  function go(to: number): void {
    if (!found) return;
    const last = found.steps.length - 1;
    at = Math.max(0, Math.min(last, to));
    const step = found.steps[at]!;
    back.disabled = at === 0;
    next.disabled = at === last;
    place.textContent = at === 0 ? 'Before the failure' : `Step ${at} of ${last}`;
    say(told, app.told(step.sentence));
    say(end, at === last ? app.told(found.sentence) : '');
    draw(step);
    // On the ring only those that are up.
    const up = step.loads.filter((load) => !load.down).map((load) => load.node);
    app.ring.highlight(at === 0 || up.length === 0 ? null : up);
  }

  function meter(value: number, most: number, limit: number, over: boolean): HTMLElement {
    const fill = h('div', { class: over ? 'fill over' : 'fill' });
    fill.style.width = `${(100 * Math.min(value, most)) / most}%`;
    const cap = h('div', { class: 'cap' });
    cap.style.left = `calc(${(100 * Math.min(limit, most)) / most}% - 3px)`;
    return h('div', { class: 'track', 'aria-hidden': 'true' }, fill, cap);
  }

  function draw(step: CascadeStep): void {
    const steps = found!.steps;
    const most = Math.max(...steps.flatMap(({ loads }) => loads.map((load) => Math.max(load.requests, load.capacity)))) || 1;
    replace(
      bars,
      ...step.loads.map((load) => {
        const track = meter(load.requests, most, load.capacity, load.over);
        paintOf(track.firstElementChild as HTMLElement, app.look(load.node));
        const value = load.down ? 'down' : `${count(load.requests)} of ${count(load.capacity)}${load.over ? ', too much' : ''}`;
        return h('div', { class: load.over ? 'bar-row over' : 'bar-row', role: 'listitem' }, h('span', { class: 'name', title: load.node }, label(app, load.node)), track, h('span', { class: 'value' }, value));
      }),
    );
    const limit = database.value();
    const worst = Math.max(limit, ...steps.map((each) => each.database)) || 1;
    const track = meter(step.database, worst, limit, step.database_over);
    track.classList.add('base');
    const factor = step.database_factor === null || at === 0 ? '' : `, ${tenths(step.database_factor)} times as many as before`;
    replace(
      base,
      h('b', {}, 'Database'),
      track,
      h('span', { 'data-figure': 'database' }, `${count(step.database)} a second`),
      h('span', { class: 'lead base-note' }, `Hit ratio ${percent(step.hit_ratio)}${at === 0 ? '' : `, ${plural(step.moved, 'key')} moved`}${factor}${step.database_over ? '. More than it takes.' : '.'}`),
    );
  }

  return {
    name: 'cascade',
    title: 'Failure cascade',
    element,
    asks: ['cascade'],
    show(): void {
      const names = app.state.fleet.nodes.map((node) => node.name);
      const chosen = names.includes(first.value) ? first.value : (names.includes('D') ? 'D' : names[0] ?? '');
      first.replaceChildren(...names.map((name) => h('option', { value: name }, label(app, name))));
      first.value = chosen;
      ask();
    },
  };
}
