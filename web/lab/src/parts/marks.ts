// Nodes as lists show them: a swatch in colour and pattern, the sign, the name where that is longer.

import type { App } from '../app.ts';
import { h } from '../dom.ts';
import { paintOf } from '../palette.ts';

export function swatch(app: App, name: string): HTMLElement {
  const mark = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  paintOf(mark, app.look(name));
  return mark;
}

/** A node in a list: its sign, and its name where that says more. */
export const label = (app: App, name: string): string => app.look(name).label;

/** A node in a sentence or a cell. */
export const who = (app: App, name: string): HTMLElement => h('span', { class: 'who', title: name }, swatch(app, name), label(app, name));

/** While the pointer or the focus is on it, the ring shows this node alone. */
export function showsAlone(app: App, element: HTMLElement, name: string): void {
  let on = false;
  // Where the page moves under a pointer that rests, as when the button that was pressed makes room, nobody points.
  element.addEventListener('pointermove', ({ movementX, movementY }) => {
    if (on || (movementX === 0 && movementY === 0)) return;
    on = true;
    app.ring.highlight([name]);
  });
  element.addEventListener('pointerleave', () => {
    if (on) app.ring.highlight(null);
    on = false;
  });
  element.addEventListener('focusin', () => app.ring.highlight([name]));
  element.addEventListener('focusout', () => app.ring.highlight(null));
}
