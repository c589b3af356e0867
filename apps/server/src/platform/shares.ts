/** Work of an owner beyond its share waits; a bound of the queue is the caller's to check (`countWaiting`). */
interface Owner {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Bounds how much work of each owner runs at once. Further work of an owner waits in its order, and never for work of
 * others, so that one owner's flood does not delay the others.
 */
export class Shares {
  readonly #owners = new Map<string, Owner>();

  /** Work that waits for its turn. */
  countWaiting(key: string): number {
    return this.#owners.get(key)?.waiting.size ?? 0;
  }

  /**
   * Resolves once fewer than `atOnce` pieces of the owner's work run. The caller disposes its share when it is done. If the
   * signal aborts before, rejects with its reason and leaves the queue.
   */
  async take(key: string, atOnce: number, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    const owner = this.#owners.get(key) ?? { running: 0, waiting: new Set() };
    this.#owners.set(key, owner);
    if (owner.running < atOnce) owner.running += 1;
    // The one that ends hands its place over, so the count stays.
    else await waitIn(owner.waiting, signal);
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
    const [next] = owner.waiting;
    if (next !== undefined) {
      owner.waiting.delete(next);
      return next();
    }
    owner.running -= 1;
    if (owner.running === 0) this.#owners.delete(key);
  }
}

/** Resolves when the queue, in which this work is the last, has come to it. */
async function waitIn(queue: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = (): void => {
    queue.delete(resolve);
    reject(signal?.reason);
  };
  queue.add(resolve);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}
