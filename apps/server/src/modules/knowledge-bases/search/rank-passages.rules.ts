/** Ranks passages by meaning and by words. */
import { MAX_PASSAGES_OF_WORD } from "./search.store.ts";

/** Weight of the share of the query's words in a passage, added to the cosine similarity. */
const WORD_WEIGHT = 0.25;

export interface RankedPassage {
  id: number;
  score: number;
}

export interface Candidates {
  /** Ascending. */
  ids: Float64Array;
  /** Cosine similarity of each passage. */
  similarities: Float32Array;
}

interface Selection {
  limit: number;
  threshold: number;
}

/**
 * Returns the best passages. A passage without a word of the query scores its similarity, so only those with words and the
 * most similar ones can be among the best.
 *
 * @param wordPassages Ids of the passages that have each word of the query.
 */
export function rankPassages(
  bases: readonly Candidates[],
  wordPassages: readonly (readonly number[])[],
  { limit, threshold }: Selection,
): RankedPassage[] {
  const total = bases.reduce((sum, { ids }) => sum + ids.length, 0);
  const shares = shareOfWords(wordPassages, total);
  const ranked: RankedPassage[] = [];
  for (const { ids, similarities } of bases) {
    const best = new Set(mostSimilar(similarities, limit));
    for (const id of shares.keys()) {
      const at = indexOf(ids, id);
      if (at !== undefined) best.add(at);
    }
    for (const at of best) {
      const id = ids[at] ?? 0;
      const score = (similarities[at] ?? 0) + WORD_WEIGHT * (shares.get(id) ?? 0);
      ranked.push({ id, score: Math.max(0, Math.min(1, score)) });
    }
  }
  return ranked
    .filter(({ score }) => score >= threshold)
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, limit);
}

/** Share of the query's words in each passage that has one; rare words weigh more. */
function shareOfWords(wordPassages: readonly (readonly number[])[], total: number): Map<number, number> {
  const shares = new Map<number, number>();
  const words = wordPassages
    .filter(({ length }) => length <= MAX_PASSAGES_OF_WORD)
    .map((passages) => ({ passages, weight: Math.log(1 + total / (1 + passages.length)) }));
  const all = words.reduce((sum, { weight }) => sum + weight, 0);
  for (const { passages, weight } of words)
    for (const id of passages) shares.set(id, (shares.get(id) ?? 0) + weight / all);
  return shares;
}

/** Positions of the highest values. */
function mostSimilar(similarities: Float32Array, count: number): number[] {
  const best: { at: number; value: number }[] = [];
  for (let at = 0; at < similarities.length; at++) {
    const value = similarities[at] ?? 0;
    if (best.length === count && value <= (best.at(-1)?.value ?? 0)) continue;
    const place = best.findIndex((each) => each.value < value);
    best.splice(place < 0 ? best.length : place, 0, { at, value });
    if (best.length > count) best.pop();
  }
  return best.map(({ at }) => at);
}

function indexOf(ascending: Float64Array, value: number): number | undefined {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return ascending[low] === value ? low : undefined;
}
