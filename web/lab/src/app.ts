// The page's one object: the state, what the core said of it, and who draws which part.

import type { About, State, View } from './core.ts';
import { $, say } from './dom.ts';
import { type Engine, Refused, Superseded } from './engine.ts';
import { keyNames } from './model.ts';
import { plain } from './names.ts';
import { looks, publish, UNKNOWN, type Look } from './palette.ts';
import { captionOf, Ring } from './ring.ts';

/** So many keys have their names at hand. */
const NAMED = 2_000;

/** A part of the page that follows the state. */
export interface Part {
  /** The state has changed; figures are not there yet. */
  state?(app: App): void;
  /** Figures of the state have come. */
  view?(app: App, view: View): void;
}

export interface ChangeOptions {
  /** Keys that moved are seen to fly. */
  fly?: boolean;
  /** Steps of one drag: one undo takes all of them back. */
  drag?: string;
  /** The change comes from the guide, which goes on. */
  guided?: boolean;
}

export class App {
  readonly ring: Ring;
  view: View | undefined;
  /** The state that `view` is of: an older one during a drag. */
  viewed: State | undefined;
  looks = new Map<string, Look>();
  /** The key under the lens. */
  key = 'user:42';
  private readonly past: State[] = [];
  private future: State[] = [];
  private readonly parts: Part[] = [];
  private drag: string | undefined;
  private fly = false;
  /** The first state was refused, and nothing is drawn yet. */
  whenEmpty: ((why: string) => void) | undefined;
  /** The state that the core refused, while it is the page's. */
  private refused: State | undefined;
  private readonly troubles = new Map<string, string>();

  constructor(
    readonly engine: Engine,
    readonly about: About,
    public state: State,
  ) {
    this.ring = new Ring($('ring'), (key) => this.inspect(key), (motion) => engine.until(motion, 'else'));
    publish();
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      publish();
      this.ring.redraw();
      if (this.view) for (const part of this.parts) part.view?.(this, this.view);
    });
  }

  use(...parts: Part[]): void {
    this.parts.push(...parts);
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Goes to another state. */
  change(next: State, options: ChangeOptions = {}): void {
    // A fleet that cannot be is no step on the way to the next one.
    if (this.refused === this.state && next.history[next.history.length - 1] === this.state.fleet) {
      next = { ...next, history: next.history.slice(0, -1) };
    }
    const same = JSON.stringify(next) === JSON.stringify(this.state);
    if (!same && (!options.drag || options.drag !== this.drag)) this.past.push(this.state);
    if (!same) this.future = [];
    this.drag = options.drag;
    document.body.classList.toggle('dragging', options.drag !== undefined);
    this.state = next;
    this.fly = options.fly ?? false;
    if (!options.guided) document.dispatchEvent(new Event('lab:touched'));
    this.refresh();
  }

  /** Whether someone drags: what need not follow at once waits until then. */
  get dragging(): boolean {
    return this.drag !== undefined;
  }

  /** The drag is over: the next one is undone by itself. */
  endDrag(): void {
    document.body.classList.remove('dragging');
    this.drag = undefined;
  }

  undo(): void {
    this.step(this.past, this.future);
  }

  redo(): void {
    this.step(this.future, this.past);
  }

  private step(from: State[], to: State[]): void {
    const found = from.pop();
    if (!found) return;
    to.push(this.state);
    this.drag = undefined;
    this.state = found;
    this.fly = false;
    document.dispatchEvent(new Event('lab:touched'));
    this.refresh();
  }

  inspect(key: string): void {
    this.key = key;
    document.dispatchEvent(new Event('lab:key'));
  }

  look(name: string): Look {
    return this.looks.get(name) ?? { ...UNKNOWN, short: plain(name), label: plain(name) };
  }

  /** A sentence of the core, with long names cut to what tells them apart. */
  told(text: string): string {
    const long = [...this.looks].filter(([name, { short }]) => name.length > short.length).sort(([a], [b]) => b.length - a.length);
    return plain(long.reduce((said, [name, { short }]) => said.replaceAll(name, short), text));
  }

  /** What was asked of an earlier state is over, and so is why it had no answer; what holds of this one is asked again. */
  private forget(): void {
    for (const what of [...this.troubles.keys()]) if (what !== 'figures' && what !== 'link') this.trouble(what, '');
  }

  /** Asks for everything anew. */
  refresh(): void {
    this.forget();
    this.looks = looks(this.state);
    for (const part of this.parts) part.state?.(this);
    const state = this.state;
    const figures = this.engine.figures(state);
    figures.catch((error: unknown) => {
      if (!(error instanceof Refused)) return;
      this.refused = state;
      if (!this.view) this.whenEmpty?.(error.message);
    });
    this.answer('figures', figures, (view) => {
      this.engine.present(() => this.draw(state, view), this.dragging);
    });
  }

  private draw(state: State, view: View): void {
    this.view = view;
    this.viewed = state;
    const names = keyNames(state.keys, NAMED);
    const known = state === this.state ? this.looks : looks(state);
    this.ring.show({ view, looks: known, keyNames: names, ...captionOf(view) }, this.fly && state === this.state);
    for (const part of this.parts) part.view?.(this, view);
  }

  /** Waits for an answer; a refusal is told at the top of the page, a newer question is none. */
  answer<T>(what: string, asked: Promise<T>, then: (answer: T) => void): void {
    asked.then(
      (answer) => {
        this.trouble(what, '');
        then(answer);
      },
      (error: unknown) => {
        if (error instanceof Superseded) return;
        this.trouble(what, error instanceof Refused ? error.message : `The lab cannot go on: ${String(error)}`);
      },
    );
  }

  /** Tells at the top of the page why `what` has no answer; an empty text takes it back. */
  trouble(what: string, text: string): void {
    if (text === '') this.troubles.delete(what);
    else this.troubles.set(what, text);
    const texts = [...new Set(this.troubles.values())].map((text) => text.replace(/^[a-z](?=[a-z]* )/u, (letter) => letter.toUpperCase()));
    if (this.troubles.has('figures') && this.view) texts.push('What is drawn is what was before.');
    const told = texts.map((text) => (/[.!?]$/u.test(text) || texts.length === 1 ? text : `${text}.`)).join(' ');
    const place = $('trouble');
    place.hidden = told === '';
    say(place, this.told(told));
  }
}
