// Asks the core, in workers, so that no count of keys holds up a drag. On each channel the latest request
// wins: one is under way, one waits, and what came between is never asked.

import type { About, Cascade, Clients, Comparison, Figures, Import, KeyFigures, KeyFile, State, View } from './core.ts';
import { Desk, type Delivery, type Hold, type Order } from './worker.ts';

/** Why the core has no answer. */
export class Refused extends Error {}
/** A newer request took the place of this one. */
export class Superseded extends Error {}

type Answer = { ok: unknown; arrays: Delivery['arrays'] };

interface Waiting {
  request: string;
  file?: ArrayBuffer | undefined;
  done(answer: Answer): void;
  failed(error: Error): void;
}

interface Channel {
  busy: boolean;
  run: Run;
  next: Waiting | null;
}

/** Who answers: a worker, or the page itself. */
interface Run {
  (request: string, channel: string, file?: ArrayBuffer): Promise<Delivery>;
  hold(keys: Hold): void;
  /** Gives up the request under way, if it is of this channel and has taken long: nobody waits for it any more. */
  overtake(channel: string): void;
}

/**
 * What the page waits for: the core; something that takes its time and is no computing, as a clipboard or a key that
 * flies; what is slow, and made for who looks at it.
 */
export type Wait = 'core' | 'else' | 'slow';

/** How the page stands: nothing is awaited but what is slow; nothing at all; the core is asked. */
export interface Standing {
  ready: boolean;
  settled: boolean;
  computing: boolean;
}

/** After so long a request that was overtaken is given up, which costs a new worker. */
const LONG_MS = 1_000;

/** The core, beside the page or, for a page opened as a file, inside it: compiled once for all who run it. */
async function compiled(): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === 'undefined') throw new Error('this browser has no WebAssembly, or it is switched off');
  const inside = document.getElementById('lab-wasm')?.textContent;
  if (inside) return WebAssembly.compile(Uint8Array.from(atob(inside.trim()), (letter) => letter.charCodeAt(0)));
  const answer = await fetch('lab.wasm').catch((error: unknown) => {
    throw new Error(`lab.wasm does not come (${String(error)}); is the server still there?`);
  });
  if (!answer.ok) throw new Error(`lab.wasm: ${answer.status}`);
  // Some file servers do not know its type.
  return answer.headers.get('content-type') === 'application/wasm' ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

/** A worker; one that never begins, as where none is allowed, leaves its work to the page. */
function start(script: string, core: WebAssembly.Module): Run {
  interface Open {
    order: Order;
    channel: string;
    done(answer: Delivery): void;
    failed(error: Error): void;
  }
  // In the order in which the worker takes them; the first is under way.
  const open = new Map<number, Open>();
  const kept: Hold[] = [];
  let last = 0;
  let since = 0;
  let worker: Worker;
  let begun = false;
  let instead: Run | undefined;
  function begin(): void {
    worker = new Worker(script);
    worker.onmessage = (event: MessageEvent<Delivery>) => {
      const { id } = event.data;
      begun = true;
      since = performance.now();
      if (id === 0) fail(event.data.json);
      open.get(id)?.done(event.data);
      open.delete(id);
    };
    worker.onerror = (event) => {
      if (begun) fail(event.message || 'a worker stopped');
      else giveUp();
    };
    worker.postMessage(core);
    for (const keys of kept) worker.postMessage(keys);
  }
  function fail(text: string): void {
    for (const waiting of open.values()) waiting.failed(new Error(text));
    open.clear();
  }
  function giveUp(): void {
    const desk = here(core);
    instead = desk;
    for (const keys of kept) desk.hold(keys);
    for (const { order, channel, done, failed } of open.values()) desk(order.request, channel, order.file).then(done, failed);
    open.clear();
  }
  begin();
  const run = (request: string, channel: string, file?: ArrayBuffer): Promise<Delivery> => {
    if (instead) return instead(request, channel, file);
    return new Promise((done, failed) => {
      const order: Order = { id: (last += 1), request, file };
      if (open.size === 0) since = performance.now();
      open.set(order.id, { order, channel, done, failed });
      worker.postMessage(order);
    });
  };
  return Object.assign(run, {
    hold(keys: Hold): void {
      kept.push(keys);
      if (instead) instead.hold(keys);
      else worker.postMessage(keys);
    },
    overtake(channel: string): void {
      const [first] = open;
      if (!first || first[1].channel !== channel || performance.now() - since < LONG_MS) return;
      worker.terminate();
      open.delete(first[0]);
      first[1].failed(new Superseded());
      begin();
      since = performance.now();
      for (const { order } of open.values()) worker.postMessage(order);
    },
  });
}

