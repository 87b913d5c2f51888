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

/** A field of a number, with its label. Calls `changed` with what it holds. */
export function numberField(title: string, value: number, attributes: Record<string, number>, changed: () => void): { element: HTMLElement; value(): number } {
  const input = h('input', { type: 'number', value, ...attributes });
  input.addEventListener('change', changed);
  const element = h('label', { class: 'field' }, h('span', { class: 'label' }, title), input);
  return { element, value: () => (input.value === '' ? value : Number(input.value)) };
}
