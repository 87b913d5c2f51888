// The guided steps: what is set up, what is asked, what is done, and what it shows. Right answers are read
// from the core's figures; the wrong ones are what people often guess.

import type { App } from './app.ts';
import type { State, View } from './core.ts';
import { count, percent, plural, ratio } from './format.ts';
import { add, configure, fleetOf, grow, remove, settled, withKeys } from './model.ts';

export interface Step {
  title: string;
  /** What is there before. */
  text: string;
  question: string;
  choices: string[];
  /** The state before the answer. */
  prepare(start: State): State;
  /** What happens. */
  act(state: State): State;
  /** Which choice was right, from the figures after it. */
  right(view: View, app: App): string | Promise<string>;
  /** What it shows. */
  lesson(view: View, app: App): string | Promise<string>;
  /** The panel below that belongs to it. */
  panel?: string;
  /** The key to look at. */
  key?: string;
}

const EIGHT = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
const HOT = { key: 'user:42', times: 24 };
/** What the database panel says at first, and what the step about failures uses. */
export const RATES = { hit_ratio: 0.95, requests: 4_800, node_capacity: 1_200, database_capacity: 1_000 };

const node = (view: View, name: string) => view.nodes.find((known) => known.name === name);
/** To which nodes keys went, and how many: "7 to D, 3 to A and 2 to C". */
function went(view: View): string {
  const parts = (view.change?.flows ?? []).map((flow) => `${count(flow.keys)} to ${flow.to}`);
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;
}
const ways = (view: View): number => new Set(view.change?.flows.map((flow) => flow.to)).size;
const ONE = 'All to one node';
const SPREAD = 'Spread over the others';

