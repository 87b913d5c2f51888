// Where things lie on the ring. Lengths are parts of the half width of its square.

export const BAND_OUT = 0.865;
export const BAND_IN = 0.735;
export const TICK_OUT = 0.895;
export const LABEL_AT = 0.95;
/** The lanes that keys lie in, outermost first. */
export const LANES = [0.67, 0.61, 0.55, 0.49];
const TAU = 2 * Math.PI;

/** The angle of a turn as a canvas counts: 0 at three o'clock. */
export const angle = (turn: number): number => turn * TAU - Math.PI / 2;

export interface Point {
  x: number;
  y: number;
}

/** A place on the ring, in a square from −1 to 1. */
export const at = (turn: number, radius: number): Point => ({
  x: Math.cos(angle(turn)) * radius,
  y: Math.sin(angle(turn)) * radius,
});

/**
 * A lane for each key, so that no two that touch share one. `apart` is the least distance, in turns, of
 * two keys in one lane. Where even the last lane is taken, keys overlap.
 */
export function lanes(turns: ArrayLike<number>, apart: number): Uint8Array {
  const order = Array.from(turns, (_, key) => key).sort((a, b) => (turns[a] ?? 0) - (turns[b] ?? 0) || a - b);
  const last = LANES.map(() => -1);
  const first = LANES.map(() => 2);
  const found = new Uint8Array(order.length);
  for (const key of order) {
    const turn = turns[key] ?? 0;
    let best = 0;
    let room = -1;
    for (let lane = 0; lane < LANES.length; lane += 1) {
      // A lane further in is shorter, so its keys need more of a turn.
      const need = (apart * LANES[0]!) / LANES[lane]!;
      const gap = Math.min(turn - last[lane]!, first[lane]! + 1 - turn);
      if (gap >= need) {
        best = lane;
        break;
      }
      if (gap > room) {
        room = gap;
        best = lane;
      }
    }
    found[key] = best;
    last[best] = turn;
    if (first[best] === 2) first[best] = turn;
  }
  return found;
}

/** A rectangle by its middle and half its sides. */
export interface Box extends Point {
  wide: number;
  high: number;
}

/** Whether a disc touches a rectangle. */
const touches = (disc: Point, radius: number, { x, y, wide, high }: Box): boolean =>
  Math.hypot(Math.max(0, Math.abs(disc.x - x) - wide), Math.max(0, Math.abs(disc.y - y) - high)) < radius;

/** A key without room may lie between lanes as well, in so many steps from one to the next. */
const STEPS = 4;

export interface Disc extends Point {
  /** Whether it touches no other one with room, and nothing that is in the way. */
  roomy: boolean;
}

/**
 * A place for each key's disc, at its turn. Those with a letter touch no other one: `radius` is theirs, with what stays
 * free around it, and `apart` the distance they keep in one lane where there is room for that. A key that has no room is
 * a dot of the radius `small` where it covers no letter. `taken` is what lies in the middle.
 */
export function discs(turns: ArrayLike<number>, radius: number, apart: number, small: number, taken: Box[]): Disc[] {
  const order = Array.from(turns, (_, key) => key).sort((a, b) => (turns[a] ?? 0) - (turns[b] ?? 0) || a - b);
  const [outer, inner] = [LANES[0]!, LANES[LANES.length - 1]!];
  const step = Math.max(outer - LANES[1]!, 2 * radius);
  // In a small ring fewer, further apart.
  const lanes = LANES.map((_, lane) => outer - lane * step).filter((lane) => lane > inner - radius);
  const placed: (Point & { lane: number })[] = [];
  const found: Disc[] = [];
  const fits = (place: Point, lane: number, inLane: number): boolean =>
    placed.every((other) => distance(place, other) >= (other.lane === lane ? inLane : 2 * radius)) && !taken.some((box) => touches(place, radius, box));
  const crowded: number[] = [];
  for (const key of order) {
    const turn = turns[key] ?? 0;
    const lane = [apart, 2 * radius].flatMap((inLane) => lanes.filter((lane) => fits(at(turn, lane), lane, inLane)))[0];
    if (lane === undefined) {
      crowded.push(key);
      continue;
    }
    const place = at(turn, lane);
    placed.push({ ...place, lane });
    found[key] = { ...place, roomy: true };
  }
  // Beside the band, or anywhere along its turn.
  const steps = STEPS * (LANES.length - 1);
  const ways = [BAND_IN - small, ...Array.from({ length: steps + 1 }, (_, part) => outer - (part * (outer - inner)) / steps)];
  const without: Point[] = [];
  const nearest = (place: Point, others: Point[]): number => Math.min(2, ...others.map((other) => distance(place, other)));
  for (const key of crowded) {
    const places = ways.map((way) => at(turns[key] ?? 0, way));
    // Off the letters before all; then off others of its kind.
    const room = places.map((place) => Math.min(nearest(place, placed), 0.85 * radius + small) * 100 + nearest(place, without));
    const place = places[room.indexOf(Math.max(...room))]!;
    without.push(place);
    found[key] = { ...place, roomy: false };
  }
  return found;
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/** Moves labels that stand closer than `apart` turns away from each other. Gives turns in the given order. */
export function spread(turns: number[], apart: number): number[] {
  const order = turns.map((_, at) => at).sort((a, b) => turns[a]! - turns[b]!);
  const placed = turns.slice();
  if (order.length < 2 || order.length * apart > 1) return placed;
  for (let round = 0; round < 200; round += 1) {
    let moved = false;
    for (let i = 0; i < order.length; i += 1) {
      const one = order[i]!;
      const next = order[(i + 1) % order.length]!;
      const wrap = i + 1 === order.length ? 1 : 0;
      const gap = placed[next]! + wrap - placed[one]!;
      if (gap < apart - 1e-6) {
        const push = (apart - gap) / 2;
        placed[one] = placed[one]! - push;
        placed[next] = placed[next]! + push;
        moved = true;
      }
    }
    if (!moved) break;
  }
  return placed;
}
