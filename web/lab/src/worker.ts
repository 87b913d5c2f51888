// What runs in the worker: it holds the core and the keys of large files, and answers one request after the
// other.

import { Core, type Raw } from './blob.ts';

export interface Order {
  id: number;
  request: string;
  /** The bytes of a file, whose text the request takes as `text`. */
  file?: ArrayBuffer | undefined;
}

/** Keys to hold: the text of a JSON array of them. */
export interface Hold {
  hold: number;
  list: string;
}

export interface Delivery {
  id: number;
  json: string;
  arrays: Record<string, ArrayLike<number>>;
}

interface Scope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
}

/** Answers orders with a core of its own. */
export class Desk {
  private core: Promise<Core>;
  private readonly lists = new Map<number, string>();

  constructor(private readonly module: WebAssembly.Module) {
    this.core = Core.from(module);
  }

  hold({ hold, list }: Hold): void {
    this.lists.set(hold, list);
  }

  async answer(order: Order): Promise<Delivery> {
    const core = await this.core;
    try {
      return { id: order.id, ...core.call(this.whole(order)) };
    } catch (error) {
      // What a core that stopped half way holds is not to be trusted: the next one is new.
      if (error instanceof WebAssembly.RuntimeError) this.core = Core.from(this.module);
      const told = error instanceof TypeError && order.file ? 'the file is not text in UTF-8' : `the core stopped: ${String(error)}`;
      const refused: Raw = { json: JSON.stringify({ error: told }), arrays: {} };
      return { id: order.id, ...refused };
    }
  }

  /** The request with the keys that it only names, and the file's text. */
  private whole({ request, file }: Order): string {
    if (!file) return request.replace(/\["\\u0000held:(\d+)"\]/gu, (name, id: string) => this.lists.get(Number(id)) ?? name);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file);
    return `${request.slice(0, -1)},"text":${JSON.stringify(text)}}`;
  }
}

/** The first message is the compiled core, each other one an order or keys to hold. */
export function serve(scope: Scope): void {
  let desk: Desk | undefined;
  scope.onmessage = (event: MessageEvent<WebAssembly.Module | Order | Hold>) => {
    if (!desk) {
      desk = new Desk(event.data as WebAssembly.Module);
      return;
    }
    if ('hold' in event.data) {
      desk.hold(event.data);
      return;
    }
    void desk.answer(event.data as Order).then(
      (answer) => {
        const moved = Object.values(answer.arrays).map((array) => (array as Uint8Array).buffer as ArrayBuffer);
        scope.postMessage(answer, moved);
      },
      (error: unknown) => scope.postMessage({ id: 0, json: String(error), arrays: {} }),
    );
  };
}
