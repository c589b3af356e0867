import { seededRandom } from "@parley/testing";

/** Random choices, reproducible by seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** Returns a number in [0, 1). */
  readonly next = (): number => this.#next();

  /** Returns an integer from 0 to `limit` - 1. */
  readonly below = (limit: number): number => Math.floor(this.#next() * limit);

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(of: readonly T[]): T {
    const picked = of[this.below(of.length)];
    if (picked === undefined) throw new RangeError("nothing to choose from");
    return picked;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let index = 0; index < length; index++) bytes[index] = this.below(256);
    return bytes;
  }

  /** Mostly small, sometimes up to `limit` - 1: lengths near a program's limits. */
  length(limit: number): number {
    return Math.floor(limit ** this.#next());
  }
}
