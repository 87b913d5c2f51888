// The ring: a canvas for the band, SVG above it for signs, keys and the count, a second canvas on which keys
// that move fly from their old owner to their new one.

import { drawBand, DOTS, prepare, type Drawing } from './band.ts';
import { DISPLACED, MOVED, REROUTED, type KeyFigures, type View } from './core.ts';
import { h, replace, s, say, set, still } from './dom.ts';
import { count, degrees, plural } from './format.ts';
import { BAND_IN, BAND_OUT, LABEL_AT, LANES, TICK_OUT, at, discs, lanes, spread, type Box, type Point } from './geometry.ts';
import { colourOf, UNKNOWN as unknown, type Look } from './palette.ts';

/** Half the width of the drawing, in its own units. */
const U = 500;
/** Up to so many tokens each has its sign; up to so many keys each has its letter and can be focused. */
const SIGNS = 24;
const LETTERS = 120;
/** A key without room for its letter, in pixels of its radius. */
const CROWDED = 3;
/** Of more tokens, arcs of this part of the circle or more. */
const LEAST_SIGNED = 0.01;
const FLIGHT_MS = 850;
const FLIGHTS = 160;

export interface Shown {
  view: View;
  looks: Map<string, Look>;
  /** The keys' names, as far as they are told one by one. */
  keyNames: string[];
  /** What stands in the middle. */
  figure: string;
  caption: string;
}

/** A key on the ring: its elements, and what they show. */
interface Dot {
  group: SVGGElement;
  halo: SVGCircleElement;
  dot: SVGCircleElement;
  letter: SVGTextElement | null;
  shows: string;
}

interface Flight {
  from: Point;
  by: Point;
  to: Point;
  before: string;
  after: string;
  delay: number;
}

export class Ring {
  private readonly band = h('canvas', { class: 'ring-band', 'aria-hidden': 'true' });
  /** Hidden while nothing flies: a layer over the ring takes time in each frame. */
  private readonly sky = h('canvas', { class: 'ring-sky', 'aria-hidden': 'true', hidden: true });
  private readonly signs = s('g', { class: 'signs', 'aria-hidden': 'true' });
  private readonly path = s('g', { class: 'path', 'aria-hidden': 'true' });
  /** One thing of many parts: who reads on with a screen reader passes it at once, and the table has the same in words. */
  private readonly keys = s('g', { class: 'keys', role: 'listbox', 'aria-label': 'Keys on the ring, clockwise: choose one to look at' });
  private chosen = '';
  private readonly figure = s('text', { class: 'figure', y: 0 });
  private readonly caption = s('text', { class: 'caption', y: 70 });
  private readonly svg: SVGSVGElement;
  private shown: Shown | undefined;
  private only: Set<string> | null = null;
  private stations = new Map<string, Point>();
  private flying = 0;
  private walking = 0;
  private focused = 0;
  /** In pixels of the page; asked for anew it would cost a layout each time. */
  private width = 0;
  private order: number[] = [];
  /** The keys on the ring, in the order of the circle. */
  private dots: Dot[] = [];
  private positions: Point[] = [];

  /** `inspect` is called when a key is chosen; `during` is given each motion, which the page is not ready before. */
  constructor(
    root: HTMLElement,
    private readonly inspect: (key: string) => void,
    private readonly during: (motion: Promise<void>) => Promise<void>,
  ) {
    this.svg = s('svg', { class: 'ring-svg', viewBox: `${-U} ${-U} ${2 * U} ${2 * U}` });
    this.svg.append(this.signs, this.path, this.keys, s('g', { class: 'middle', 'aria-hidden': 'true' }, this.figure, this.caption));
    root.append(this.band, this.svg, this.sky);
    this.width = root.clientWidth;
    new ResizeObserver(([entry]) => {
      this.width = entry!.contentRect.width;
      this.redraw();
    }).observe(root);
    this.keys.addEventListener('keydown', (event) => this.onKey(event));
    this.keys.addEventListener('click', (event) => {
      const key = this.keyAt(event.target);
      if (key !== undefined) this.choose(key);
    });
  }

  /** Shows a state; with `fly`, keys that moved are seen to go. */
  show(shown: Shown, fly: boolean): void {
    const before = this.stations;
    this.shown = shown;
    this.redraw();
    this.flying += 1;
    if (fly && !still()) this.fly(before);
    else this.clearSky();
  }

