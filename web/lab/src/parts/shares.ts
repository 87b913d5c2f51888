// A bar for each node: its part of the key space where that is known, else of the keys; the mean dashed,
// the cap of bounded loads as a line.

import type { App, Part } from '../app.ts';
import type { NodeFigures, View } from '../core.ts';
import { $, h, replace, say } from '../dom.ts';
import { count, percent, plural } from '../format.ts';
import { paintOf } from '../palette.ts';
import { label, showsAlone } from './marks.ts';

interface Row {
  element: HTMLElement;
  fill: HTMLElement;
  mean: HTMLElement;
  cap: HTMLElement | null;
  value: HTMLElement;
}

function rowOf(app: App, node: NodeFigures): Row {
  const fill = h('div', { class: 'fill' });
  paintOf(fill, app.look(node.name));
  const mean = h('div', { class: 'mean' });
  const cap = node.limit === null ? null : h('div', { class: 'cap' });
  const value = h('span', { class: 'value' });
  const element = h(
    'div',
    { class: 'bar-row', role: 'listitem', 'data-node': node.name },
    h('span', { class: 'name', title: node.name }, label(app, node.name)),
    h('div', { class: 'track', 'aria-hidden': 'true' }, fill, mean, cap),
    value,
  );
  showsAlone(app, element, node.name);
  return { element, fill, mean, cap, value };
}

export function shares(_app: App): Part {
  let drawn = '';
  let rows: Row[] = [];
  /** Of the view that came last. */
  let drawAll = (): void => undefined;
  // During a drag only the bars that are in sight move: a list of fifty takes longer than a frame.
  const hidden = new Set<Element>();
  const sight = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) hidden.delete(target);
      else hidden.add(target);
    }
  });
  return {
    view(app: App, view: View): void {
      const { nodes, total } = view;
      // Under bounded loads the keys decide, not the arcs.
      const bounded = nodes.some((node) => node.limit !== null);
      const part = (node: (typeof nodes)[number]): number => (node.share === null || bounded ? node.keys / total : node.share);
      const most = Math.max(...nodes.map((node) => Math.max(part(node), node.target, (node.limit ?? 0) / total))) || 1;
      const named = nodes.some((node) => app.look(node.name).sign !== node.name);
      const bounds = nodes.map((node) => `${label(app, node.name)} ${node.limit !== null}`).join('\n');
      if (bounds !== drawn) {
        drawn = bounds;
        $('shares').parentElement!.style.setProperty('--rows', String(nodes.length));
        rows = nodes.map((node) => rowOf(app, node));
        sight.disconnect();
        hidden.clear();
        for (const { element } of rows) sight.observe(element);
        replace($('shares'), h('div', { class: named ? 'bars named' : 'bars', role: 'list' }, ...rows.map((row) => row.element)));
      }
      const draw = (all: boolean): void =>
        nodes.forEach((node, at) => {
          const { element, fill, mean, cap, value } = rows[at]!;
          if (!all && hidden.has(element)) return;
          fill.style.width = `${(100 * part(node)) / most}%`;
          mean.style.left = `${(100 * node.target) / most}%`;
          if (cap && node.limit !== null) cap.style.left = `calc(${Math.min(100, (100 * node.limit) / total / most)}% - 3px)`;
          const keys = node.limit !== null ? `${count(node.keys)} of at most ${count(node.limit)}` : `${percent(part(node))} · ${plural(node.keys, view.unit)}`;
          say(value, node.down ? `down · ${keys}` : keys);
        });
      draw(!app.dragging);
      drawAll = () => draw(true);
      if (app.dragging) app.engine.later('shares', 250, () => drawAll());
      replace(
        $('shares-key'),
        h('i', { 'aria-hidden': 'true' }),
        nodes.every((node) => node.target === nodes[0]!.target) ? 'the mean' : 'its due by weight',
        bounded && h('i', { class: 'cap', 'aria-hidden': 'true' }),
        bounded && 'the most it may hold',
      );
    },
  };
}
