// The panels below the page, as tabs. Only the open one asks for anything.

import type { App, Part } from '../app.ts';
import type { View } from '../core.ts';
import { $, h } from '../dom.ts';
import { cascadePanel } from './cascade.ts';
import { clientsPanel } from './clients.ts';
import { hashesPanel } from './hashes.ts';
import { hotPanel } from './hot.ts';
import { ownPanel } from './own.ts';

export function bench(app: App): { part: Part; open(name: string): void } {
  const panels = [ownPanel(app, () => open('own')), cascadePanel(app), clientsPanel(app), hotPanel(app), hashesPanel(app)];
  let current = panels[0]!;
  const tabs = panels.map((panel) => {
    const tab = h('button', { type: 'button', role: 'tab', id: `tab-${panel.name}`, 'aria-controls': `panel-${panel.name}` }, panel.title);
    tab.addEventListener('click', () => open(panel.name));
    panel.element.id = `panel-${panel.name}`;
    panel.element.setAttribute('role', 'tabpanel');
    panel.element.setAttribute('aria-labelledby', tab.id);
    $('panels').append(panel.element);
    $('tabs').append(tab);
    return tab;
  });
  $('tabs').addEventListener('keydown', (event) => {
    const place = panels.indexOf(current);
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: panels.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + panels.length) % panels.length;
    open(panels[next]!.name);
    tabs[next]!.focus();
  });

  function mark(): void {
    panels.forEach((panel, place) => {
      const chosen = panel === current;
      panel.element.hidden = !chosen;
      tabs[place]!.setAttribute('aria-selected', String(chosen));
      tabs[place]!.setAttribute('tabindex', chosen ? '0' : '-1');
    });
  }

  function open(name: string): void {
    // What one that is closed could not show is no trouble of the page.
    for (const what of current.asks) app.trouble(what, '');
    current = panels.find((panel) => panel.name === name) ?? current;
    mark();
    app.ring.highlight(null);
    current.show(app);
  }
  mark();
  return {
    open,
    part: {
      state: () => current.show(app),
      view: (_: App, view: View) => current.view?.(app, view),
    },
  };
}
