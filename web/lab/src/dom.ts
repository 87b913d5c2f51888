// Small helpers around the document.

export type Attributes = Record<string, string | number | boolean | null | undefined>;
export type Child = Node | string | null | undefined | false;

const SVG = 'http://www.w3.org/2000/svg';

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
}

/** An element of HTML. Text is never parsed. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** An element of SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/** The element of this id, which the page has. */
export function $<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** Replaces what an element holds and keeps the focus on the child with the same `data-key`. */
export function replace(element: Element, ...children: Child[]): void {
  const active = document.activeElement;
  const key = active instanceof HTMLElement && element.contains(active) ? active.dataset.key : undefined;
  element.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
  if (key !== undefined) {
    const again = [...element.querySelectorAll<HTMLElement>('[data-key]')].find((found) => found.dataset.key === key);
    again?.focus();
  }
}

/** Sets attributes only where they differ. */
export function set(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Sets text only where it differs, so that a live region does not speak for nothing. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** What a field of a number takes. With a step of 1 it is whole. */
export interface Range extends Record<string, number | string> {
  min: number;
  max: number;
  step: number | 'any';
}

/** What someone has typed into a field of a number: rounded and kept in its range; none where it is empty. */
export function numberOf(input: HTMLInputElement, { min, max, step }: Range): number | null {
  if (input.value === '') return null;
  const value = Number(input.value);
  return Math.min(max, Math.max(min, step === 1 ? Math.round(value) : value));
}

export function media(query: string): boolean {
  return window.matchMedia(query).matches;
}

/** Whether the person asked for less motion. */
export const still = (): boolean => media('(prefers-reduced-motion: reduce)');
