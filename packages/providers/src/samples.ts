/** A growing sequence of mono samples. */
export class SampleBuffer {
  #samples: Int16Array;
  #length = 0;

  constructor(capacity: number) {
    this.#samples = new Int16Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  append(pcm: Int16Array): void {
    const length = this.#length + pcm.length;
    if (length > this.#samples.length) {
      const larger = new Int16Array(Math.max(length, this.#samples.length * 2));
      larger.set(this.#samples.subarray(0, this.#length));
      this.#samples = larger;
    }
    this.#samples.set(pcm, this.#length);
    this.#length = length;
  }

  /** A view, valid until the next change. */
  view(): Int16Array {
    return this.#samples.subarray(0, this.#length);
  }

  /** Removes and returns the first samples. */
  shift(count: number): Int16Array {
    const taken = this.#samples.slice(0, count);
    this.#samples.copyWithin(0, count, this.#length);
    this.#length -= count;
    return taken;
  }
}

/** The last samples of a stream. */
export class SampleRing {
  readonly #samples: Int16Array;
  #written = 0;

  constructor(capacity: number) {
    this.#samples = new Int16Array(capacity);
  }

  write(pcm: Int16Array): void {
    const { length } = this.#samples;
    const kept = pcm.length > length ? pcm.subarray(pcm.length - length) : pcm;
    const at = this.#written % length;
    const head = kept.subarray(0, length - at);
    this.#samples.set(head, at);
    this.#samples.set(kept.subarray(head.length), 0);
    this.#written += kept.length;
  }

  /** A copy of the last `count` samples, or of as many as there are. */
  last(count: number): Int16Array {
    const { length } = this.#samples;
    const available = Math.min(count, length, this.#written);
    const out = new Int16Array(available);
    const start = (this.#written - available) % length;
    const head = this.#samples.subarray(start, Math.min(start + available, length));
    out.set(head);
    out.set(this.#samples.subarray(0, available - head.length), head.length);
    return out;
  }
}
