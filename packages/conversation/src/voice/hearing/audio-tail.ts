interface Chunk {
  pcm: Int16Array;
  length: number;
}

/**
 * The most recent audio of a call. Frames are copied into longer chunks whose memory is reused: single frames would
 * survive long enough to burden the garbage collector.
 */
export class AudioTail {
  readonly #chunkSamples: number;
  #chunks: Chunk[] = [];
  #spare: Chunk | undefined;
  #samples = 0;

  /** @param chunkSamples Size of the memory chunks; a frame must not be longer. */
  constructor(chunkSamples: number) {
    this.#chunkSamples = chunkSamples;
  }

  /** Number of samples kept. */
  get samples(): number {
    return this.#samples;
  }

  write(pcm: Int16Array): void {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.length + pcm.length > chunk.pcm.length) {
      chunk = this.#spare ?? { pcm: new Int16Array(this.#chunkSamples), length: 0 };
      this.#spare = undefined;
      chunk.length = 0;
      this.#chunks.push(chunk);
    }
    chunk.pcm.set(pcm, chunk.length);
    chunk.length += pcm.length;
    this.#samples += pcm.length;
  }

  /** Drops the oldest chunks, but keeps at least `keptSamples`. */
  forgetBefore(keptSamples: number): void {
    for (let oldest = this.#chunks[0]; oldest !== undefined; oldest = this.#chunks[0]) {
      if (this.#samples - oldest.length < keptSamples) return;
      this.#chunks.shift();
      this.#samples -= oldest.length;
      this.#spare = oldest;
    }
  }

  /** Views of the audio, oldest first. One view begins exactly `lastSamples` before the end. */
  *views(lastSamples: number): Generator<Int16Array> {
    let before = this.#samples - lastSamples;
    for (const { pcm, length } of this.#chunks) {
      if (before > 0 && before < length) {
        yield pcm.subarray(0, before);
        yield pcm.subarray(before, length);
      } else yield pcm.subarray(0, length);
      before -= length;
    }
  }

  clear(): void {
    this.#chunks = [];
    this.#spare = undefined;
    this.#samples = 0;
  }
}
