// The band of the ring on a canvas: arcs while there are few, else bins in which each owner has as much of
// the depth as it owns there, so that no bin says more than is true.

import { BAND_IN, BAND_OUT, TICK_OUT, angle } from './geometry.ts';
import { canvasFill, colourOf, isDark, type Look } from './palette.ts';
import { MOVED, type View } from './core.ts';

const TAU = 2 * Math.PI;
/** How finely the depth of a bin is told. */
const LEVELS = 32;
/** Up to so many tokens each has a tick. */
const TICKS = 400;
/** Past so many, keys are told as counts. */
export const DOTS = 1_000;
const COUNTS = 240;

export interface Theme {
  ink: string;
  muted: string;
  ground: string;
  line: string;
}

let known: { dark: boolean; theme: Theme } | undefined;

/** The page's colours, which change with its darkness alone. */
export function theme(): Theme {
  if (known?.dark !== isDark()) known = { dark: isDark(), theme: readTheme() };
  return known!.theme;
}

function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return { ink: of('--ink'), muted: of('--muted'), ground: of('--card'), line: of('--line') };
}

/** For each pixel of the band, which bin and level it shows, and the image that they make. */
interface Pixels {
  size: number;
  index: Uint32Array;
  cell: Uint32Array;
  alpha: Uint32Array;
  bins: number;
  image: ImageData;
  data: Uint32Array;
}
/** Of the sizes drawn last: the ring's and, side by side, those of two hashes. */
const pixels: Pixels[] = [];

function pixelsFor(size: number, bins: number): Pixels {
  const known = pixels.find((each) => each.size === size && each.bins === bins);
  if (known) return known;
  const half = size / 2;
  const [inner, outer] = [BAND_IN * half, BAND_OUT * half];
  const [least, most] = [(inner - 0.5) ** 2, (outer + 0.5) ** 2];
  // As many as the area has, and some for those that its two edges cut.
  const room = Math.ceil(Math.PI * (most - least)) + 16 * size;
  const [index, cell, alpha] = [new Uint32Array(room), new Uint32Array(room), new Uint32Array(room)];
  let found = 0;
  for (let y = 0; y < size; y += 1) {
    const dy = y + 0.5 - half;
    for (let x = 0; x < size; x += 1) {
      const dx = x + 0.5 - half;
      const square = dx * dx + dy * dy;
      if (square < least || square > most) continue;
      const radius = Math.sqrt(square);
      const turn = (Math.atan2(dx, -dy) / TAU + 1) % 1;
      const bin = Math.min(bins - 1, Math.floor(turn * bins));
      const depth = (radius - inner) / (outer - inner);
      const level = Math.max(0, Math.min(LEVELS - 1, Math.floor(depth * LEVELS)));
      index[found] = y * size + x;
      cell[found] = bin * LEVELS + level;
      alpha[found] = (Math.round(255 * Math.max(0, Math.min(1, radius - inner + 0.5, outer - radius + 0.5))) << 24) >>> 0;
      found += 1;
    }
  }
  const image = new ImageData(size, size);
  const data = new Uint32Array(image.data.buffer);
  const made = { size, bins, index: index.slice(0, found), cell: cell.slice(0, found), alpha: alpha.slice(0, found), image, data };
  pixels.unshift(made);
  pixels.length = Math.min(pixels.length, 3);
  return made;
}

/** As many bins as the core gives. */
const BINS = 2_048;
let prepared = 0;

/** Makes ready what a band of bins takes once for each size: in a drag it would be the longest of all frames. */
export function prepare(size: number): void {
  if (size === 0 || size === prepared) return;
  prepared = size;
  const idle = window.requestIdleCallback ?? ((work: () => void) => window.setTimeout(work, 200));
  idle(() => {
    if (size === prepared) pixelsFor(size, BINS);
  });
}

