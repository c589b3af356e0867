import { setTimeout as sleep } from "node:timers/promises";

interface Pace {
  perSecond: number;
  /** Pieces that begin at once after a pause. */
  burst: number;
}

interface Owner {
  /** Time by which the work that was let through would be done at the owner's rate. */
  clearAtMs: number;
  waiting: number;
}

interface PacesOptions {
  nowMs?: () => number;
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** The owner whose last work is oldest is forgotten first, unless some of it waits. */
const MAX_OWNERS = 10_000;

/**
 * Spaces the work of each owner: a burst, then one piece in each interval, in its order. A bound on what waits is the caller's
 * to check (`countWaiting`).
 */
export class Paces {
  readonly #owners = new Map<string, Owner>();
  readonly #nowMs: () => number;
  readonly #wait: NonNullable<PacesOptions["wait"]>;

  constructor({
    nowMs = performance.now.bind(performance),
    wait = async (ms, signal) => await sleep(ms, undefined, { signal }),
  }: PacesOptions = {}) {
    this.#nowMs = nowMs;
    this.#wait = wait;
  }

  /** Work that waits for its turn. */
  countWaiting(key: string): number {
    return this.#owners.get(key)?.waiting ?? 0;
  }

  /** Resolves when it is the work's turn. If the signal aborts before, rejects with its reason; the turn is lost. */
  async wait(key: string, { perSecond, burst }: Pace, signal: AbortSignal): Promise<void> {
    const now = this.#nowMs();
    const intervalMs = 1000 / perSecond;
    const owner = this.#owners.get(key) ?? { clearAtMs: 0, waiting: 0 };
    const clearAtMs = Math.max(owner.clearAtMs, now);
    owner.clearAtMs = clearAtMs + intervalMs;
    this.#remember(key, owner);
    const waitMs = clearAtMs - now - (burst - 1) * intervalMs;
    if (waitMs <= 0) return;
    owner.waiting += 1;
    try {
      await this.#wait(waitMs, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      owner.waiting -= 1;
    }
  }

  #remember(key: string, owner: Owner): void {
    this.#owners.delete(key);
    this.#owners.set(key, owner);
    const [oldest] = this.#owners;
    if (this.#owners.size > MAX_OWNERS && oldest?.[1].waiting === 0) this.#owners.delete(oldest[0]);
  }
}
