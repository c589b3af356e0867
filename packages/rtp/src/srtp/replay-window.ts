/** At least 64 (RFC 3711 §3.3.2). */
const WINDOW = 128;
const HALF_CYCLE = 0x8000;
const CYCLE = 0x10000;

/** Received packets of one source: estimates a packet's index from its sequence number, and detects replays. */
export class ReplayWindow {
  /** The last received index of each slot. */
  readonly #received = new Float64Array(WINDOW).fill(-1);
  #highest = -1;

  /**
   * The most likely index for 16 bits of sequence number (RFC 3711 §3.3.1, Appendix A); negative if it is before
   * the stream's start.
   */
  guessIndex(sequenceNumber: number): number {
    if (this.#highest < 0) return sequenceNumber;
    const highestNumber = this.#highest % CYCLE;
    const index = this.#highest - highestNumber + sequenceNumber;
    if (sequenceNumber - highestNumber > HALF_CYCLE) return index - CYCLE;
    return highestNumber - sequenceNumber > HALF_CYCLE ? index + CYCLE : index;
  }

  /** False for a packet that was received before, or is too old to tell. */
  isNew(index: number): boolean {
    return index >= 0 && index > this.#highest - WINDOW && this.#received[index % WINDOW] !== index;
  }

  /** Records a packet. Call only for authentic packets. */
  accept(index: number): void {
    this.#received[index % WINDOW] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}