  /** Shows these nodes alone, or all. */
  highlight(names: string[] | null): void {
    this.only = names && new Set(names);
    this.drawBand();
    this.fadeKeys();
  }

  /** The way of a key to its owner; none takes it away. */
  trace(key: KeyFigures | null): void {
    this.walking += 1;
    this.path.replaceChildren();
    this.mark(key?.key ?? '');
    if (!key || !this.shown) return;
    const size = this.px(1);
    const known = this.shown.keyNames.lastIndexOf(key.key);
    const place = this.positions[known] ?? at(key.turn, LANES[0]! * U);
    const edge = at(key.turn, (BAND_IN - 0.02) * U);
    this.path.append(
      s('line', { x1: place.x, y1: place.y, x2: edge.x, y2: edge.y, class: 'trace', 'stroke-width': 2 * size }),
      s('circle', { cx: place.x, cy: place.y, r: 15 * size, class: 'lens', 'stroke-width': 2.5 * size }),
    );
    const stops = this.stops(key);
    let turn = key.turn;
    for (const stop of stops) {
      this.path.append(this.arrow(turn, stop.turn, stop.full, size));
      turn = stop.turn;
    }
    this.number(key, size);
  }

  /** Numbers the tokens of the nodes that hold a key beside its owner, where tokens are told one by one. */
  private number(key: KeyFigures, size: number): void {
    const { view } = this.shown!;
    if (view.band !== 'arcs' || view.band_of !== 'tokens' || !key.token) return;
    const from = arcAt(view, key.token.turn);
    for (const [place, name] of key.replicas.entries()) {
      const arc = place === 0 || from < 0 ? -1 : nextArc(view, from, name);
      if (arc < 0) continue;
      const spot = at(view.ends[arc]!, ((BAND_IN + BAND_OUT) / 2) * U);
      this.path.append(
        s('circle', { cx: spot.x, cy: spot.y, r: 11 * size, class: 'replica', 'stroke-width': 2 * size }),
        s('text', { x: spot.x, y: spot.y, 'font-size': 13 * size, class: 'sign' }, String(place + 1)),
      );
    }
  }

  /** Lets the key walk along its trace, token by token. */
  walk(key: KeyFigures, told: (step: number) => void): void {
    void this.during(this.walked(key, told));
  }

  private async walked(key: KeyFigures, told: (step: number) => void): Promise<void> {
    this.trace(key);
    const stops = this.stops(key);
    const mine = this.walking;
    if (still() || stops.length === 0) {
      stops.forEach((_, step) => told(step));
      return;
    }
    const size = this.px(1);
    const walker = s('circle', { r: 8 * size, class: 'walker', 'stroke-width': 2 * size });
    this.path.append(walker);
    let turn = key.turn;
    for (const [step, stop] of stops.entries()) {
      const way = (stop.turn - turn + 1) % 1;
      const took = 350 + 1600 * way;
      await frames(took, (part) => {
        const place = at(turn + way * ease(part), (BAND_IN - 0.02) * U);
        walker.setAttribute('cx', String(place.x));
        walker.setAttribute('cy', String(place.y));
        return mine === this.walking;
      });
      if (mine !== this.walking) return;
      turn = stop.turn;
      told(step);
      walker.classList.toggle('full', stop.full);
      if (stop.full) await frames(420, () => mine === this.walking);
    }
  }

  /** Draws again, at another size or in other colours. */
  redraw(): void {
    if (!this.shown) return;
    this.drawBand();
    this.drawSigns();
    this.drawKeys();
    this.drawMiddle();
  }

  /** The picture as SVG, for a file. */
  picture(): { svg: SVGSVGElement; band: HTMLCanvasElement } {
    return { svg: this.svg, band: this.band };
  }

  drawing(): Drawing | null {
    if (!this.shown) return null;
    const { view, looks } = this.shown;
    const only = this.only;
    return {
      view,
      looks: view.names.map((name) => looks.get(name) ?? unknown),
      only: only && new Set(view.names.flatMap((name, at) => (only.has(name) ? [at] : []))),
    };
  }

  /** A length on the screen in units of the drawing. */
  private px(length: number): number {
    return (length * 2 * U) / Math.max(this.width, 1);
  }

