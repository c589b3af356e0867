/** RFC 3389 §3: seven bits, in dB below overload; level zero is as loud as a full-scale square wave. */
const LEVEL_MASK = 0x7f;
const OVERLOAD = 32_767;

/** Background noise with the level of RFC 3389 packets; white, as §4 permits. */
export class ComfortNoise {
  #amplitude = 0;
  #state = 1;

  /** Applies a packet's payload; an empty one keeps the level. */
  describe(payload: Uint8Array): void {
    const level = payload[0];
    if (level === undefined) return;
    // Uniformly distributed samples have a root mean square of their limit divided by √3.
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
