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
  /** Whether passages without a similarity are found by their words. They score the share of the query's words. */
  hasUncompared?: boolean;
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
  { limit, threshold, hasUncompared = false }: Selection,
): RankedPassage[] {
  const compared = bases.reduce((sum, { ids }) => sum + ids.length, 0);
  // Passages without a similarity are not counted.
  const total = hasUncompared ? Math.max(compared, MAX_PASSAGES_OF_WORD) : compared;
  const shares = shareOfWords(wordPassages, total);
  const ranked: RankedPassage[] = [];
  if (hasUncompared) {
    const isCompared = (id: number): boolean => bases.some(({ ids }) => indexOf(ids, id) !== undefined);
    for (const [id, score] of shares) if (!isCompared(id)) ranked.push({ id, score });
  }
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
  let lowest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < similarities.length; at++) {
    const value = similarities[at] ?? 0;
    if (value <= lowest) continue;
    const place = best.findIndex((each) => each.value < value);
    best.splice(place < 0 ? best.length : place, 0, { at, value });
    if (best.length > count) best.pop();
    if (best.length === count) lowest = best.at(-1)?.value ?? lowest;
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

/** The passages without those whose text is among better ones: they would take the places of others. */
export function withoutRepetitions<Passage extends { heading: string; text: string }>(
  passages: readonly Passage[],
): Passage[] {
  const known = new Set<string>();
  return passages.filter(({ heading, text }) => {
    const key = `${heading}\n${text}`;
    return !known.has(key) && known.add(key);
  });
}
