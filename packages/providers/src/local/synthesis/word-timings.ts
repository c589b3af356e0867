import type { WordTiming } from "@parley/conversation";

/**
 * The words of a text by when each was heard. Empty where the text was read out as another number of words than it is
 * written with ("$20"): which of them is which is not known then.
 *
 * @param endsMs where the spoken words end, ascending.
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
