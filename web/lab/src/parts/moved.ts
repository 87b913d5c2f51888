// What moved: the core's sentence, spoken politely, and four figures.

import type { App, Part } from '../app.ts';
import type { View } from '../core.ts';
import { $, h, replace, say } from '../dom.ts';
import { count, ratio, tenths } from '../format.ts';

export function moved(_app: App): Part {
  return {
    view(app: App, view: View): void {
      const { change } = view;
      say($('sentence'), app.told(change ? view.sentence : `${view.sentence} Add or remove a node to see which keys move.`));
      const fair = change ? tenths(change.fair) : '–';
      const spaces = view.busiest_space !== null && app.state.fleet.scheme !== 'bounded';
      const figure = (name: string, value: string, title: string): HTMLElement =>
        h('div', {}, h('dt', {}, title), h('dd', { 'data-figure': name }, value));
      replace(
        $('figures'),
        figure('moved', change ? count(change.moved) : '–', `${view.unit}s moved`),
        figure('stray', change ? count(change.stray) : '–', 'of them for nothing'),
        figure('fair', fair, 'fair: an even split moves'),
        spaces
          ? figure('busiest', ratio(view.busiest_space!), 'busiest ÷ mean, all key space')
          : figure('busiest', ratio(view.busiest_keys), `busiest ÷ mean, these ${view.unit}s`),
      );
    },
  };
}
