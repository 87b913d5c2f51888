// A bar for each node: its part of the key space where that is known, else of the keys; the mean dashed,
// the cap of bounded loads as a line.

import type { App, Part } from '../app.ts';
import type { View } from '../core.ts';
import { $, h, replace } from '../dom.ts';
import { count, percent, plural } from '../format.ts';
import { paintOf } from '../palette.ts';
import { label, showsAlone } from './marks.ts';

export function shares(_app: App): Part {
  return {
    view(app: App, view: View): void {
      const { nodes, total } = view;
      // Under bounded loads the keys decide, not the arcs.
      const bounded = nodes.some((node) => node.limit !== null);
      const part = (node: (typeof nodes)[number]): number => (node.share === null || bounded ? node.keys / total : node.share);
      const most = Math.max(...nodes.map((node) => Math.max(part(node), node.target, (node.limit ?? 0) / total))) || 1;
      const named = nodes.some((node) => app.look(node.name).sign !== node.name);
      const rows = nodes.map((node) => {
        const fill = h('div', { class: 'fill' });
        paintOf(fill, app.look(node.name));
        fill.style.width = `${(100 * part(node)) / most}%`;
        const mean = h('div', { class: 'mean' });
        mean.style.left = `${(100 * node.target) / most}%`;
        const track = h('div', { class: 'track', 'aria-hidden': 'true' }, fill, mean);
        if (node.limit !== null) {
          const cap = h('div', { class: 'cap' });
          cap.style.left = `calc(${Math.min(100, (100 * node.limit) / total / most)}% - 3px)`;
          track.append(cap);
        }
        const keys = bounded && node.limit !== null ? `${count(node.keys)} of at most ${count(node.limit)}` : `${percent(part(node))} · ${plural(node.keys, 'key')}`;
        const row = h(
          'div',
          { class: 'bar-row', role: 'listitem', 'data-node': node.name },
          h('span', { class: 'name', title: node.name }, label(app, node.name)),
          track,
          h('span', { class: 'value' }, node.down ? `down · ${keys}` : keys),
        );
        showsAlone(app, row, node.name);
        return row;
      });
      replace($('shares'), h('div', { class: named ? 'bars named' : 'bars', role: 'list' }, ...rows));
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
