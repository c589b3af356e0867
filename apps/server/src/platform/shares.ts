/** Work of an owner beyond its share waits; a bound of the queue is the caller's to check (`countWaiting`). */
interface Owner {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Bounds how much work of each owner runs at once. Further work of an owner waits in its order, and never for work of
 * others, so that one owner's flood does not delay the others.
 */
export class Shares {
  readonly #owners = new Map<string, Owner>();

  /** Work that waits for its turn. */
  countWaiting(key: string): number {
    return this.#owners.get(key)?.waiting.length ?? 0;
  }

  /** Resolves once fewer than `atOnce` pieces of the owner's work run. The caller disposes its share when it is done. */
  async take(key: string, atOnce: number): Promise<Disposable> {
    const owner = this.#owners.get(key) ?? { running: 0, waiting: [] };
    this.#owners.set(key, owner);
    if (owner.running < atOnce) owner.running += 1;
    // The one that ends hands its place over, so the count stays.
    else await new Promise<void>((resolve) => owner.waiting.push(resolve));
    let isDone = false;
    return {
      [Symbol.dispose]: () => {
        if (isDone) return;
        isDone = true;
        this.#leave(key, owner);
      },
    };
  }

  #leave(key: string, owner: Owner): void {
    const next = owner.waiting.shift();
    if (next !== undefined) return next();
    owner.running -= 1;
    if (owner.running === 0) this.#owners.delete(key);
  }
}
