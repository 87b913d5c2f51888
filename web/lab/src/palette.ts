// Who has which colour, sign and pattern. Eight colours that stay apart for colour-blind eyes; the ninth
// node has the first colour again, striped, the seventeenth dotted. The sign, a letter, is always there.

import type { State } from './core.ts';
import { ownParts, shortNames } from './names.ts';

// Found by search: any two as far apart as can be for the eye that tells them apart worst, each with a contrast of 3 to
// the card or more, near the hues that they had. A test states the distance.
const LIGHT = ['#104895', '#cc8604', '#1ea791', '#b2426c', '#007aa7', '#922c03', '#8e6d00', '#473d4c'];
const DARK = ['#0dbfff', '#f79426', '#0a8f69', '#b773ba', '#a4e9ff', '#d55015', '#e1e258', '#abaea2'];
export const PATTERNS = 4;

/** How a node looks. */
export interface Look {
  /** One or two letters. */
  sign: string;
  /** Its name, or as much of a long one as tells it from the others. */
  short: string;
  /** The same after its sign, where the name does not show that. */
  label: string;
  /** 0 to 7. */
  colour: number;
  /** 0 plain, 1 striped, 2 dotted, 3 crossed. */
  pattern: number;
}

/** Of a node that no state names. */
export const UNKNOWN: Look = { sign: '?', short: '?', label: '?', colour: 7, pattern: 0 };

let dark = false;

/** Whether the page is dark, as of the last `publish`. */
export const isDark = (): boolean => dark;

export function colourOf(look: Look): string {
  return (dark ? DARK : LIGHT)[look.colour] ?? '#888888';
}

function letters(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : letters(Math.floor(at / 26) - 1) + letter;
}

let last: { names: string; looks: Map<string, Look> } | undefined;

/** The looks of all nodes that a state speaks of. A node keeps its colour when others come and go. */
export function looks(state: State): Map<string, Look> {
  const names = [...new Set([...state.history, state.fleet].flatMap((fleet) => fleet.nodes.map((node) => node.name)))];
  // A drag changes no name.
  const key = JSON.stringify(names);
  if (last?.names !== key) last = { names: key, looks: looksOf(names) };
  return last.looks;
}

function looksOf(names: string[]): Map<string, Look> {
  const found = new Map<string, Look>();
  const taken = new Set<number>();
  const letter = (name: string): number => (/^[A-Z]$/.test(name) ? name.charCodeAt(0) - 65 : -1);
  for (const name of names) if (letter(name) >= 0) taken.add(letter(name));
  const signs = ownSigns(names);
  const shorts = shortNames(names);
  let next = 0;
  names.forEach((name, place) => {
    let at = letter(name);
    if (at < 0) {
      while (taken.has(next)) next += 1;
      at = next;
      taken.add(at);
    }
    const own = signs?.[place];
    const short = shorts[place]!;
    const sign = own ?? (letter(name) >= 0 ? name : letters(at));
    found.set(name, { sign, short, label: own !== undefined || sign === name ? short : `${sign} ${short}`, colour: at % 8, pattern: Math.floor(at / 8) % PATTERNS });
  });
  return found;
}

/** Signs from the names themselves: whole, or the parts that differ, where all have one or two letters. */
function ownSigns(names: string[]): string[] | null {
  const fits = (signs: string[]): boolean => signs.every((sign) => /^[\p{L}\p{N}]{1,2}$/u.test(sign)) && new Set(signs).size === signs.length;
  if (fits(names)) return names;
  const parts = ownParts(names);
  return fits(parts) ? parts : null;
}

/** Patterns that each canvas has: fifty made anew take longer than a frame. */
const made = new WeakMap<CanvasRenderingContext2D, Map<string, CanvasPattern>>();

/** The fill of a node on a canvas: its colour, or a pattern of it. */
export function canvasFill(context: CanvasRenderingContext2D, look: Look, ground: string, scale: number): string | CanvasPattern {
  const colour = colourOf(look);
  if (look.pattern === 0) return colour;
  const size = Math.round(8 * scale);
  const patterns = made.get(context) ?? new Map<string, CanvasPattern>();
  made.set(context, patterns);
  const name = [colour, look.pattern, ground, size].join(' ');
  const known = patterns.get(name);
  if (known) return known;
  const tile = document.createElement('canvas');
  tile.width = tile.height = size;
  const pen = tile.getContext('2d');
  if (!pen) return colour;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = pen.fillStyle = ground;
  pen.lineWidth = size / 4;
  pen.beginPath();
  if (look.pattern === 1 || look.pattern === 3) {
    for (const shift of [-size, 0, size]) {
      pen.moveTo(shift - 1, size + 1);
      pen.lineTo(shift + size + 1, -1);
    }
  }
  if (look.pattern === 3) {
    pen.lineWidth = size / 6;
    for (const shift of [-size, 0, size]) {
      pen.moveTo(shift - 1, -1);
      pen.lineTo(shift + size + 1, size + 1);
    }
  }
  if (look.pattern === 2) {
    pen.arc(size / 2, size / 2, size / 4.5, 0, 7);
    pen.fill();
  } else pen.stroke();
  const pattern = context.createPattern(tile, 'repeat');
  if (pattern) patterns.set(name, pattern);
  return pattern ?? colour;
}

/** A mark in a look's colour and pattern, for lists and bars. */
export function paintOf(element: HTMLElement, look: Look): void {
  element.classList.add('paint', `c${look.colour}`, `p${look.pattern}`);
}

/** The palette as custom properties, so that the style sheet and the canvas agree. */
export function publish(): void {
  dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  const colours = dark ? DARK : LIGHT;
  colours.forEach((colour, at) => document.documentElement.style.setProperty(`--n${at}`, colour));
}