export const STEPS: Step[] = [
  {
    title: 'A node joins',
    text: '48 keys lie on a circle, each at its hash. A key belongs to the first token clockwise from it; each of the four nodes has one token. Now a fifth node, E, joins.',
    question: 'How many of the 48 keys move?',
    choices: ['0', '7', '24', '44'],
    prepare: (start) => start,
    act: (state) => add(state, 'E'),
    right: (view) => String(view.change?.moved),
    lesson: (view) =>
      `${count(view.change?.moved ?? 0)} keys. Only those on the arc that ends at E’s token change owner, all of them from the one node that had it. The others have not noticed.`,
    key: 'user:42',
  },
  {
    title: 'The same by hash mod N',
    text: 'The oldest rule: number the nodes, and take the remainder of the hash divided by how many there are. Four nodes again, and E joins.',
    question: 'How many keys move now?',
    choices: ['7', '10', '24', '44'],
    prepare: (start) => configure(start, { scheme: 'mod-n' }),
    act: (state) => add(state, 'E'),
    right: (view) => String(view.change?.moved),
    lesson: (view) =>
      `${count(view.change?.moved ?? 0)} of ${count(view.total)}. Another divisor gives other remainders, so nearly all is dealt anew, and ${count(view.change?.stray ?? 0)} keys went between two nodes that were there all along, for nothing.`,
  },
  {
    title: 'Grow to eight',
    text: 'Back to the ring, with A to E. Three more nodes join: F, G and H, one token each. A fair share of the 48 keys would be 6.',
    question: 'How many keys does H get?',
    choices: ['0', '2', '6', '12'],
    prepare: (start) => fleetOf(start, EIGHT.slice(0, 5)),
    act: (state) => grow(state, 8),
    right: (view) => String(node(view, 'H')?.keys),
    lesson: (view) =>
      `None fell to it. With one token each, shares are a matter of luck: B owns ${percent(node(view, 'B')?.share ?? 0)} of the circle and H ${percent(node(view, 'H')?.share ?? 0)}. The busiest has ${ratio(view.busiest_space ?? 0)} times the mean. Drag “Tokens per node” up and watch the bars come together.`,
  },
  {
    title: 'A node leaves',
    text: 'Eight nodes with one token each. D has the most keys, 20, and now it leaves.',
    question: 'Where do its keys go?',
    choices: [ONE, SPREAD, 'Every key of every node moves'],
    prepare: (start) => fleetOf(start, EIGHT),
    act: (state) => remove(state, 'D'),
    right: (view) => (ways(view) === 1 ? ONE : SPREAD),
    lesson: (view) =>
      `To ${view.change?.flows[0]?.to}, whose token comes next: it had ${plural(node(view, 'A')?.keys_before ?? 0, 'key')} and has ${count(node(view, 'A')?.keys ?? 0)} now. Nothing else moved, but one node bears the whole loss.`,
  },
  {
    title: 'It leaves, with 200 tokens each',
    text: 'The same eight nodes, each with 200 tokens strewn over the circle. D leaves again.',
    question: 'Where do its keys go this time?',
    choices: [ONE, SPREAD, 'Every key of every node moves'],
    prepare: (start) => configure(fleetOf(start, EIGHT), { tokens: 200 }),
    act: (state) => remove(state, 'D'),
    right: (view) => (ways(view) === 1 ? ONE : SPREAD),
    lesson: async (view, app) => {
      const compared = await app.engine.compare(app.state, '', 'guide');
      const modulo = compared.rows.find((row) => row.scheme === 'mod-n');
      return `D had ${plural(view.change?.moved ?? 0, 'key')}: ${went(view)}. Each of its 200 arcs is followed by someone else’s, so the loss is shared. By hash mod N the same departure moves ${count(modulo?.moved ?? 0)}.`;
    },
  },
  {
    title: 'Rendezvous: no circle at all',
    text: 'Each key asks every node for a score, a hash of both names, and the highest wins. Four nodes; B, which has 12 keys, leaves.',
    question: 'Where do they go?',
    choices: [ONE, SPREAD, 'Every key of every node moves'],
    prepare: (start) => configure(start, { scheme: 'rendezvous' }),
    act: (state) => remove(state, 'B'),
    right: (view) => (ways(view) === 1 ? ONE : SPREAD),
    lesson: (view) =>
      `${went(view)}. Each key goes to the node with its own second-best score, so the loss is shared without any tokens. The price: every lookup asks all nodes.`,
  },
  {
    title: 'A hot key under bounded loads',
    text: 'Bounded loads is the ring with a cap: no node may hold more than the mean and a quarter. Now user:42 is asked for 24 times more.',
    question: 'What does its node do?',
    choices: ['It takes all of them', 'It fills up, and the rest walk on', 'It refuses the rest'],
    prepare: (start) => configure(start, { scheme: 'bounded' }),
    act: (state) => withKeys(state, { hot: HOT }),
    right: (view) => (view.displaced > 0 ? 'It fills up, and the rest walk on' : 'It takes all of them'),
    lesson: (view) =>
      `It holds at most ${count(node(view, 'C')?.limit ?? 0)}; ${count(view.displaced)} of ${count(view.total)} requests walk past a full node to the next with room. Choose “See it walk” at “Look at a key”. A smaller ε evens loads more and sends more away.`,
    panel: 'hot',
    key: 'user:42',
  },
  {
    title: 'A failure that spreads',
    text: `Eight caches, one token each, before a database. Together they get ${count(RATES.requests)} requests a second; each takes ${count(RATES.node_capacity)}, twice the mean. D gets more than that, and falls.`,
    question: 'How many of the eight are left in the end?',
    choices: ['7', '6', '4', '0'],
    prepare: (start) => fleetOf(start, EIGHT),
    act: settled,
    right: async (_, app) => {
      const { steps } = await app.engine.cascade({ state: app.state, first: 'D', ...RATES }, 'guide');
      return String(app.state.fleet.nodes.length - (steps[steps.length - 1]?.down.length ?? 0));
    },
    lesson: async (_, app) => {
      const { sentence } = await app.engine.cascade({ state: app.state, first: 'D', ...RATES }, 'guide');
      return `${app.told(sentence)} Each loss falls on one neighbour, which then has too much and falls as well. Go through it below step by step, then try 100 tokens per node.`;
    },
    panel: 'cascade',
  },
  {
    title: 'Two clients, two epochs',
    text: 'E has joined. One client has heard of it, another still has the list of yesterday. Both write and read the same 48 keys.',
    question: 'On how many keys do they disagree?',
    choices: ['0', '7', '24', '48'],
    prepare: (start) => start,
    act: (state) => add(state, 'E'),
    right: async (_, app) => String((await app.engine.clients(app.state, 'guide')).disagree),
    lesson: async (_, app) => {
      const found = await app.engine.clients(app.state, 'guide');
      return `${count(found.disagree)}: exactly those that moved. What one writes there the other does not find. Fingerprints of the two lists differ, which is how clients can notice. By hash mod N it would be nearly all keys.`;
    },
    panel: 'clients',
  },
  {
    title: 'The hash matters',
    text: 'Five nodes with 40 tokens each, by FNV-1a alone, without the mixing at its end. Texts such as node-A#1 and node-A#2 differ in their last letter only. Then MurmurHash3 instead.',
    question: 'What does plain FNV-1a do with such tokens?',
    choices: ['Strews them evenly', 'Puts them in clumps'],
    prepare: (start) => configure(fleetOf(start, EIGHT.slice(0, 5)), { hash: 'fnv1a-32', tokens: 40 }),
    act: (state) => configure(state, { hash: 'murmur3-x86-32' }),
    right: async (view, app) => {
      const before = await app.engine.figures(configure(app.state, { hash: 'fnv1a-32' }), 'guide');
      return (before.busiest_space ?? 0) > (view.busiest_space ?? 0) ? 'Puts them in clumps' : 'Strews them evenly';
    },
    lesson: async (view, app) => {
      const before = await app.engine.figures(configure(app.state, { hash: 'fnv1a-32' }), 'guide');
      return `The last letters hardly reach the high bits, which say where on the circle a token lies. Busiest ÷ mean is ${ratio(before.busiest_space ?? 0)} by FNV-1a and ${ratio(view.busiest_space ?? 0)} by MurmurHash3, with as many tokens. Both stand side by side below.`;
    },
    panel: 'hashes',
  },
];