  private drawBand(): void {
    const drawing = this.drawing();
    const width = this.width;
    const scale = window.devicePixelRatio || 1;
    const size = Math.round(width * scale);
    if (!drawing || size === 0) return;
    if (this.band.width !== size) this.band.width = this.band.height = size;
    const pen = this.band.getContext('2d');
    if (pen) drawBand(pen, size, scale, drawing);
    prepare(size);
  }

  private drawSigns(): void {
    const { view, looks } = this.shown!;
    const size = this.px(1);
    const narrow = this.width < 420;
    const tiny = this.width < 300;
    this.signs.replaceChildren();
    this.stations = new Map();
    const tokens = view.band === 'arcs' && view.band_of === 'tokens' && view.ends.length <= SIGNS;
    if (tokens) {
      const turns = Array.from(view.ends);
      const apart = (narrow ? 20 : 26) / (Math.PI * LABEL_AT * Math.max(this.width, 1));
      const placed = spread(turns, apart);
      turns.forEach((turn, token) => {
        const name = view.names[view.arcOwners[token]!]!;
        const label = at(placed[token]!, LABEL_AT * U);
        if (Math.abs(placed[token]! - turn) > 0.002) {
          const [from, to] = [at(turn, TICK_OUT * U), at(placed[token]!, (TICK_OUT + 0.02) * U)];
          this.signs.append(s('line', { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: 'leader', 'stroke-width': 1.5 * size }));
        }
        this.signs.append(this.sign(label, looks.get(name)?.sign ?? '?', (tiny ? 13 : narrow ? 15 : 18) * size));
        if (!this.stations.has(name)) this.stations.set(name, at(turn, BAND_OUT * U));
      });
      return;
    }
    if (view.band === 'arcs') {
      this.signLargest(tiny ? 13 : narrow ? 15 : 17);
      return;
    }
    const nodes = view.nodes.length;
    if (view.band === 'bins' || nodes > SIGNS) return;
    // No circle: the list, around the band in its order.
    view.nodes.forEach((node, place) => {
      const look = looks.get(node.name) ?? unknown;
      const point = at((place + 0.5) / nodes, LABEL_AT * U);
      this.signs.append(
        s('circle', { cx: point.x, cy: point.y, r: 14 * size, fill: colourOf(look), class: 'station' }),
        s('text', { x: point.x, y: point.y, 'font-size': 14 * size, class: 'letter', fill: inkOn(colourOf(look)) }, look.sign),
      );
      this.stations.set(node.name, point);
    });
  }

  /** Of many arcs the largest have their owner's sign, as far as there is room: at the token, or in the middle of slots. */
  private signLargest(letters: number): void {
    const { view, looks } = this.shown!;
    const { ends, arcOwners } = view;
    const apart = (1.5 * letters) / (Math.PI * LABEL_AT * Math.max(this.width, 1));
    const from = (arc: number): number => (arc === 0 ? ends[ends.length - 1]! - 1 : ends[arc - 1]!);
    const arcs = Array.from(ends, (end, arc) => ({ arc, part: end - from(arc), turn: view.band_of === 'slots' ? (end + from(arc)) / 2 : end }));
    const taken: number[] = [];
    for (const { arc, part, turn } of arcs.sort((a, b) => b.part - a.part)) {
      if (part < LEAST_SIGNED || taken.length === 2 * SIGNS) break;
      const gap = (other: number): number => Math.min(Math.abs(turn - other), 1 - Math.abs(turn - other));
      if (taken.some((other) => gap(other) < apart)) continue;
      taken.push(turn);
      const name = view.names[arcOwners[arc]!]!;
      this.signs.append(this.sign(at(turn, LABEL_AT * U), looks.get(name)?.sign ?? '?', letters * this.px(1)));
      if (!this.stations.has(name)) this.stations.set(name, at(turn, BAND_OUT * U));
    }
  }

  /** A sign beside the band; one of two letters is moved in where it would leave the picture. */
  private sign({ x, y }: Point, text: string, size: number): SVGTextElement {
    const most = U - 0.35 * text.length * size;
    return s('text', { x: Math.max(-most, Math.min(most, x)), y, 'font-size': size, class: 'sign' }, text);
  }