/** Without workers: the page computes, and waits for it. */
function here(core: WebAssembly.Module): Run {
  const desk = new Desk(core);
  const run = (request: string, _: string, file?: ArrayBuffer): Promise<Delivery> => desk.answer({ id: 0, request, file });
  return Object.assign(run, { hold: (keys: Hold) => desk.hold(keys), overtake: () => undefined });
}

export class Engine {
  private readonly channels = new Map<string, Channel>();
  private readonly timers = new Map<string, { timer: number; release: () => void }>();
  private drawing: { draw: () => void; release: () => void } | undefined;
  private held = 0;
  private readonly waiting: Record<Wait, number> = { core: 0, else: 0, slow: 0 };

  private constructor(
    private readonly quick: Run,
    private readonly slow: Run,
    private readonly idle: (now: Standing) => void,
  ) {}

  /** `idle` is told whenever something is awaited or has come. */
  static async start(script: string, idle: (now: Standing) => void): Promise<Engine> {
    const core = await compiled();
    try {
      // A page that holds its script inside has none that a worker could run.
      if (script === '') throw new Error('no script');
      return new Engine(start(script, core), start(script, core), idle);
    } catch {
      // Nor do all browsers have workers for a page that was opened as a file: then here.
      const run = here(core);
      return new Engine(run, run, idle);
    }
  }

  about(): Promise<About> {
    return this.ask('about', {}, 'about') as Promise<About>;
  }

  async figures(state: State, channel = 'figures'): Promise<View> {
    const { ok, arrays } = await this.send('figures', { state }, channel);
    const of = <T>(name: string, none: T): T => (arrays[name] as T | undefined) ?? none;
    return {
      ...(ok as Figures),
      ends: of('ends', new Float32Array()),
      arcOwners: of('arc_owners', new Uint16Array()),
      bins: of('bins', new Float32Array()),
      turns: of('turns', new Float32Array()),
      owners: of('owners', new Uint16Array()),
      was: of('was', new Uint16Array()),
      answering: of('answering', new Uint16Array()),
      flags: of('flags', new Uint8Array()),
    };
  }

  compare(state: State, pattern: string, channel = ''): Promise<Comparison> {
    return this.ask('compare', { state, pattern }, `compare ${pattern}${channel}`, true) as Promise<Comparison>;
  }

  key(state: State, key: string, channel = 'key'): Promise<KeyFigures> {
    return this.ask('key', { state, key }, channel) as Promise<KeyFigures>;
  }

  cascade(ask: { state: State; first: string; hit_ratio: number; requests: number; node_capacity: number; database_capacity: number }, channel = ''): Promise<Cascade> {
    return this.ask('cascade', ask, `cascade ${channel}`, true) as Promise<Cascade>;
  }

  clients(state: State, channel = ''): Promise<Clients> {
    return this.ask('clients', { state }, `clients ${channel}`, true) as Promise<Clients>;
  }

  async import(name: string, file: ArrayBuffer, pool: string | null, placement: string | null): Promise<Import> {
    return (await this.send('import', { name, pool, placement }, 'import', false, file)).ok as Import;
  }

  /** Reads a file of keys. The list itself is the text of a JSON array. */
  async keys(name: string, file: ArrayBuffer): Promise<KeyFile & { list: string }> {
    const { ok, arrays } = await this.send('keys', { name }, 'keys', false, file);
    return { ...(ok as KeyFile), list: new TextDecoder().decode(arrays['list'] as Uint8Array) };
  }

  /** Leaves keys with the workers; the number that names them from then on. */
  keep(list: string): number {
    this.held += 1;
    for (const run of new Set([this.quick, this.slow])) run.hold({ hold: this.held, list });
    return this.held;
  }

