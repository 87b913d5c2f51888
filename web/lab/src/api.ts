// What the page asks and what comes back: the types of the crate clockwise-lab, by hand. A test of that
// crate holds the fields of this file to those that it sends and takes. The page computes no placement:
// every number and every sentence on it stands in an answer.

/** A name from About.schemes: "ring", "mod-n", "product" and those of the core's catalogue. */
export type SchemeName = string;

/** All that the page shows follows from this. Fields with a ? have the value of the first page if absent. */
export interface State {
  fleet: Fleet;
  /** The fleets before it, the oldest first; the change is measured from the last. At most 64. */
  history?: Fleet[];
  keys?: Keys;
  /** How many nodes hold each key, the owner included: 1 to 16. */
  replicas?: number;
  /** Whether replicas are spread over zones. */
  spread?: boolean;
  /** Names of nodes that are down. They still own their keys. */
  down?: string[];
}

export interface Fleet {
  scheme?: SchemeName;
  /** The hash of keys, tokens and scores: a name from About.hashes. */
  hash?: string;
  /** Tokens for each unit of weight: 1 to 1000. */
  tokens?: number;
  /** ε of bounded loads in decimal digits: "0.25". */
  epsilon?: string;
  /** Fixed slots: 16384 unless said. */
  slots?: number;
  /** Maglev's table, a prime: 65537 unless said. */
  table?: number;
  /** Of the scheme "product": its settings. Comes from an Import and is passed back as it is. */
  product?: string;
  /** In joining order. */
  nodes: Node[];
}

export interface Node {
  name: string;
  /** 1 unless said; 0 drains it. */
  weight?: number;
  /** Empty for none. */
  zone?: string;
  /** Empty for the name. */
  address?: string;
}

export interface Keys {
  /** "user:1..48"; empty where a list is given, and unless said. */
  pattern?: string;
  list?: string[];
  /** A key that is asked for `times` times more, after all others. */
  hot?: Hot | null;
}

export interface Hot {
  key: string;
  times: number;
}

export type Request =
  | { op: "about" }
  | { op: "figures"; state: State }
  /** `pattern` instead of the state's keys; only these `schemes`, or all. */
  | { op: "compare"; state: State; pattern?: string; schemes?: SchemeName[] }
  | { op: "key"; state: State; key: string }
  | {
      op: "cascade";
      state: State;
      /** The node that falls first. */
      first: string;
      /** 0 to 1. */
      hit_ratio: number;
      /** A second, spread evenly over the keys. */
      requests: number;
      /** Requests a second for each unit of weight. */
      node_capacity: number;
      database_capacity: number;
    }
  | { op: "clients"; state: State }
  /** A pasted configuration. `name` is for messages; `placement` for files that do not say it. */
  | { op: "import"; text: string; name?: string; pool?: string | null; placement?: string | null }
  /** A pasted file of keys. */
  | { op: "keys"; text: string; name?: string }
  | { op: "encode"; state: State }
  | { op: "decode"; text: string }
  | { op: "command"; state: State };

/** The answer to each `op`. */
export interface Answers {
  about: About;
  figures: Figures;
  compare: Comparison;
  key: KeyFigures;
  cascade: Cascade;
  clients: Clients;
  import: Import;
  keys: KeyFile;
  encode: Link;
  decode: State;
  command: Command;
}

/** `ok` or `error`. Array i of `arrays` is `out(i + 1)` of the blob; `out(0)` is this document. */
export interface Document<T> {
  ok?: T;
  error?: string;
  arrays?: NamedArray[];
}

export interface NamedArray {
  name: string;
  type: "u8" | "u16" | "f32";
}

export interface About {
  schemes: { name: SchemeName; title: string; about: string }[];
  /** What a fleet file may be said to be placed by, where it does not say it. */
  placements: string[];
  hashes: { name: string; bits: number }[];
  max_nodes: number;
  max_tokens: number;
  max_points: number;
  max_keys: number;
  max_replicas: number;
  /** Of more arcs than this the circle comes in bins. */
  max_arcs: number;
  /** How many bins. */
  bins: number;
  /** The first page. */
  start: State;
}

/**
 * Arrays of `figures`. A turn is 0 to 1, clockwise from the top. Owners are positions in `names`;
 * 65535 (NOBODY) is nobody.
 *
 * band "arcs": `ends` f32, the turn at which each arc ends, ascending, and `arc_owners` u16. The first
 *   arc begins where the last one ends. Each end is a token (band_of "tokens") or the end of a slot.
 * band "bins": `bins` f32, About.bins × names.length: the part of bin b that is owner o's at
 *   [b × names.length + o]. A bin's parts sum to 1.
 * keys, in the state's order: `turns` f32, `owners` u16, `was` u16 (NOBODY without a change),
 *   `answering` u16 (who answers while nodes are down), `flags` u8.
 */
