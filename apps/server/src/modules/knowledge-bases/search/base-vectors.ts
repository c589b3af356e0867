import type { Pool } from "pg";
import { countVectors, readVectors } from "./search.store.ts";

/** The vectors of a base's passages, as of a version of the base. */
export interface BaseVectors {
  version: number;
  /** Ids of the passages, ascending. */
  ids: Float64Array;
  /** One vector after the other, in the order of the ids. */
  vectors: Float32Array;
}

/** About 350,000 passages. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Vectors of the bases that were searched last, read again when a base changes. */
export class BaseVectorCache {
  readonly #pool: Pool;
  readonly #dimensions: number;
  readonly #bases = new Map<string, Promise<BaseVectors>>();
  /** Sizes of the bases that were read. */
  readonly #bytes = new Map<string, number>();

  constructor(pool: Pool, dimensions: number) {
    this.#pool = pool;
    this.#dimensions = dimensions;
  }

  async get(id: string, version: number): Promise<BaseVectors> {
    const known = await this.#bases.get(id);
    if (known !== undefined && known.version >= version) {
      // The base that was not searched for the longest time comes first.
      this.#bases.delete(id);
      this.#bases.set(id, Promise.resolve(known));
      return known;
    }
    const reading = this.#read(id, version);
    this.#bases.set(id, reading);
    try {
      const read = await reading;
      this.#bytes.set(id, read.vectors.byteLength + read.ids.byteLength);
      this.#dropOldest(id);
      return read;
    } catch (error) {
      if (this.#bases.get(id) === reading) this.#bases.delete(id);
      throw error;
    }
  }

  async #read(id: string, version: number): Promise<BaseVectors> {
    let capacity = Math.max(16, await countVectors(this.#pool, id));
    let ids = new Float64Array(capacity);
    let vectors = new Float32Array(capacity * this.#dimensions);
    let count = 0;
    for await (const row of readVectors(this.#pool, id)) {
      // Of another model.
      if (row.vector.length !== this.#dimensions) continue;
      if (count === capacity) {
        capacity = Math.ceil(capacity * 1.2);
        ids = grown(ids, new Float64Array(capacity));
        vectors = grown(vectors, new Float32Array(capacity * this.#dimensions));
      }
      ids[count] = row.id;
      vectors.set(row.vector, count * this.#dimensions);
      count++;
    }
    return { version, ids: ids.subarray(0, count), vectors: vectors.subarray(0, count * this.#dimensions) };
  }

  #dropOldest(kept: string): void {
    let bytes = [...this.#bytes.values()].reduce((sum, each) => sum + each, 0);
    for (const id of this.#bases.keys()) {
      if (bytes <= MAX_BYTES) return;
      if (id === kept) continue;
      bytes -= this.#bytes.get(id) ?? 0;
      this.#bases.delete(id);
      this.#bytes.delete(id);
    }
  }
}

function grown<T extends Float32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
