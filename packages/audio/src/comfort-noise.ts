/** RFC 3389 §3: the level is in seven bits, in dB below overload; it is as loud as a full square wave at zero. */
const LEVEL_MASK = 0x7f;
const OVERLOAD = 32_767;

/** Makes the background noise that the packets of RFC 3389 describe, by its level alone: white, as §4 allows. */
export class ComfortNoise {
  #amplitude = 0;
  #state = 1;

  /** Takes a packet's payload; an empty one says nothing, and the level stays. */
  describe(payload: Uint8Array): void {
    const level = payload[0];
    if (level === undefined) return;
    // Samples spread evenly between two bounds have a root mean square of the bound over √3.
    this.#amplitude = OVERLOAD * 10 ** (-(level & LEVEL_MASK) / 20) * Math.sqrt(3);
  }

  render(pcm: Int16Array): void {
    let state = this.#state;
    const scale = Math.min(this.#amplitude, OVERLOAD) / 2 ** 31;
    for (let i = 0; i < pcm.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      pcm[i] = Math.round(state * scale);
    }
    this.#state = state;
  }
}