function rgb(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export interface Drawing {
  view: View;
  looks: Look[];
  /** Positions in `view.names` to show alone, the others faded. */
  only: Set<number> | null;
}

function drawBins(pen: CanvasRenderingContext2D, size: number, drawing: Drawing): void {
  const { view, looks, only } = drawing;
  const names = view.names.length;
  const bins = view.bins.length / names;
  const where = pixelsFor(size, bins);
  // A colour in one number, blue highest, as the memory of an image has it.
  const number = ([r, g, b]: [number, number, number]): number => r | (g << 8) | (b << 16);
  const ground = number(rgb(theme().line));
  const inks = Uint32Array.from(view.names, (_, owner) => {
    const look = looks[owner];
    return look && (!only || only.has(owner)) ? number(rgb(colourOf(look))) : ground;
  });
  const cells = new Uint32Array(bins * LEVELS);
  for (let bin = 0; bin < bins; bin += 1) {
    let level = bin * LEVELS;
    const last = level + LEVELS;
    let end = 0;
    // An owner has the levels whose middles lie in its part.
    for (let owner = 0; owner < names && level < last; owner += 1) {
      end += view.bins[bin * names + owner]!;
      const to = owner + 1 < names ? Math.min(last, bin * LEVELS + Math.floor(end * LEVELS + 0.5)) : last;
      if (to > level) {
        cells.fill(inks[owner]!, level, to);
        level = to;
      }
    }
  }
  const { index, cell, alpha, data } = where;
  for (let i = 0; i < index.length; i += 1) data[index[i]!] = cells[cell[i]!]! | alpha[i]!;
  // What lies outside the band is clear in the image as well.
  pen.putImageData(where.image, 0, 0);
}

function sector(pen: CanvasRenderingContext2D, half: number, from: number, to: number, inner: number, outer: number): void {
  pen.beginPath();
  pen.arc(half, half, outer * half, angle(from), angle(to));
  pen.arc(half, half, inner * half, angle(to), angle(from), true);
  pen.closePath();
  pen.fill();
}

function drawArcs(pen: CanvasRenderingContext2D, size: number, scale: number, drawing: Drawing): void {
  const { view, looks, only } = drawing;
  const colours = theme();
  const half = size / 2;
  const fills = looks.map((look) => canvasFill(pen, look, colours.ground, scale));
  const { ends, arcOwners } = view;
  const fade = (owner: number): number => (only && !only.has(owner) ? 0.16 : 1);
  for (let arc = 0; arc < ends.length; arc += 1) {
    const owner = arcOwners[arc]!;
    pen.fillStyle = fills[owner] ?? colours.line;
    pen.globalAlpha = fade(owner);
    // The first arc begins at the last token, before the top.
    const from = arc === 0 ? ends[ends.length - 1]! - 1 : ends[arc - 1]!;
    if (ends.length === 1) sector(pen, half, 0, 1, BAND_IN, BAND_OUT);
    else sector(pen, half, from, ends[arc]!, BAND_IN, BAND_OUT);
  }
  pen.globalAlpha = 1;
  if (view.band_of !== 'tokens' || ends.length > TICKS) return;
  // A gap where one arc ends, and the token's tick.
  const few = ends.length <= 48;
  for (let arc = 0; arc < ends.length; arc += 1) {
    const direction = angle(ends[arc]!);
    const [x, y] = [Math.cos(direction) * half, Math.sin(direction) * half];
    const line = (inner: number, outer: number, width: number, colour: string): void => {
      pen.strokeStyle = colour;
      pen.lineWidth = width * scale;
      pen.beginPath();
      pen.moveTo(half + x * inner, half + y * inner);
      pen.lineTo(half + x * outer, half + y * outer);
      pen.stroke();
    };
    pen.globalAlpha = fade(arcOwners[arc]!);
    if (few) line(BAND_IN - 0.01, BAND_OUT + 0.01, 5, colours.ground);
    line(few ? BAND_IN - 0.01 : BAND_OUT, TICK_OUT, few ? 2 : 1, colours.ink);
  }
  pen.globalAlpha = 1;
}

/** A scheme without a circle: each key stands in the band for itself. */
function drawMarks(pen: CanvasRenderingContext2D, size: number, scale: number, drawing: Drawing): void {
  const { view, looks, only } = drawing;
  const colours = theme();
  const half = size / 2;
  pen.fillStyle = colours.line;
  pen.globalAlpha = 0.55;
  sector(pen, half, 0, 1, BAND_IN, BAND_OUT);
  pen.globalAlpha = 1;
  if (view.turns.length > DOTS) return;
  const width = view.turns.length > 200 ? 1.5 : 4;
  for (let key = 0; key < view.turns.length; key += 1) {
    const owner = view.owners[key]!;
    const look = looks[owner];
    if (!look) continue;
    const direction = angle(view.turns[key]!);
    const [x, y] = [Math.cos(direction) * half, Math.sin(direction) * half];
    pen.globalAlpha = only && !only.has(owner) ? 0.16 : 1;
    pen.strokeStyle = colourOf(look);
    pen.lineWidth = width * scale;
    pen.beginPath();
    pen.moveTo(half + x * BAND_IN, half + y * BAND_IN);
    pen.lineTo(half + x * BAND_OUT, half + y * BAND_OUT);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** Many keys as counts: a bar inward for each small part of the circle, by owner; what moved in ink below. */
function drawCounts(pen: CanvasRenderingContext2D, size: number, drawing: Drawing): void {
  const { view, looks, only } = drawing;
  const names = looks.length;
  const counts = new Uint32Array(COUNTS * names);
  const moved = new Uint32Array(COUNTS);
  const totals = new Uint32Array(COUNTS);
  for (let key = 0; key < view.turns.length; key += 1) {
    const bin = Math.min(COUNTS - 1, Math.floor(view.turns[key]! * COUNTS));
    counts[bin * names + view.owners[key]!]! += 1;
    totals[bin]! += 1;
    if (view.flags[key]! & MOVED) moved[bin]! += 1;
  }
  const most = totals.reduce((a, b) => Math.max(a, b), 1);
  const half = size / 2;
  const ink = theme().ink;
  const outer = BAND_IN - 0.03;
  const depth = 0.2;
  for (let bin = 0; bin < COUNTS; bin += 1) {
    const [from, to] = [(bin + 0.08) / COUNTS, (bin + 0.92) / COUNTS];
    let radius = outer;
    for (let owner = 0; owner < names; owner += 1) {
      const share = counts[bin * names + owner]!;
      if (share === 0) continue;
      const next = radius - (share / most) * depth;
      pen.globalAlpha = only && !only.has(owner) ? 0.16 : 1;
      pen.fillStyle = colourOf(looks[owner]!);
      sector(pen, half, from, to, next, radius);
      radius = next;
    }
    pen.globalAlpha = 1;
    if (moved[bin]! > 0) {
      pen.fillStyle = ink;
      sector(pen, half, from, to, radius - 0.008 - (moved[bin]! / most) * depth * 0.5, radius - 0.008);
    }
  }
}

/** Draws the band, and counts of keys where there are many. The canvas is `size` pixels square. */
export function drawBand(pen: CanvasRenderingContext2D, size: number, scale: number, drawing: Drawing): void {
  const { band } = drawing.view;
  // Bins are an image of the whole canvas.
  if (band === 'bins') drawBins(pen, size, drawing);
  else {
    pen.clearRect(0, 0, size, size);
    if (band === 'arcs') drawArcs(pen, size, scale, drawing);
    else drawMarks(pen, size, scale, drawing);
  }
  if (drawing.view.turns.length > DOTS) drawCounts(pen, size, drawing);
}