  private drawKeys(): void {
    const { view, looks, keyNames } = this.shown!;
    const total = view.turns.length;
    const hadFocus = this.keys.contains(document.activeElement);
    this.positions = [];
    this.order = [];
    if (total > DOTS) {
      this.keys.replaceChildren();
      this.dots = [];
      this.named(false);
      return;
    }
    const size = this.px(1);
    const width = Math.max(this.width, 1);
    const lettered = total <= LETTERS && keyNames.length === total;
    const radius = lettered ? (width < 420 ? 6.5 : 9) : total <= 400 ? 4 : 2.5;
    const apart = 2 * (radius + (lettered ? 3.5 : 2.5)) + 1;
    const crowded = new Set<number>();
    if (lettered) {
      // With a pixel between two of them.
      const places = discs(view.turns, (2 * radius + 1) / width, (2 * apart) / width, (2 * CROWDED) / width, this.middle().boxes);
      this.positions = places.map(({ x, y }) => ({ x: x * U, y: y * U }));
      places.forEach(({ roomy }, key) => !roomy && crowded.add(key));
    } else {
      const lane = lanes(view.turns, apart / (Math.PI * LANES[0]! * width));
      this.positions = Array.from(view.turns, (turn, key) => at(turn, LANES[lane[key]!]! * U));
    }
    this.order = Array.from(view.turns, (_, key) => key).sort((a, b) => view.turns[a]! - view.turns[b]!);
    this.focused = Math.min(this.focused, Math.max(total - 1, 0));
    if (this.dots.length !== total || (this.dots[0]?.letter !== null) !== lettered) {
      this.dots = this.order.map(() => dotOf(lettered));
      replace(this.keys, ...this.dots.map(({ group }) => group));
    }
    // While someone drags, most of a key stays what it is: only the rest is touched.
    this.order.forEach((key, nth) => {
      const owner = view.names[view.owners[key]!] ?? '?';
      const look = looks.get(owner) ?? unknown;
      const fill = colourOf(look);
      const place = this.positions[key]!;
      const told = lettered ? this.told(key, owner) : '';
      const flags = view.flags[key]!;
      const dot = this.dots[nth]!;
      const own = crowded.has(key) ? CROWDED : radius;
      const shows = [key, look.sign, fill, flags, place.x, place.y, size, own, told].join('\n');
      if (shows === dot.shows) return;
      dot.shows = shows;
      set(dot.group, { 'data-at': key, transform: `translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})` });
      set(dot.halo, { class: flags & MOVED ? 'halo moved' : 'halo', r: (own + (lettered ? 3.5 : 2.5)) * size, 'stroke-width': 2 * size });
      set(dot.dot, { class: flags & REROUTED ? 'dot waits' : 'dot', r: own * size, fill, 'stroke-width': flags & REROUTED ? 2 * size : 0 });
      if (!dot.letter) return;
      set(dot.letter, { 'font-size': radius * (look.sign.length > 1 ? 1.1 : 1.25) * size, fill: inkOn(fill) });
      say(dot.letter, crowded.has(key) ? '' : look.sign);
      set(dot.group, { role: 'option', tabindex: key === this.focused ? 0 : -1, 'aria-label': told, 'aria-selected': String(keyNames[key] === this.chosen) });
    });
    this.named(lettered);
    this.fadeKeys();
    if (hadFocus) this.group(this.focused)?.focus();
  }

  /** Keys too many for letters are a picture alone, and none to choose. */
  private named(lettered: boolean): void {
    set(this.keys, lettered ? { role: 'listbox', 'aria-hidden': 'false' } : { role: 'none', 'aria-hidden': 'true' });
  }

  /** Says which key is looked at. */
  private mark(name: string): void {
    this.chosen = name;
    this.dots.forEach(({ group, letter }, nth) => {
      if (letter) set(group, { 'aria-selected': String(this.shown?.keyNames[this.order[nth]!] === name) });
    });
  }

  private told(key: number, owner: string): string {
    const { view, keyNames } = this.shown!;
    const flags = view.flags[key]!;
    const parts = [`${keyNames[key]}, ${degrees(view.turns[key]!)}, owner ${owner}`];
    if (flags & MOVED) parts.push(`moved from ${view.names[view.was[key]!]}`);
    if (flags & DISPLACED) parts.push('its first node is full');
    if (flags & REROUTED) parts.push('its owner is down');
    return parts.join(', ');
  }

  private fadeKeys(): void {
    const view = this.shown?.view;
    if (!view) return;
    for (const group of this.keys.children) {
      const key = Number((group as SVGElement).dataset.at);
      const faded = this.only !== null && !this.only.has(view.names[view.owners[key]!] ?? '');
      group.classList.toggle('faded', faded);
    }
  }

