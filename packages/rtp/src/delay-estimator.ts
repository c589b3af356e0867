/** Halves of the window in which the fastest packet is sought; short enough to follow a change of route. */
const BASE_WINDOW_MS = 2000;
const BIN_MS = 5;
/** The play-out delay lets this part of the packets come in time. */
const IN_TIME_PART = 0.97;
/** Weight of one packet in the histogram once it is filled: 500 packets are remembered, 10 s of 20 ms frames. */
const SETTLED_WEIGHT = 1 / 500;
/** A packet that missed its turn counts like so many, so that two of them raise the delay. */
const LATE_FACTOR = 10;
/** The first guess at the delay, given up as packets come in: it counts like ten of them. */
const INITIAL_DELAY_MS = 40;
const INITIAL_PACKETS = 10;

/**
 * Learns how long packets of one stream are on their way, compared with the fastest of the last seconds, and how
 * long play-out must wait therefore. Being relative to a moving minimum it follows a sender whose clock runs
 * fast or slow.
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

  /** How long after the fastest packet's time of arrival a packet is best played. */
  get targetMs(): number {
    return this.#targetMs;
  }

  /** Interarrival jitter (RFC 3550 §6.4.1, A.8). */
  get jitterMs(): number {
    return this.#jitterMs;
  }

  /** Arrival less media time of the fastest packet: the zero of all delays here. */
  get baseTransitMs(): number {
    return Math.min(this.#currentMinMs, this.#previousMinMs);
  }

  /** Begins a new stream; what was learnt of the network is kept, its media clock is not. */
  restart(): void {
    this.#lastTransitMs = undefined;
    this.#currentMinMs = Infinity;
    this.#previousMinMs = Infinity;
  }

  /** @param mediaMs The packet's timestamp, unwrapped, in milliseconds. */
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
      if (target === undefined && part >= IN_TIME_PART) {
        target = (i + 1) * BIN_MS;
      }
    }
    this.#targetMs = Math.max(this.#minDelayMs, Math.min(target ?? this.#maxDelayMs, this.#maxDelayMs));
  }
}