  /** What is asked on channels of this name is no longer wanted. */
  overtake(what: string): void {
    for (const [name, channel] of this.channels) {
      if (!name.startsWith(`${what} `)) continue;
      channel.next?.failed(new Superseded());
      channel.next = null;
      channel.run.overtake(name);
    }
  }

  /** The text of a link. Who copies one asks on another channel than the address, so that neither is lost by the other. */
  async encode(state: State, channel: 'address' | 'link'): Promise<string> {
    return ((await this.ask('encode', { state }, channel)) as { text: string }).text;
  }

  decode(text: string): Promise<State> {
    return this.ask('decode', { text }, 'decode') as Promise<State>;
  }

  async command(state: State): Promise<string> {
    return ((await this.ask('command', { state }, 'command')) as { text: string }).text;
  }

  /**
   * Work that is not asked for yet counts as well, until the function that this gives is called. What is
   * slow does not count among what a page needs to be ready.
   */
  hold(wait: Wait = 'core'): () => void {
    this.count(1, wait);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      // After those who waited for the answer have drawn it, or asked on.
      setTimeout(() => this.count(-1, wait));
    };
  }

  /** The same until a promise is settled, which it gives back. */
  until<T>(work: Promise<T>, wait?: Wait): Promise<T> {
    const over = this.hold(wait);
    work.then(over, over);
    return work;
  }

  private count(step: number, wait: Wait): void {
    this.waiting[wait] += step;
    const { core, else: other, slow } = this.waiting;
    this.idle({ ready: core + other === 0, settled: core + other + slow === 0, computing: core > 0 });
  }

  /** Draws at once or, while someone drags, with the next frame: of several that come before it, the last. */
  present(draw: () => void, dragging: boolean): void {
    if (this.drawing) {
      this.drawing.draw = draw;
      return;
    }
    if (!dragging) {
      draw();
      return;
    }
    this.drawing = { draw, release: this.hold() };
    requestAnimationFrame(() => {
      const { draw, release } = this.drawing!;
      this.drawing = undefined;
      try {
        draw();
      } finally {
        release();
      }
    });
  }

  /** Does some work once nobody has called for it for a while: what a drag need not wait for. */
  later(name: string, pause: number, work: () => void, slow = false): void {
    const waiting = this.timers.get(name);
    if (waiting) window.clearTimeout(waiting.timer);
    const release = waiting?.release ?? this.hold(slow ? 'slow' : 'core');
    const timer = window.setTimeout(() => {
      this.timers.delete(name);
      try {
        work();
      } finally {
        release();
      }
    }, pause);
    this.timers.set(name, { timer, release });
  }

  private async ask(op: string, fields: object, channel: string, slow = false): Promise<unknown> {
    return (await this.send(op, fields, channel, slow)).ok;
  }

  private send(op: string, fields: object, name: string, slow = false, file?: ArrayBuffer): Promise<Answer> {
    const run = slow ? this.slow : this.quick;
    const channel = this.channels.get(name) ?? { busy: false, next: null, run };
    this.channels.set(name, channel);
    const result = new Promise<Answer>((done, failed) => {
      channel.next?.failed(new Superseded());
      channel.next = { request: JSON.stringify({ op, ...fields }), file, done, failed };
    });
    if (channel.busy) run.overtake(name);
    this.pump(channel, name);
    return this.until(result, slow ? 'slow' : 'core');
  }

  private pump(channel: Channel, name: string): void {
    const waiting = channel.next;
    if (channel.busy || !waiting) return;
    channel.busy = true;
    channel.next = null;
    channel
      .run(waiting.request, name, waiting.file)
      .then((answer) => {
        const document = JSON.parse(answer.json) as { ok?: unknown; error?: string };
        // Of a drag each answer that comes is shown, also while a newer one is asked for.
        if (document.error !== undefined) waiting.failed(new Refused(document.error));
        else waiting.done({ ok: document.ok, arrays: answer.arrays });
      })
      .catch((error: Error) => waiting.failed(error))
      .finally(() => {
        channel.busy = false;
        this.pump(channel, name);
      });
  }
}