  /** The sizes and places of the two texts in the middle, and what they cover, as parts of half the width. */
  private middle(): { high: number; low: number; figureAt: number; captionAt: number; boxes: Box[] } {
    const { figure, caption, view } = this.shown!;
    const size = this.px(1);
    const width = this.width;
    // Counts of many keys reach further in than dots, and have more digits.
    const room = view.turns.length <= DOTS ? 0.36 : 0.3;
    const high = Math.min(width * 0.16, (width * room) / (0.62 * figure.length)) * size;
    const low = Math.max(13, width * 0.032) * size;
    const [figureAt, captionAt] = [-0.1 * high, 0.47 * high + 0.6 * low];
    const box = (y: number, wide: number, tall: number): Box => ({ x: 0, y: y / U, wide: wide / 2 / U, high: tall / 2 / U });
    const boxes = [box(figureAt, 0.68 * high * figure.length, 0.8 * high), box(captionAt, 0.58 * low * caption.length, low)];
    return { high, low, figureAt, captionAt, boxes };
  }

  private drawMiddle(): void {
    const { figure, caption } = this.shown!;
    const { high, low, figureAt, captionAt } = this.middle();
    this.figure.setAttribute('font-size', String(high));
    this.figure.setAttribute('y', String(figureAt));
    this.caption.setAttribute('font-size', String(low));
    this.caption.setAttribute('y', String(captionAt));
    say(this.figure, figure);
    say(this.caption, caption);
  }

  private keyAt(target: EventTarget | null): number | undefined {
    const group = target instanceof Element ? target.closest<SVGElement>('[data-at]') : null;
    return group ? Number(group.dataset.at) : undefined;
  }

  private group(key: number): SVGElement | undefined {
    return [...this.keys.children].find((group) => Number((group as SVGElement).dataset.at) === key) as SVGElement | undefined;
  }

  private choose(key: number): void {
    const name = this.shown?.keyNames[key];
    if (name === undefined) return;
    this.focus(key);
    this.inspect(name);
  }

  private focus(key: number): void {
    this.group(this.focused)?.setAttribute('tabindex', '-1');
    this.focused = key;
    const group = this.group(key);
    group?.setAttribute('tabindex', '0');
    group?.focus();
  }

  private onKey(event: Event): void {
    if (!(event instanceof KeyboardEvent)) return;
    const key = this.keyAt(event.target);
    if (key === undefined || this.order.length === 0) return;
    const place = this.order.indexOf(key);
    const count = this.order.length;
    const steps: Record<string, number> = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1, Home: 0, End: count - 1 };
    const to = steps[event.key];
    if (to !== undefined) this.focus(this.order[(to + count) % count]!);
    else if (event.key === 'Enter' || event.key === ' ') this.choose(key);
    else return;
    event.preventDefault();
  }

  /** The tokens that a key comes by: those of full nodes, and the last that takes it. */
  private stops(key: KeyFigures): { turn: number; full: boolean }[] {
    const view = this.shown?.view;
    if (!view || !key.token) return [];
    if (key.walk.length < 2) return [{ turn: key.token.turn, full: false }];
    const stops: { turn: number; full: boolean }[] = [];
    let arc = arcAt(view, key.token.turn);
    for (const step of key.walk) {
      arc = arc < 0 ? -1 : nextArc(view, arc, step.node);
      if (arc < 0) return [{ turn: key.token.turn, full: false }];
      stops.push({ turn: view.ends[arc]!, full: step.full });
    }
    return stops;
  }

  private arrow(from: number, to: number, full: boolean, size: number): SVGGElement {
    const radius = (BAND_IN - 0.02) * U;
    const way = (to - from + 1) % 1;
    const [start, end] = [at(from, radius), at(to, radius)];
    const head = s('circle', { cx: end.x, cy: end.y, r: 5 * size, class: full ? 'stop full' : 'stop', 'stroke-width': 2 * size });
    const line = s('path', {
      d: `M${start.x} ${start.y}A${radius} ${radius} 0 ${way > 0.5 ? 1 : 0} 1 ${end.x} ${end.y}`,
      class: 'trace',
      'stroke-width': 2.5 * size,
    });
    return s('g', {}, line, head);
  }

  private clearSky(): void {
    this.sky.hidden = true;
  }

  /** Keys go from their old owner's place over their own to the new owner's. */
  private fly(before: Map<string, Point>): void {
    const { view, looks } = this.shown!;
    const mine = this.flying;
    const moved = Array.from(view.flags, (flags, key) => (flags & MOVED ? key : -1)).filter((key) => key >= 0);
    const place = (name: string): Point | undefined => this.stations.get(name) ?? before.get(name);
    const flights: Flight[] = [];
    for (const [number, key] of moved.slice(0, FLIGHTS).entries()) {
      const was = view.names[view.was[key]!] ?? '';
      const owner = view.names[view.owners[key]!] ?? '';
      const [from, to, by] = [place(was), place(owner), this.positions[key]];
      if (!from || !to || !by) continue;
      const colour = (name: string): string => colourOf(looks.get(name) ?? unknown);
      flights.push({ from, by, to, before: colour(was), after: colour(owner), delay: Math.min(number * 40, 900) });
    }
    this.clearSky();
    if (flights.length === 0) return;
    const width = this.width;
    const scale = window.devicePixelRatio || 1;
    this.sky.width = this.sky.height = Math.round(width * scale);
    const pen = this.sky.getContext('2d');
    if (!pen) return;
    this.sky.hidden = false;
    const unit = this.sky.width / (2 * U);
    const longest = Math.max(...flights.map((flight) => flight.delay)) + FLIGHT_MS;
    const motion = frames(longest, (_, passed) => {
      if (mine !== this.flying) return false;
      pen.clearRect(0, 0, this.sky.width, this.sky.height);
      for (const flight of flights) {
        const part = (passed - flight.delay) / FLIGHT_MS;
        if (part <= 0 || part >= 1) continue;
        const spot = along(flight, ease(part));
        pen.globalAlpha = Math.min(1, 6 * part, 6 * (1 - part));
        pen.fillStyle = part < 0.5 ? flight.before : flight.after;
        pen.beginPath();
        pen.arc((spot.x + U) * unit, (spot.y + U) * unit, 6 * scale, 0, 7);
        pen.fill();
      }
      pen.globalAlpha = 1;
      return true;
    });
    void this.during(motion).then(() => {
      if (mine === this.flying) this.clearSky();
    });
  }
}

