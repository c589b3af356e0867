import { type Clock, systemClock } from "@parley/sip";

/** A source that was refused this often at once is not listened to any more … */
const REFUSALS = 30;
/** … until it has been quiet for so long for each of them. */
const FORGIVEN_EVERY_MS = 2_000;
/** How long a source that placed a call is not taken for one that guesses. */
const TRUSTED_FOR_MS = 24 * 60 * 60 * 1000;
/** The source that was heard of longest ago makes room. */
const MAX_SOURCES = 10_000;

interface Source {
  refusals: number;
  /** When `refusals` was true. */
  atMs: number;
  trustedUntilMs: number;
}

/**
 * Tells callers from those that only guess numbers, by their addresses: who is refused over and over without ever
 * placing a call is ignored, before it costs a look into the database. Bounded in memory.
 */
export class SourceGuard {
  readonly #clock: Clock;
  /** By address, the one heard of last at the end. */
  readonly #sources = new Map<string, Source>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  isIgnored(address: string): boolean {
    const source = this.#sources.get(address);
    if (source === undefined || source.trustedUntilMs > this.#clock.nowMs()) return false;
    return this.#refusalsOf(source) > REFUSALS - 1;
  }

  /** A call from here was refused for where it came from, whom it called or how it proved itself. */
  refused(address: string): void {
    const source = this.#take(address);
    source.refusals = this.#refusalsOf(source) + 1;
    source.atMs = this.#clock.nowMs();
  }

  /** A call from here was let in. */
  admitted(address: string): void {
    const source = this.#take(address);
    source.refusals = 0;
    source.trustedUntilMs = this.#clock.nowMs() + TRUSTED_FOR_MS;
  }

  #refusalsOf({ refusals, atMs }: Source): number {
    return Math.max(0, refusals - (this.#clock.nowMs() - atMs) / FORGIVEN_EVERY_MS);
  }

  #take(address: string): Source {
    const nowMs = this.#clock.nowMs();
    const source = this.#sources.get(address) ?? { refusals: 0, atMs: nowMs, trustedUntilMs: -Infinity };
    this.#sources.delete(address);
    this.#sources.set(address, source);
    const [oldest] = this.#sources.keys();
    if (this.#sources.size > MAX_SOURCES && oldest !== undefined) this.#sources.delete(oldest);
    return source;
  }
}
