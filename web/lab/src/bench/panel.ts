// What the panels below the page share.

import type { App } from '../app.ts';
import type { View } from '../core.ts';
import { h, numberOf, type Range } from '../dom.ts';
import { digits } from '../format.ts';

export interface Panel {
  name: string;
  title: string;
  element: HTMLElement;
  /** What it asks for, as troubles are told. */
  asks: string[];
  /** The panel is open and the state has changed, or it was opened just now. */
  show(app: App): void;
  /** The panel is open and figures have come. */
  view?(app: App, view: View): void;
}

/** A field of a number, with its label. Calls `changed` when it holds another. */
export function numberField(title: string, value: number, range: Range, changed: () => void): { element: HTMLElement; value(): number } {
  const input = h('input', { type: 'number', value, ...range });
  let held = value;
  input.addEventListener('change', () => {
    held = numberOf(input, range) ?? held;
    // What stands there is what counts.
    input.value = digits(held);
    changed();
  });
  const element = h('label', { class: 'field' }, h('span', { class: 'label' }, title), input);
  return { element, value: () => held };
}
