/** Streams of one visitor at once, such as several tabs, on this node. */
const MAX_STREAMS = 5;

/** Bounds the streams of each visitor: a further one ends the oldest. All end when the node shuts down. */
export class VisitorStreams {
  readonly #streams = new Map<string, AbortController[]>();
  readonly #closing = new AbortController();

  /**
   * Returns the signal that ends a new stream, also at its client's disconnection.
   *
   * @param validMs Time until the visitor's session expires.
   */
  open(visitorId: string, disconnection: AbortSignal, validMs: number): AbortSignal {
    const controller = new AbortController();
    const streams = this.#streams.get(visitorId) ?? [];
    this.#streams.set(visitorId, [...streams, controller].slice(-MAX_STREAMS));
    if (streams.length >= MAX_STREAMS) streams[0]?.abort();
    const expiry = AbortSignal.timeout(Math.min(Math.max(0, validMs), MAX_TIMER_MS));
    const signal = AbortSignal.any([controller.signal, disconnection, this.#closing.signal, expiry]);
    signal.addEventListener("abort", () => this.#forget(visitorId, controller), { once: true });
    return signal;
  }

  #forget(visitorId: string, controller: AbortController): void {
    const left = this.#streams.get(visitorId)?.filter((each) => each !== controller) ?? [];
    if (left.length > 0) this.#streams.set(visitorId, left);
    else this.#streams.delete(visitorId);
  }

  /** Idempotent. */
  close(): void {
    this.#closing.abort();
  }
}

/** Longest time of a timer of the platform. */
const MAX_TIMER_MS = 2 ** 31 - 1;
