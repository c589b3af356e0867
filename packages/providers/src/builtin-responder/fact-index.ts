import type { PromptFact } from "./prompt-knowledge.ts";

/** Returns one vector of length 1 per text. */
export type Embed = (texts: string[], signal: AbortSignal) => Promise<Float32Array[]>;

export interface Match {
  fact: PromptFact;
  /** Similarity in meaning and in words; compared only with `ANSWER_THRESHOLD`. */
  score: number;
}

/** Minimum score of an answer. Tuned with all-MiniLM-L6-v2 on `testing/accuracy-set.ts`. */
export const ANSWER_THRESHOLD = 0.33;

/** Weight of the share of the question's words in the fact, added to the similarity in meaning. */
const WORD_WEIGHT = 0.25;
/** The same weight without embeddings: a fact with a third of the question's words answers it. */
const SOLE_WORD_WEIGHT = 1;

/** Index of the facts of one prompt, for comparison with questions. */
export class FactIndex {
  readonly #facts: readonly PromptFact[];
  readonly #entries: { fact: PromptFact; vector: Float32Array; words: Set<string> }[];
  readonly #frequency = new Map<string, number>();

  constructor(facts: readonly PromptFact[], vectors: readonly Float32Array[]) {
    this.#facts = facts;
    let position = 0;
    this.#entries = facts.flatMap((fact) => {
      const words = new Set(fact.about.flatMap(contentWords));
      for (const word of words) this.#frequency.set(word, (this.#frequency.get(word) ?? 0) + 1);
      return fact.about.map(() => ({ fact, vector: vectors[position++] ?? new Float32Array(), words }));
    });
  }

  static async create(facts: readonly PromptFact[], embed: Embed, signal: AbortSignal): Promise<FactIndex> {
    const texts = facts.flatMap((fact) => fact.about);
    return new FactIndex(facts, texts.length === 0 ? [] : await embed(texts, signal));
  }

  /** Ranks the facts by how well they answer, best first. `words`: the question's own words. */
  rank(vector: Float32Array, words: readonly string[]): Match[] {
    return this.#rankBy(
      (entry) => dot(vector, entry.vector) + WORD_WEIGHT * this.#overlap(words, entry.words),
    );
  }

  /** The same without embeddings, by common words. */
  rankByWords(words: readonly string[]): Match[] {
    return this.#rankBy((entry) => SOLE_WORD_WEIGHT * this.#overlap(words, entry.words));
  }

  #rankBy(scoreOf: (entry: { vector: Float32Array; words: Set<string> }) => number): Match[] {
    const best = new Map<PromptFact, number>();
    for (const entry of this.#entries)
      best.set(entry.fact, Math.max(best.get(entry.fact) ?? -1, scoreOf(entry)));
    return [...best].map(([fact, score]) => ({ fact, score })).sort((a, b) => b.score - a.score);
  }

  /** Share of the question's words in the fact; rare words weigh more than those of many facts. */
  #overlap(words: readonly string[], factWords: ReadonlySet<string>): number {
    let shared = 0;
    let all = 0;
    for (const word of words) {
      const weight = Math.log(1 + this.#facts.length / (1 + (this.#frequency.get(word) ?? 0)));
      all += weight;
      if (factWords.has(word)) shared += weight;
    }
    return all === 0 ? 0 : shared / all;
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

const FUNCTION_WORDS = new Set(
  "a about all also am an and any are as at be been but by can could did do does for from get got had has have how i if in is it its just know like many me much my no not of ok okay on or our please really right say so some tell than that the their them then there these they this those to um uh us was we well what what's when where which who why will with would yes you your".split(
    " ",
  ),
);

/** Everyday words that small embeddings place too far apart, each with the word that stands for it. */
const SYNONYMS = new Map(
  Object.entries({
    broken: "damage",
    car: "parking",
    charge: "cost",
    children: "child",
    directions: "address",
    fee: "cost",
    kid: "child",
    kids: "child",
    located: "address",
    location: "address",
    package: "parcel",
    packages: "parcel",
    park: "parking",
    price: "cost",
    prices: "cost",
    situated: "address",
    teenager: "child",
  }),
);

/** Statements of a place, which rarely contain the word "address": "We are at 12 Quay Street". */
const PLACE_PATTERN =
  /\b(are|is|find us) (at|on|opposite|next to) .*\b|\b(street|avenue|postcode|zip code)\b/i;

/** Words that carry meaning, in lower case, without common endings and with synonyms unified. */
export function contentWords(text: string): string[] {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []).filter(
    (word) => !FUNCTION_WORDS.has(word),
  );
  const stems = words.map((word) => stem(SYNONYMS.get(word) ?? word));
  return PLACE_PATTERN.test(text) ? [...stems, stem("address")] : stems;
}

function stem(word: string): string {
  if (word.length <= 3) return word;
  return word
    .replace(/'s$/, "")
    .replace(/ies$/, "y")
    .replace(/(?<=[sxz]|ch|sh)es$/, "")
    .replace(/(?<=[^s])s$/, "")
    .replace(/(?<=\w{3})(ing|ed|ance|ence|ation|ment)$/, "")
    .replace(/(?<=\w{3})[ey]$/, "");
}
