// The ring as a file: the drawing's SVG with the band inside it, and the styles that it has on the page.

import type { App } from './app.ts';
import { drawBand, theme } from './band.ts';
import { s } from './dom.ts';
import { BAND_IN, BAND_OUT, TICK_OUT, at } from './geometry.ts';
import { colourOf, type Look } from './palette.ts';

const U = 500;
/** Of more arcs, the band comes as an image inside the picture. */
const ARCS = 2_000;
const KEPT = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'font-weight', 'font-size', 'opacity', 'text-anchor', 'dominant-baseline', 'letter-spacing'];

/** Copies what the style sheet gives to each element into the element. */
function inline(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  if (['text', 'circle', 'line', 'path'].includes(from.tagName)) {
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value && value !== 'none' && value !== 'normal' && value !== 'auto') to.setAttribute(name, value.replace(/px$/u, ''));
      else if (name === 'fill') to.setAttribute(name, value || 'none');
    }
  }
  for (const name of ['role', 'tabindex', 'class', 'data-at', 'aria-hidden']) to.removeAttribute(name);
  [...from.children].forEach((child, place) => inline(child, to.children[place]!));
}

function sector(from: number, to: number, fill: string): SVGPathElement {
  const large = to - from > 0.5 ? 1 : 0;
  const [a, b, c, d] = [at(from, BAND_OUT * U), at(to, BAND_OUT * U), at(to, BAND_IN * U), at(from, BAND_IN * U)];
  const point = ({ x, y }: { x: number; y: number }): string => `${x.toFixed(2)} ${y.toFixed(2)}`;
  return s('path', {
    d: `M${point(a)}A${BAND_OUT * U} ${BAND_OUT * U} 0 ${large} 1 ${point(b)}L${point(c)}A${BAND_IN * U} ${BAND_IN * U} 0 ${large} 0 ${point(d)}Z`,
    fill,
  });
}

/** The fill of a node in the picture: its colour, or a pattern of it, which is put among the definitions. */
function fillOf(look: Look, ground: string, definitions: SVGDefsElement): string {
  const colour = colourOf(look);
  if (look.pattern === 0) return colour;
  const id = `fill-${look.colour}-${look.pattern}`;
  if (!definitions.querySelector(`#${id}`)) {
    const line = (d: string): SVGPathElement => s('path', { d, stroke: ground, 'stroke-width': look.pattern === 1 ? 2.5 : 1.7 });
    const rising = line('M-1 11L11 -1M-1 1L1 -1M9 11L11 9');
    const falling = line('M-1 -1L11 11M9 -1L11 1M-1 9L1 11');
    const marks = look.pattern === 2 ? [s('circle', { cx: 5, cy: 5, r: 2.2, fill: ground })] : look.pattern === 1 ? [rising] : [rising, falling];
    definitions.append(s('pattern', { id, width: 10, height: 10, patternUnits: 'userSpaceOnUse' }, s('rect', { width: 10, height: 10, fill: colour }), ...marks));
  }
  return `url(#${id})`;
}

/** The ring as text of an SVG file. */
export function asSvg(app: App): string {
  const view = app.view!;
  const { svg } = app.ring.picture();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  inline(svg, copy);
  for (const halo of copy.querySelectorAll('[fill="none"]:not([stroke])')) halo.remove();
  const colours = theme();
  const definitions = s('defs');
  const band = s('g');
  const few = view.band === 'arcs' && view.ends.length > 1 && view.ends.length <= ARCS && view.turns.length <= 1_000;
  if (few) {
    view.ends.forEach((end, arc) => {
      const from = arc === 0 ? view.ends[view.ends.length - 1]! - 1 : view.ends[arc - 1]!;
      band.append(sector(from, end, fillOf(app.look(view.names[view.arcOwners[arc]!]!), colours.ground, definitions)));
    });
    if (view.band_of === 'tokens' && view.ends.length <= 400) {
      for (const end of view.ends) {
        const [a, b] = [at(end, (BAND_IN - 0.01) * U), at(end, TICK_OUT * U)];
        band.append(s('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y, stroke: colours.ink, 'stroke-width': view.ends.length > 48 ? 1 : 2.5 }));
      }
    }
  } else {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 2 * U * 2;
    const drawing = app.ring.drawing();
    const pen = canvas.getContext('2d');
    if (drawing && pen) drawBand(pen, canvas.width, 3, { ...drawing, only: null });
    band.append(s('image', { x: -U, y: -U, width: 2 * U, height: 2 * U, href: canvas.toDataURL('image/png') }));
  }
  if (definitions.hasChildNodes()) band.prepend(definitions);
  const title = s('title', {}, view.sentence);
  copy.prepend(title, s('rect', { x: -U, y: -U, width: 2 * U, height: 2 * U, fill: colours.ground }), band);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', '800');
  copy.setAttribute('height', '800');
  copy.setAttribute('font-family', 'system-ui, sans-serif');
  copy.setAttribute('role', 'img');
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

/** The same as PNG. */
export async function asPng(app: App, size = 1_600): Promise<Blob> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([asSvg(app)], { type: 'image/svg+xml' }));
  try {
    await new Promise((done, failed) => {
      image.onload = done;
      image.onerror = () => failed(new Error('the picture cannot be drawn'));
      image.src = url;
    });
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = size;
    canvas.getContext('2d')?.drawImage(image, 0, 0, size, size);
    return await new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('no picture'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
