/** Half the window for the fastest packet; short enough to follow a change of route. */
const BASE_WINDOW_MS = 2000;
const BIN_MS = 5;
/** The play-out delay is chosen so that this fraction of packets arrives in time. */
const IN_TIME_FRACTION = 0.97;
/** Weight of one packet in a full histogram: 500 packets are remembered, 10 s of 20 ms frames. */
const SETTLED_WEIGHT = 1 / 500;
/** Weight of a late packet, so that two of them raise the delay. */
const LATE_FACTOR = 10;
/** The initial delay estimate, with the weight of four packets: forgotten after 2.6 s, before the end of most greetings. */
const INITIAL_DELAY_MS = 40;
const INITIAL_PACKETS = 4;

/**
 * Estimates the transit time of one stream's packets relative to the fastest packet of the last seconds, and from
 * it the play-out delay. The moving minimum also follows a sender whose clock is fast or slow.
 */
export class DelayEstimator {
  readonly #minDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #bins: Float64Array;
  #packets = INITIAL_PACKETS;
  #targetMs: number;
  #jitterMs = 0;
  #lastTransitMs: number | undefined;
  #windowStartMs = 0;
  #currentMinMs = Infinity;
  #previousMinMs = Infinity;

  constructor(minDelayMs: number, maxDelayMs: number) {
    this.#minDelayMs = minDelayMs;
    this.#maxDelayMs = maxDelayMs;
    this.#bins = new Float64Array(Math.ceil(maxDelayMs / BIN_MS));
    this.#targetMs = Math.max(minDelayMs, Math.min(INITIAL_DELAY_MS, maxDelayMs));
    this.#bins[Math.min(this.#bins.length, INITIAL_DELAY_MS / BIN_MS) - 1] = 1;
  }

  /** The best play-out delay after the fastest packet's arrival. */
  get targetMs(): number {
    return this.#targetMs;
  }

  /** Interarrival jitter (RFC 3550 §6.4.1, A.8). */
  get jitterMs(): number {
    return this.#jitterMs;
  }

  /** Arrival time minus media time of the fastest packet: the zero point of all delays here. */
  get baseTransitMs(): number {
    return Math.min(this.#currentMinMs, this.#previousMinMs);
  }

  /** Starts a new stream: keeps the network statistics, drops the media clock. */
  restart(): void {
    this.#lastTransitMs = undefined;
    this.#currentMinMs = Infinity;
    this.#previousMinMs = Infinity;
  }

  /** @param mediaMs the packet's unwrapped timestamp, in milliseconds. */
  observe(arrivalMs: number, mediaMs: number, isLate: boolean): void {
    const transitMs = arrivalMs - mediaMs;
    this.#observeBase(arrivalMs, transitMs);
    if (this.#lastTransitMs !== undefined) {
      this.#jitterMs += (Math.abs(transitMs - this.#lastTransitMs) - this.#jitterMs) / 16;
    }
    this.#lastTransitMs = transitMs;
    this.#packets++;
    const weight = Math.max(SETTLED_WEIGHT, 1 / this.#packets) * (isLate ? LATE_FACTOR : 1);
    this.#observeExcess(transitMs - this.baseTransitMs, Math.min(weight, 0.5));
  }

  #observeBase(arrivalMs: number, transitMs: number): void {
    if (this.#currentMinMs === Infinity) {
      this.#windowStartMs = arrivalMs;
    }
    const elapsedMs = arrivalMs - this.#windowStartMs;
    if (elapsedMs >= BASE_WINDOW_MS) {
      this.#previousMinMs = elapsedMs < 2 * BASE_WINDOW_MS ? this.#currentMinMs : Infinity;
      this.#currentMinMs = Infinity;
      this.#windowStartMs = arrivalMs;
    }
    this.#currentMinMs = Math.min(this.#currentMinMs, transitMs);
  }

  #observeExcess(excessMs: number, weight: number): void {
    const bins = this.#bins;
    const observed = Math.min(bins.length - 1, Math.floor(excessMs / BIN_MS));
    let part = 0;
    let target: number | undefined;
    for (let i = 0; i < bins.length; i++) {
      const bin = (bins[i] ?? 0) * (1 - weight) + (i === observed ? weight : 0);
      bins[i] = bin;
      part += bin;
      if (target === undefined && part >= IN_TIME_FRACTION) {
        target = (i + 1) * BIN_MS;
      }
    }
    this.#targetMs = Math.max(this.#minDelayMs, Math.min(target ?? this.#maxDelayMs, this.#maxDelayMs));
  }
}
