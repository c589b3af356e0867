interface Playable {
  playedSamples: number;
}

interface Chunk<Clause> {
  clause: Clause;
  pcm: Int16Array;
}

/** Buffered audio in playing order, each chunk with its clause, whose played samples are counted as they are read. */
export class ChunkQueue<Clause extends Playable> {
  readonly #chunks: Chunk<Clause>[] = [];
  /** Samples of the first chunk already read. */
  #offset = 0;
  #samples = 0;

  /** Samples buffered. */
  get samples(): number {
    return this.#samples;
  }

  /** Clause of the next sample. */
  get nextClause(): Clause | undefined {
    return this.#chunks[0]?.clause;
  }

  push(clause: Clause, pcm: Int16Array): void {
    this.#chunks.push({ clause, pcm });
    this.#samples += pcm.length;
  }

  /** Fills `target` as far as audio is buffered; returns the number of samples read. */
  read(target: Int16Array): number {
    let filled = 0;
    while (filled < target.length) {
      const chunk = this.#chunks[0];
      if (chunk === undefined) break;
      const count = Math.min(target.length - filled, chunk.pcm.length - this.#offset);
      for (let i = 0; i < count; i++) target[filled + i] = chunk.pcm[this.#offset + i] ?? 0;
      filled += count;
      this.#offset += count;
      chunk.clause.playedSamples += count;
      if (this.#offset < chunk.pcm.length) continue;
      this.#chunks.shift();
      this.#offset = 0;
    }
    this.#samples -= filled;
    return filled;
  }

  /** Drops the buffered audio of a clause after its first `samples`. */
  trim(clause: Clause, samples: number): void {
    let room = samples;
    const kept: Chunk<Clause>[] = [];
    let keptSamples = 0;
    for (const [index, chunk] of this.#chunks.entries()) {
      const offset = index === 0 ? this.#offset : 0;
      const length = chunk.pcm.length - offset;
      const keptLength = chunk.clause === clause ? Math.min(length, room) : length;
      if (chunk.clause === clause) room -= keptLength;
      if (keptLength === 0) {
        if (index === 0) this.#offset = 0;
        continue;
      }
      kept.push({ clause: chunk.clause, pcm: chunk.pcm.subarray(0, offset + keptLength) });
      keptSamples += keptLength;
    }
    this.#chunks.splice(0, this.#chunks.length, ...kept);
    this.#samples = keptSamples;
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#offset = 0;
    this.#samples = 0;
  }
}
