import type { WordTiming } from "@parley/conversation";

/**
 * The words of a text with their times. Empty if the number of spoken words differs from the written ones ("$20"),
 * because they cannot be assigned then.
 *
 * @param endsMs Ends of the spoken words, ascending.
 */
export function wordTimings(text: string, endsMs: readonly number[]): WordTiming[] {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length !== endsMs.length) return [];
  return words.map((word, index) => ({
    text: word,
    startMs: Math.max(0, endsMs[index - 1] ?? 0),
    endMs: Math.max(0, endsMs[index] ?? 0),
  }));
}