function dotOf(lettered: boolean): Dot {
  const [halo, dot, letter] = [s('circle'), s('circle'), lettered ? s('text', { class: 'letter' }) : null];
  return { group: s('g', { class: 'key' }, halo, dot, letter), halo, dot, letter, shows: '' };
}

/** The arc that ends at a token; −1 where the band does not tell it. */
const arcAt = (view: View, turn: number): number => view.ends.findIndex((end) => Math.abs(end - turn) < 1e-6);

/** The first arc of a node from this one on, clockwise; −1 if it has none. */
function nextArc(view: View, from: number, name: string): number {
  const count = view.ends.length;
  for (let step = 0; step < count; step += 1) {
    const arc = (from + step) % count;
    if (view.names[view.arcOwners[arc]!] === name) return arc;
  }
  return -1;
}

/** A place on the curve that begins and ends at the owners and comes by the key half way. */
function along({ from, by, to }: Flight, part: number): Point {
  const rest = 1 - part;
  const bend = (a: number, b: number, c: number): number => 2 * b - (a + c) / 2;
  const mix = (a: number, b: number, c: number): number => rest * rest * a + 2 * rest * part * bend(a, b, c) + part * part * c;
  return { x: mix(from.x, by.x, to.x), y: mix(from.y, by.y, to.y) };
}

const ease = (part: number): number => (part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2);

/** Calls `draw` each frame with the part done, until that is all or `draw` says no. */
function frames(duration: number, draw: (part: number, passed: number) => boolean): Promise<void> {
  return new Promise((done) => {
    const begun = performance.now();
    const frame = (now: number): void => {
      const passed = Math.max(0, now - begun);
      const more = draw(Math.min(1, passed / duration), passed);
      if (more && passed < duration) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);
  });
}

/** Black or white, whichever reads better on a colour. */
export function inkOn(colour: string): string {
  const value = Number.parseInt(colour.slice(1), 16);
  const linear = [value >> 16, (value >> 8) & 255, value & 255].map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

export const captionOf = (view: View): { figure: string; caption: string } =>
  view.change
    ? { figure: count(view.change.moved), caption: `of ${count(view.total)} ${view.unit}s moved` }
    : { figure: count(view.total), caption: `${view.total === 1 ? view.unit : `${view.unit}s`} on ${plural(view.nodes.length, 'node')}` };
