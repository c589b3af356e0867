interface Owner {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets a limited amount of work run at once. If more waits, the owner with the least work under way is next, so that an
 * owner's flood delays another's work by one piece of work. While there is room, all work runs at once.
 */
export class FairQueue {
  readonly #capacity: number;
  /** In the order in which they were last served. */
  readonly #owners = new Map<string, Owner>();
  #running = 0;

  /** @param capacity Pieces of work at once, of all owners. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Resolves when the owner's work may run. The caller disposes the turn when it is done. */
  async take(key: string): Promise<Disposable> {
    const owner = this.#owners.get(key) ?? { running: 0, waiting: [] };
    this.#owners.set(key, owner);
    if (this.#running < this.#capacity) this.#begin(owner);
    else await new Promise<void>((resolve) => owner.waiting.push(resolve));
    let isDone = false;
    return {
      [Symbol.dispose]: () => {
        if (isDone) return;
        isDone = true;
        this.#end(key, owner);
      },
    };
  }

  #begin(owner: Owner): void {
    owner.running += 1;
    this.#running += 1;
  }

  #end(key: string, owner: Owner): void {
    owner.running -= 1;
    this.#running -= 1;
    if (owner.running === 0 && owner.waiting.length === 0) this.#owners.delete(key);
    let next: [string, Owner] | undefined;
    for (const entry of this.#owners)
      if (entry[1].waiting.length > 0 && (next === undefined || entry[1].running < next[1].running))
        next = entry;
    if (next === undefined) return;
    const [nextKey, nextOwner] = next;
    this.#owners.delete(nextKey);
    this.#owners.set(nextKey, nextOwner);
    this.#begin(nextOwner);
    nextOwner.waiting.shift()?.();
  }
}
