/** At least 64 are asked for (RFC 3711 §3.3.2). */
const WINDOW = 128;
const HALF_CYCLE = 0x8000;
const CYCLE = 0x10000;

/** Which packets of one source were received: tells an index from a sequence number, and one that was there before. */
export class ReplayWindow {
  /** The index last received in each place. */
  readonly #received = new Float64Array(WINDOW).fill(-1);
  #highest = -1;

  /**
   * The index that is most likely meant by 16 bits of sequence number (RFC 3711 §3.3.1, Appendix A); negative where it
   * would lie before the stream's beginning.
   */
  guessIndex(sequenceNumber: number): number {
    if (this.#highest < 0) return sequenceNumber;
    const highestNumber = this.#highest % CYCLE;
    const index = this.#highest - highestNumber + sequenceNumber;
    if (sequenceNumber - highestNumber > HALF_CYCLE) return index - CYCLE;
    return highestNumber - sequenceNumber > HALF_CYCLE ? index + CYCLE : index;
  }

  /** False for a packet that was received before, or is so old that this is not known any more. */
  isNew(index: number): boolean {
    return index >= 0 && index > this.#highest - WINDOW && this.#received[index % WINDOW] !== index;
  }

  /** To be called only for authentic packets. */
  accept(index: number): void {
    this.#received[index % WINDOW] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}
