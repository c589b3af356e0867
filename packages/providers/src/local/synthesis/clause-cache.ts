import type { WordTiming } from "@parley/conversation";

/** The audio of a spoken clause. */
export interface SpokenClause {
  /** At the engine's own sample rate. */
  pcm: Int16Array;
  words: WordTiming[];
}

/** Cache of whole clauses, which drops the least recently used first. */
export class ClauseCache {
  readonly #maxBytes: number;
  /** In order of last use. */
  readonly #clauses = new Map<string, SpokenClause>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): SpokenClause | undefined {
    const clause = this.#clauses.get(key);
    if (clause !== undefined) {
      this.#clauses.delete(key);
      this.#clauses.set(key, clause);
    }
    return clause;
  }

  set(key: string, clause: SpokenClause): void {
    this.#remove(key);
    if (clause.pcm.byteLength > this.#maxBytes) {
      return;
    }
    this.#clauses.set(key, clause);
    this.#bytes += clause.pcm.byteLength;
    for (const oldest of this.#clauses.keys()) {
      if (this.#bytes <= this.#maxBytes) {
        break;
      }
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#clauses.get(key)?.pcm.byteLength ?? 0;
    this.#clauses.delete(key);
  }
}
