// How keys are placed: tokens, hash, keys, replicas, and what the scheme at hand has beside them.

import type { App, Part } from '../app.ts';
import { $, h, numberOf, say, type Range } from '../dom.ts';
import { count, digits, plural } from '../format.ts';
import { configure, MANY, rangeOf, withKeys } from '../model.ts';

/** A slider of even steps shows 1 to 1,000 by powers. */
const STEPS = 300;
const toTokens = (step: number): number => Math.round(1000 ** (step / STEPS));
const toStep = (tokens: number): number => Math.round((STEPS * Math.log(Math.max(1, tokens))) / Math.log(1000));

const PATTERNS = ['user:1..48', 'user:1..12', 'user:1..200', 'key:0..999', 'key:0..9999', MANY];

export function settings(app: App): Part {
  const place = $('settings');

  const tokensRange = h('input', { type: 'range', id: 'tokens', min: 0, max: STEPS, step: 1 });
  const tokensOf: Range = { min: 1, max: app.about.max_tokens, step: 1 };
  const tokensNumber = h('input', { type: 'number', id: 'tokens-number', ...tokensOf, 'aria-label': 'Tokens per node, as a number' });
  const setTokens = (tokens: number, drag?: string): void => {
    if (tokens !== app.state.fleet.tokens) app.change(configure(app.state, { tokens }), drag ? { drag } : {});
  };
  tokensRange.addEventListener('input', () => {
    // Small numbers are further apart than steps: each step goes to the next one at least.
    const [was, now] = [app.state.fleet.tokens, toTokens(Number(tokensRange.value))];
    const step = Number(tokensRange.value) - toStep(was);
    setTokens(now === was && Math.abs(step) === 1 ? Math.max(1, was + step) : now, 'tokens');
  });
  tokensRange.addEventListener('change', () => app.endDrag());
  tokensNumber.addEventListener('change', () => {
    setTokens(numberOf(tokensNumber, tokensOf) ?? app.state.fleet.tokens);
    // Also where nothing has changed, as by 0 of 1.
    tokensNumber.value = String(app.state.fleet.tokens);
  });
  const tokens = h('div', { class: 'field wide' }, h('label', { for: 'tokens' }, 'Tokens per node'), h('div', { class: 'pair' }, tokensRange, tokensNumber));

  const epsilonOf: Range = { min: 0, max: 1000, step: 'any' };
  const epsilonRange = h('input', { type: 'range', id: 'epsilon', min: 0, max: 100, step: 5 });
  const epsilonNumber = h('input', { type: 'number', ...epsilonOf, 'aria-label': 'Room above the mean, as a number of per cent' });
  const perCent = (): number => 100 * Number(app.state.fleet.epsilon);
  const setEpsilon = (percent: number, drag?: string): void => app.change(configure(app.state, { epsilon: digits(percent / 100) }), drag ? { drag } : {});
  epsilonRange.addEventListener('input', () => setEpsilon(Number(epsilonRange.value), 'epsilon'));
  epsilonRange.addEventListener('change', () => app.endDrag());
  epsilonNumber.addEventListener('change', () => {
    setEpsilon(numberOf(epsilonNumber, epsilonOf) ?? perCent());
  });
  const epsilon = h('div', { class: 'field' }, h('label', { for: 'epsilon' }, 'ε: room above the mean, %'), h('div', { class: 'pair' }, epsilonRange, epsilonNumber));

  const select = (id: string, options: [string, string][]): HTMLSelectElement =>
    h('select', { id }, ...options.map(([value, title]) => h('option', { value }, title)));
  const field = (id: string, title: string, control: HTMLElement): HTMLElement => h('div', { class: 'field' }, h('label', { for: id }, title), control);

  const numbers = (...values: number[]): [string, string][] => values.map((value) => [String(value), count(value)]);

  const slotsPick = select('slots', numbers(64, 256, 1024, 4096, 16384));
  slotsPick.addEventListener('change', () => app.change(configure(app.state, { slots: Number(slotsPick.value) })));
  const slots = field('slots', 'Slots', slotsPick);
  const tablePick = select('table', numbers(101, 251, 4093, 65537));
  tablePick.addEventListener('change', () => app.change(configure(app.state, { table: Number(tablePick.value) })));
  const table = field('table', 'Entries of the table, a prime', tablePick);

  const hashPick = select('hash', app.about.hashes.map(({ name, bits }) => [name, `${name} (${bits} bits)`]));
  hashPick.addEventListener('change', () => app.change(configure(app.state, { hash: hashPick.value })));
  const hash = field('hash', 'Hash', hashPick);

  const keysPick = select('keys', [...PATTERNS.map((pattern): [string, string] => [pattern, patternTitle(pattern)]), ['other', 'Another pattern'], ['list', 'The keys of your file']]);
  const keysText = h('input', { type: 'text', id: 'keys-text', 'aria-label': 'Pattern of keys', spellcheck: 'false', placeholder: 'user:1..48' });
  keysPick.addEventListener('change', () => {
    if (keysPick.value === 'other') {
      keysText.hidden = false;
      keysText.focus();
    } else if (keysPick.value !== 'list') app.change(withKeys(app.state, { pattern: keysPick.value, list: [] }));
  });
  keysText.addEventListener('change', () => {
    if (keysText.value.trim() !== '') app.change(withKeys(app.state, { pattern: keysText.value.trim(), list: [] }));
  });
  const keys = field('keys', 'Keys', keysPick);
  keys.append(keysText);

  const replicasPick = select('replicas', [['1', '1: the owner alone'], ...numbers(2, 3, 4, 5)]);
  replicasPick.addEventListener('change', () => app.change({ ...app.state, replicas: Number(replicasPick.value) }));
  const spread = h('input', { type: 'checkbox', id: 'spread', 'aria-label': 'Replicas each in another zone' });
  spread.addEventListener('change', () => app.change({ ...app.state, spread: spread.checked }));
  const replicas = field('replicas', 'Nodes that hold each key', replicasPick);
  const zones = h('div', { class: 'field' }, h('span', { class: 'label' }, 'Replicas'), h('label', { class: 'check' }, spread, 'each in another zone'));

  // What is dragged stands beside the ring; what is chosen once, below it.
  $('node-settings').append(tokens, epsilon);
  const rule = h('p', { class: 'rule', id: 'rule' });
  place.append(hash, slots, table, keys, replicas, zones, rule);
  return {
    state(): void {
      const { fleet, keys: asked, replicas: held, spread: apart } = app.state;
      const { scheme } = fleet;
      tokens.hidden = scheme !== 'ring' && scheme !== 'bounded';
      epsilon.hidden = scheme !== 'bounded';
      // With both sliders there, they share a row.
      tokens.classList.toggle('wide', epsilon.hidden);
      $('node-settings').hidden = tokens.hidden && epsilon.hidden;
      slots.hidden = scheme !== 'slots';
      table.hidden = scheme !== 'maglev';
      hash.hidden = scheme === 'product';
      if (toTokens(Number(tokensRange.value)) !== fleet.tokens) tokensRange.value = String(toStep(fleet.tokens));
      tokensRange.setAttribute('aria-valuetext', plural(fleet.tokens, 'token'));
      tokensNumber.value = String(fleet.tokens);
      epsilonRange.value = String(perCent());
      epsilonRange.setAttribute('aria-valuetext', `${digits(perCent())}%`);
      epsilonNumber.value = digits(perCent());
      say(rule, ruleOf(app));
      rule.hidden = rule.textContent === '';
      have(slotsPick, String(fleet.slots));
      have(tablePick, String(fleet.table));
      have(replicasPick, String(held));
      hashPick.value = fleet.hash;
      spread.checked = apart;
      const known = PATTERNS.includes(asked.pattern);
      keysPick.value = asked.pattern === '' ? 'list' : known ? asked.pattern : 'other';
      keysPick.options[PATTERNS.length + 1]!.hidden = asked.pattern !== '';
      keysText.hidden = known || asked.pattern === '';
      keysText.value = asked.pattern;
    },
  };
}

