// A hot key: who bears it, and under bounded loads who takes over.

import type { App } from '../app.ts';
import type { View } from '../core.ts';
import { h, replace, say } from '../dom.ts';
import { count } from '../format.ts';
import { scheme, withKeys } from '../model.ts';
import { paintOf } from '../palette.ts';
import { label } from '../parts/marks.ts';
import { numberField, type Panel } from './panel.ts';

export function hotPanel(app: App): Panel {
  const key = h('input', { type: 'text', value: 'user:42', spellcheck: 'false' });
  const times = numberField('Times more', 24, { min: 1, max: 100_000, step: 1 }, () => undefined);
  const heat = h('button', { type: 'button', class: 'main' }, 'Ask for it');
  const cool = h('button', { type: 'button' }, 'Cool down');
  const bound = h('button', { type: 'button' }, 'Use bounded loads');
  heat.addEventListener('click', () => {
    if (key.value === '') {
      key.focus();
      return;
    }
    app.change(withKeys(app.state, { hot: { key: key.value, times: times.value() } }));
    app.inspect(key.value);
  });
  cool.addEventListener('click', () => app.change(withKeys(app.state, { hot: null })));
  bound.addEventListener('click', () => app.change(scheme(app.state, 'bounded')));
  const told = h('p', { class: 'said' });
  const bars = h('div', { class: 'bars', role: 'list' });
  const element = h(
    'div',
    { class: 'panel' },
    h(
      'div',
      { class: 'form' },
      h('p', { class: 'lead' }, 'One key is asked for again and again. A placement spreads keys, not requests: all of them go to one node, unless loads are bounded.'),
      h('label', { class: 'field' }, h('span', { class: 'label' }, 'Key'), key),
      times.element,
      h('div', { class: 'row' }, heat, cool, bound),
    ),
    h('div', { class: 'result' }, told, bars),
  );

  function draw(_: App, view: View): void {
    const { hot } = app.state.keys;
    cool.disabled = hot === null;
    bound.disabled = app.state.fleet.scheme === 'bounded';
    if (!hot) {
      say(told, 'No key is hot.');
      replace(bars);
      return;
    }
    // The last ones in the list are the hot key's.
    const takes = view.nodes.map(() => 0);
    for (let at = view.owners.length - hot.times; at < view.owners.length; at += 1) takes[view.owners[at]!]! += 1;
    const limits = view.nodes.map((node) => node.limit);
    const most = Math.max(...view.nodes.map((node, at) => Math.max(node.keys, limits[at] ?? 0)), 1);
    const takers = takes.filter((taken) => taken > 0).length;
    say(told, `Of ${count(hot.times)} more requests for ${hot.key}, ${takers === 1 ? 'one node takes all' : `${takers} nodes take some`}. ${app.state.fleet.scheme === 'bounded' ? app.told(view.sentence) : ''}`.trim());
    replace(
      bars,
      ...view.nodes.map((node, at) => {
        const others = h('div', { class: 'fill faint' });
        paintOf(others, app.look(node.name));
        others.style.width = `${(100 * node.keys) / most}%`;
        const own = h('div', { class: 'fill' });
        paintOf(own, app.look(node.name));
        own.style.width = `${(100 * takes[at]!) / most}%`;
        const track = h('div', { class: 'track', 'aria-hidden': 'true' }, others, own);
        if (node.limit !== null) {
          const cap = h('div', { class: 'cap' });
          cap.style.left = `calc(${(100 * node.limit) / most}% - 3px)`;
          track.append(cap);
        }
        const limit = node.limit === null ? '' : ` of ${count(node.limit)}`;
        return h('div', { class: 'bar-row', role: 'listitem' }, h('span', { class: 'name', title: node.name }, label(app, node.name)), track, h('span', { class: 'value' }, `${count(takes[at]!)} hot, ${count(node.keys)}${limit} in all`));
      }),
    );
  }

  return {
    name: 'hot',
    title: 'Hot key',
    element,
    asks: [],
    show(): void {
      const { hot } = app.state.keys;
      if (hot) key.value = hot.key;
      if (app.view && app.viewed === app.state) draw(app, app.view);
    },
    view: draw,
  };
}
