// What runs in the worker: it holds the core and answers one request after the other.

import { Core } from './blob.ts';

export interface Order {
  id: number;
  request: string;
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

/** The first message holds the bytes of the core, each other one an order. */
export function serve(scope: Scope): void {
  let core: Promise<Core> | undefined;
  scope.onmessage = (event: MessageEvent<ArrayBuffer | Order>) => {
    if (!core) {
      core = Core.from(event.data as ArrayBuffer);
      core.catch((error: unknown) => scope.postMessage({ id: 0, json: JSON.stringify({ error: String(error) }), arrays: {} }));
      return;
    }
    const order = event.data as Order;
    void core.then((blob) => {
      let answer: Delivery;
      try {
        answer = { id: order.id, ...blob.call(order.request) };
      } catch (error) {
        answer = { id: order.id, json: JSON.stringify({ error: `the core stopped: ${String(error)}` }), arrays: {} };
      }
      const moved = Object.values(answer.arrays).map((array) => (array as Uint8Array).buffer as ArrayBuffer);
      scope.postMessage(answer, moved);
    });
  };
}