/** `48: user:1 to user:48`. */
function patternTitle(pattern: string): string {
  const { text, first, last } = rangeOf(pattern)!;
  return `${count(Number(last - first) + 1)}: ${text}${first} to ${text}${last}`;
}

/** What exactly is hashed, so that anyone can place a key by hand. */
function ruleOf(app: App): string {
  const { scheme, hash, nodes } = app.state.fleet;
  const first = app.look(nodes[0]?.name ?? 'A').short;
  const bits = app.about.hashes.find((known) => known.name === hash)?.bits ?? 32;
  const list = 'the nodes in joining order, each as often as its weight';
  const texts: Partial<Record<typeof scheme, string>> = {
    ring: `The first token of ${first} is the hash of “node-${first}#0”. A hash h lies at 360° · h ÷ 2^${bits}, clockwise from the top.`,
    'mod-n': `The remainder of a key’s hash by the length of a list is its place there, counted from 0. The list has ${list}.`,
    rendezvous: `The score of ${first} for user:1 is the hash of “user:1|${first}”.`,
    jump: `Jump starts from the hash of a key. Its buckets are ${list}.`,
    maglev: 'The hash of a key modulo the entries is its entry. Which node has it is in a table that names and weights decide.',
    slots: 'The hash of a key modulo the slots is its slot. Which node has it is in a map that each change alters where it must.',
    'multi-probe': 'All that the scheme knows of a key is its hash. Each node has one point on the circle, by its name.',
    product: 'The file decides, here as in its product: keys are hashed by that, and the settings of the lab’s own schemes do not count.',
  };
  return texts[scheme === 'bounded' ? 'ring' : scheme] ?? 'All that the scheme knows of a key is its hash. Nodes are numbered as they join, and the scheme names a number.';
}

/** Chooses a value, as one more option where it is none yet. */
function have(pick: HTMLSelectElement, value: string): void {
  if (![...pick.options].some((option) => option.value === value)) pick.append(h('option', { value }, count(Number(value))));
  pick.value = value;
}
