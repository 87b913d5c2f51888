// The core as WebAssembly: a request in JSON goes in, a document and arrays come out.

import type { Blob as Exports, Document } from './api.ts';

/** An answer as it leaves the core. */
export interface Raw {
  json: string;
  arrays: Record<string, ArrayLike<number>>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Core {
  private constructor(private readonly exports: Exports) {}

  static async from(module: WebAssembly.Module): Promise<Core> {
    const { exports } = await WebAssembly.instantiate(module, {});
    return new Core(exports as unknown as Exports);
  }

  call(request: string): Raw {
    const bytes = encoder.encode(request);
    const at = this.exports.alloc(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
    this.exports.call(at, bytes.length);
    const json = decoder.decode(this.part(0));
    const { arrays = [] } = JSON.parse(json) as Document<unknown>;
    const found: Raw['arrays'] = {};
    for (const [place, { name, type }] of arrays.entries()) {
      // Copied: the memory may move with the next call.
      const copy = this.part(place + 1).slice().buffer;
      found[name] = type === 'u8' ? new Uint8Array(copy) : type === 'u16' ? new Uint16Array(copy) : new Float32Array(copy);
    }
    return { json, arrays: found };
  }

  private part(part: number): Uint8Array {
    const where = BigInt.asUintN(64, this.exports.out(part));
    return new Uint8Array(this.exports.memory.buffer, Number(where >> 32n), Number(where & 0xffffffffn));
  }
}
