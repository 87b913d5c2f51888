// Two hashes side by side: the same nodes, tokens and keys.

import type { App } from '../app.ts';
import { drawBand } from '../band.ts';
import type { View } from '../core.ts';
import { h } from '../dom.ts';
import { percent, ratio } from '../format.ts';
import { configure } from '../model.ts';
import type { Panel } from './panel.ts';

export function hashesPanel(app: App): Panel {
  const side = (number: number, chosen: string) => {
    const pick = h('select', { 'aria-label': number === 0 ? 'One hash' : 'The other hash' }, ...app.about.hashes.map(({ name }) => h('option', { value: name }, name)));
    pick.value = chosen;
    const canvas = h('canvas', { class: 'ring-band', 'aria-hidden': 'true' });
    const told = h('p', { 'data-hash-side': number });
    const figure = h('figure', {}, h('div', { class: 'ring' }, canvas), h('figcaption', {}, pick, told));
    pick.addEventListener('change', show);
    return { pick, canvas, told, figure, view: undefined as View | undefined };
  };
  const sides = [side(0, 'fnv1a-32'), side(1, 'murmur3-x86-32')];
  const lead = h('p', { class: 'lead' }, 'The same nodes, tokens and keys by two hashes. A good one strews tokens as chance would; FNV-1a without a last mixing leaves texts that differ in their last letter near each other.');
  const element = h('div', { class: 'panel' }, h('div', { class: 'form' }, lead), h('div', { class: 'charts' }, ...sides.map((each) => each.figure)));

  function draw(each: (typeof sides)[number]): void {
    const { view, canvas } = each;
    const scale = window.devicePixelRatio || 1;
    const size = Math.round(canvas.clientWidth * scale);
    const pen = canvas.getContext('2d');
    if (!view || !pen || size === 0) return;
    canvas.width = canvas.height = size;
    drawBand(pen, size, scale, { view, looks: view.names.map((name) => app.look(name)), only: null });
  }

  function show(): void {
    const onRing = app.state.fleet.scheme === 'ring' || app.state.fleet.scheme === 'bounded';
    sides.forEach((each, number) => {
      const state = configure({ ...app.state, history: [], down: [] }, { hash: each.pick.value, scheme: onRing ? app.state.fleet.scheme : 'ring' });
      app.answer(`hash ${number}`, app.engine.figures(state, `hash ${number}`), (view) => {
        each.view = view;
        draw(each);
        const shares = view.nodes.map((node) => node.share ?? 0);
        each.told.textContent = `Busiest ÷ mean ${ratio(view.busiest_space ?? 0)}; shares from ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`;
      });
    });
  }
  new ResizeObserver(() => sides.forEach(draw)).observe(element);
  return { name: 'hashes', title: 'Hash functions', element, asks: ['hash 0', 'hash 1'], show, view: () => sides.forEach(draw) };
}
