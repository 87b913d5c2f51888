// What can be done to a state. Each function gives a new one; nothing here knows where a key belongs.

import type { Fleet, Keys, LabNode, SchemeName, State } from './core.ts';
import { shared } from './names.ts';

/** As many earlier fleets as the core takes. */
const REMEMBERED = 64;
/** The largest weight that the library has. */
export const HEAVIEST = 2 ** 32 - 1;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export type Settings = Pick<Fleet, 'scheme' | 'hash' | 'tokens' | 'epsilon' | 'slots' | 'table' | 'product'>;

const named = (name: string): LabNode => ({ name, weight: 1, zone: '', address: '' });

/** The state after a change of nodes: what was is remembered, and the change is measured from it. */
function after(state: State, nodes: LabNode[]): State {
  const history = [...state.history, state.fleet].slice(-REMEMBERED);
  const down = state.down.filter((name) => nodes.some((node) => node.name === name));
  return { ...state, fleet: { ...state.fleet, nodes }, history, down };
}

/** The name that the next node gets: a letter, or the last one's name with its number counted on. */
export function nextName(state: State): string {
  const names = state.fleet.nodes.map((node) => node.name);
  const taken = new Set(names);
  const last = names[names.length - 1] ?? '';
  const run = [...names].reverse().map((name) => numberOf(name, names)).find((found) => found !== null);
  const letters = /^[a-z]$/u.test(last) ? LETTERS.toLowerCase() : LETTERS;
  // Beside names that are no letters the letter is the sign that the node will have.
  const from = names.some((name) => /^[a-z]$/iu.test(name)) ? 0 : names.length;
  if (!run) for (const letter of letters.slice(from)) if (!taken.has(letter)) return letter;
  const [before, digits, after] = run ?? ['N', '0', ''];
  for (let number = Number(digits) + 1; ; number += 1) {
    const name = before + String(number).padStart(digits.length, '0') + after;
    if (!taken.has(name)) return name;
  }
}

/** The number that counts the nodes: where their names differ, else the last one, of which a port is none. */
function numberOf(name: string, names: string[]): [string, string, string] | null {
  const runs = [...name.matchAll(/\d{1,9}/gu)];
  const { start, end } = shared(names);
  const inside = (at: number, length: number): boolean => at < name.length - end && at + length > start;
  const run =
    runs.filter((found) => inside(found.index, found[0].length)).pop() ?? runs.filter((found) => name[found.index - 1] !== ':').pop();
  return run ? [name.slice(0, run.index), run[0], name.slice(run.index + run[0].length)] : null;
}

export const add = (state: State, name = nextName(state)): State => after(state, [...state.fleet.nodes, named(name)]);

/** Adds nodes of the next names at once, until there are `count`. */
export function grow(state: State, count: number): State {
  let grown = state;
  while (grown.fleet.nodes.length < count) grown = { ...add(grown), history: state.history };
  return after(state, grown.fleet.nodes);
}

export const remove = (state: State, name: string): State =>
  after(state, state.fleet.nodes.filter((node) => node.name !== name));

export const weigh = (state: State, name: string, weight: number): State =>
  after(state, state.fleet.nodes.map((node) => (node.name === name ? { ...node, weight } : node)));

/** Zones place no owner, so this is no change to measure. It holds for what came before as well. */
export function zone(state: State, name: string, zone: string): State {
  const set = (fleet: Fleet): Fleet => ({
    ...fleet,
    nodes: fleet.nodes.map((node) => (node.name === name ? { ...node, zone } : node)),
  });
  return { ...state, fleet: set(state.fleet), history: state.history.map(set) };
}

export function setDown(state: State, name: string, down: boolean): State {
  const others = state.down.filter((other) => other !== name);
  return { ...state, down: down ? [...others, name] : others };
}

/** Other settings, for the fleets before as well: the same change under other rules. */
export function configure(state: State, settings: Partial<Settings>): State {
  const set = (fleet: Fleet): Fleet => ({ ...fleet, ...settings });
  return { ...state, fleet: set(state.fleet), history: state.history.map(set) };
}

export const scheme = (state: State, scheme: SchemeName): State => configure(state, { scheme });

export const withKeys = (state: State, keys: Partial<Keys>): State => ({ ...state, keys: { ...state.keys, ...keys } });

/** The same fleet with nothing before it. */
export const settled = (state: State): State => ({ ...state, history: [] });

/** Nodes that have joined, with nothing before them. */
export const fleetOf = (state: State, names: string[]): State => ({
  ...state,
  fleet: { ...state.fleet, nodes: names.map(named) },
  history: [],
  down: [],
});

/** What stands for keys that a worker holds, in a state's list. No key of a text file can be this. */
const HELD = '\u0000held:';
export const held = (id: number): string[] => [`${HELD}${id}`];
/** Whether the keys are too many for the page's own memory. */
export const isHeld = (keys: Keys): boolean => keys.list.length === 1 && keys.list[0]!.startsWith(HELD);

/** The keys that a comparison places beside the page's own. */
export const MANY = 'key:0..99999';

/** The text and the numbers of `user:1..48`. */
export function rangeOf(pattern: string): { text: string; first: bigint; last: bigint } | null {
  const [, text = '', first, last] = /^(.*?)(\d+)\.\.(\d+)$/su.exec(pattern) ?? [];
  return first === undefined || last === undefined ? null : { text, first: BigInt(first), last: BigInt(last) };
}

/** The keys one by one, if there are few enough to name. Must give what the core places, in its order. */
export function keyNames(keys: Keys, most: number): string[] {
  if (isHeld(keys)) return [];
  const names: string[] = [];
  const range = rangeOf(keys.pattern);
  if (range) {
    const { text, first, last } = range;
    if (last - first >= BigInt(most)) return [];
    for (let number = first; number <= last; number += 1n) names.push(text + String(number));
  } else {
    if (keys.list.length > most) return [];
    names.push(...keys.list);
  }
  const times = keys.hot?.times ?? 0;
  if (names.length + times > most) return [];
  for (let time = 0; time < times; time += 1) names.push(keys.hot!.key);
  return names;
}