export interface Figures {
  /** The nodes as they are, in joining order, then those that left with the change. */
  names: string[];
  nodes: NodeFigures[];
  total: number;
  /** What is counted: requests where a key is hot. */
  unit: "key" | "request";
  busiest_keys: number;
  busiest_space: number | null;
  points: number;
  band: "arcs" | "bins" | "none";
  band_of: "tokens" | "slots" | "";
  change: Change | null;
  sentence: string;
  /** Keys that are not where they would go first, because that is full. */
  displaced: number;
  unanswered: number;
}

export const MOVED = 1;
export const STRAY = 2;
export const DISPLACED = 4;
export const REROUTED = 8;
export const NOBODY = 65535;

export interface NodeFigures {
  name: string;
  weight: number;
  zone: string;
  down: boolean;
  /** Of the ring, or slots of the table. */
  tokens: number;
  keys: number;
  keys_before: number;
  answering: number;
  /** Of the whole key space, where that is known without keys. */
  share: number | null;
  /** Its weight ÷ all weights. */
  target: number;
  /** The most keys it may hold, under bounded loads. */
  limit: number | null;
}

export interface Change {
  moved: number;
  /** Moved for nothing ("wasted"). */
  stray: number;
  /** The least that had to move, in keys. */
  fair: number;
  flows: Flow[];
  /** The same of the whole key space. */
  space: { moved: number; stray: number; fair: number } | null;
}

export interface Flow {
  from: string;
  to: string;
  keys: number;
  stray: boolean;
}

export interface Comparison {
  total: number;
  /** "E joined". */
  change: string;
  /** The least that had to move, 0 to 1. */
  fair: number;
  rows: Row[];
}

export interface Row {
  scheme: SchemeName;
  title: string;
  moved: number;
  stray: number;
  /** "20.1%". */
  percent: string;
  busiest_before: number;
  busiest_now: number;
  /** Why it cannot be counted; empty where it was. */
  refused: string;
}

export interface KeyFigures {
  key: string;
  hash_name: string;
  /** Hexadecimal digits. */
  hash: string;
  turn: number;
  degrees: number;
  owner: string;
  was: string | null;
  answering: string | null;
  token: Token | null;
  slot: { number: number; of: number } | null;
  preference: string[];
  replicas: string[];
  /** Why no replicas can be named; empty where they are. */
  replicas_refused: string;
  /** Under rendezvous, the highest first. */
  scores: { node: string; text: string; hash: string }[];
  /** Under bounded loads: the nodes it asked, the last of which had room. */
  walk: { node: string; load: number; limit: number; full: boolean }[];
  /** Sentences. */
  why: string[];
}

export interface Token {
  /** "node-A#0"; empty on a product's ring. */
  text: string;
  node: string;
  hash: string;
  turn: number;
  degrees: number;
}

export interface Cascade {
  /** Step 0 is before the failure. */
  steps: Step[];
  sentence: string;
}

export interface Step {
  fell: string[];
  down: string[];
  loads: { node: string; requests: number; capacity: number; down: boolean; over: boolean }[];
  /** Keys with another node than in the step before: each misses once. */
  moved: number;
  hit_ratio: number;
  /** Requests a second that reach the database, and as a multiple of step 0. */
  database: number;
  database_factor: number | null;
  database_over: boolean;
  sentence: string;
}

export interface Clients {
  old_epoch: number;
  new_epoch: number;
  old_fingerprint: string;
  new_fingerprint: string;
  total: number;
  disagree: number;
  /** The first 500. */
  keys: { key: string; old: string; new: string }[];
  sentence: string;
}

export interface Import {
  /** "twemproxy". */
  kind: string;
  pools: string[];
  /** None while there are several pools and none was chosen. */
  pool: string | null;
  /** Goes into a State as it is. */
  fleet: Fleet | null;
  warnings: string[];
  sentence: string;
}

/** Beside it an array `list`, u8: the text of a JSON array of all keys, as Keys.list takes it. */
export interface KeyFile {
  /** "csv". */
  format: string;
  total: number;
  /** The first keys. */
  first: string[];
  sentence: string;
}

export interface Link {
  /** What follows the # of an address. */
  text: string;
}

export interface Command {
  /** Lines for a POSIX shell. */
  text: string;
}

/** The blob: `call` takes what `alloc` gave and was filled; 0 is ok, 1 an error. Views end with the next call. */
export interface Blob {
  memory: WebAssembly.Memory;
  alloc(length: number): number;
  call(pointer: number, length: number): number;
  /** pointer × 2^32 + length. */
  out(index: number): bigint;
}
