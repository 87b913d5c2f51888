// What the panels below the page share.

import type { App } from '../app.ts';
import type { View } from '../core.ts';
import { h } from '../dom.ts';

export interface Panel {
  name: string;
  title: string;
  element: HTMLElement;
  /** The panel is open and the state has changed, or it was opened just now. */
  show(app: App): void;
  /** The panel is open and figures have come. */
  view?(app: App, view: View): void;
}

/** A field of a number, with its label; one below `min` or above `max` becomes that. Calls `changed` when it holds another. */
export function numberField(title: string, value: number, attributes: Record<string, number>, changed: () => void): { element: HTMLElement; value(): number } {
  const input = h('input', { type: 'number', value, ...attributes });
  let held = value;
  input.addEventListener('change', () => {
    const { min = -Infinity, max = Infinity } = attributes;
    if (input.value !== '') held = Math.min(max, Math.max(min, Number(input.value)));
    // What stands there is what counts.
    input.value = String(held);
    changed();
  });
  const element = h('label', { class: 'field' }, h('span', { class: 'label' }, title), input);
  return { element, value: () => held };
}
