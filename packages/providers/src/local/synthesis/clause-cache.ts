/** Audio of whole clauses, the ones asked for longest ago dropped first. */
export class ClauseCache {
  readonly #maxBytes: number;
  /** In order of last use. */
  readonly #clauses = new Map<string, Int16Array>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Int16Array | undefined {
    const pcm = this.#clauses.get(key);
    if (pcm !== undefined) {
      this.#clauses.delete(key);
      this.#clauses.set(key, pcm);
    }
    return pcm;
  }

  set(key: string, pcm: Int16Array): void {
    this.#remove(key);
    if (pcm.byteLength > this.#maxBytes) {
      return;
    }
    this.#clauses.set(key, pcm);
    this.#bytes += pcm.byteLength;
    for (const oldest of this.#clauses.keys()) {
      if (this.#bytes <= this.#maxBytes) {
        break;
      }
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#clauses.get(key)?.byteLength ?? 0;
    this.#clauses.delete(key);
  }
}
