// Two clients on different epochs, and the keys they disagree on.

import type { App } from '../app.ts';
import { h, replace, say } from '../dom.ts';
import { who } from '../parts/marks.ts';
import type { Panel } from './panel.ts';

/** So many of the keys are listed. */
const LISTED = 60;

export function clientsPanel(app: App): Panel {
  const told = h('p', { class: 'said' });
  const prints = h('dl', { class: 'facts' });
  const list = h('div', { class: 'scroll tall', tabindex: '0', role: 'group', 'aria-label': 'Keys the clients disagree on' });
  const element = h(
    'div',
    { class: 'panel' },
    h(
      'div',
      { class: 'form' },
      h('p', { class: 'lead' }, 'A change reaches clients one after the other. Until then one looks for a key where it was, the other where it is. An epoch counts the changes; a fingerprint of where keys go tells the two apart.'),
      prints,
    ),
    h('div', { class: 'result' }, told, list),
  );
  return {
    name: 'clients',
    title: 'Two clients',
    element,
    asks: ['clients'],
    show(): void {
      if (app.state.history.length === 0) {
        say(told, 'Nothing has changed yet, so there is one epoch. Add or remove a node.');
        replace(list);
        replace(prints);
        return;
      }
      app.answer('clients', app.engine.clients(app.state), (found) => {
        say(told, app.told(found.sentence));
        const print = (epoch: number, text: string): HTMLElement[] => [h('dt', {}, `epoch ${epoch}`), h('dd', {}, h('code', {}, text))];
        replace(prints, ...print(found.old_epoch, found.old_fingerprint), ...print(found.new_epoch, found.new_fingerprint));
        const rows = found.keys.slice(0, LISTED).map(({ key, old, new: now }) =>
          h('tr', {}, h('th', { scope: 'row' }, h('code', {}, key)), h('td', { class: 'left' }, who(app, old)), h('td', { class: 'left' }, who(app, now))),
        );
        const titles = ['Key', `Client on epoch ${found.old_epoch} asks`, `Client on epoch ${found.new_epoch} asks`];
        replace(
          list,
          rows.length > 0 &&
            h(
              'table',
              {},
              h('thead', {}, h('tr', {}, ...titles.map((title) => h('th', { scope: 'col', class: 'left' }, title)))),
              h('tbody', {}, ...rows),
            ),
          found.disagree > LISTED && h('p', { class: 'lead' }, `The first ${LISTED} of them.`),
        );
      });
    },
  };
}
