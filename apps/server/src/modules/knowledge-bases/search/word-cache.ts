import type { Pool } from "pg";
import { type BaseVersion, findWords, listLexemes } from "./search.store.ts";

/** About 20 MB if each word is in as many passages as are counted. */
const MAX_WORDS = 5_000;

/**
 * Passages that have a word, by the word and the versions of the bases. Words repeat: those of a turn in its partial texts, and
 * frequent ones, which take the longest to look up, in most questions.
 */
export class WordCache {
  readonly #pool: Pool;
  readonly #passages = new Map<string, readonly number[]>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns the ids of the passages for each word of the query. */
  async find(query: string, bases: readonly BaseVersion[]): Promise<(readonly number[])[]> {
    if (bases.length === 0) return [];
    const scope = bases.map(({ id, version }) => `${id} ${version}`).join(" ");
    const keyOf = (lexeme: string): string => `${scope} ${lexeme}`;
    const lexemes = await listLexemes(this.#pool, query);
    const unknown = lexemes.filter((lexeme) => !this.#passages.has(keyOf(lexeme)));
    const ids = bases.map(({ id }) => id);
    const found = unknown.length === 0 ? [] : await findWords(this.#pool, unknown, ids);
    const looked = new Map(unknown.map((lexeme, at) => [lexeme, found[at] ?? []]));
    return lexemes.map((lexeme) => {
      const key = keyOf(lexeme);
      const passages = looked.get(lexeme) ?? this.#passages.get(key) ?? [];
      this.#remember(key, passages);
      return passages;
    });
  }

  /** The words that were not asked for the longest time are forgotten, as are those of earlier versions. */
  #remember(key: string, passages: readonly number[]): void {
    this.#passages.delete(key);
    this.#passages.set(key, passages);
    const oldest = this.#passages.keys().next().value;
    if (this.#passages.size > MAX_WORDS && oldest !== undefined) this.#passages.delete(oldest);
  }
}
