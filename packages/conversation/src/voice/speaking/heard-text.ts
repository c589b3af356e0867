import type { WordTiming } from "../../providers/text-to-speech.ts";

/** Assumed speaking rate of a voice. */
const CHARACTERS_PER_SECOND = 15;

export interface ClauseProgress {
  text: string;
  playedMs: number;
  /** Duration of the clause's audio received so far. */
  arrivedMs: number;
  isComplete: boolean;
  words: readonly WordTiming[];
}

/**
 * The words of a clause heard after `playedMs` of its audio, by the provider's word timings or else in proportion to
 * the text. A word counts once it has been heard to its end.
 */
export function heardText(clause: ClauseProgress): string {
  const { text, playedMs, arrivedMs, isComplete, words } = clause;
  if (playedMs <= 0) return "";
  if (isComplete && playedMs >= arrivedMs) return text;
  if (words.length > 0) return textUpToWord(text, words, playedMs);
  const expectedMs = (text.trim().length / CHARACTERS_PER_SECOND) * 1000;
  const totalMs = isComplete ? arrivedMs : Math.max(arrivedMs, expectedMs);
  return cutAtWord(text, Math.floor(text.length * Math.min(1, playedMs / totalMs)));
}

function textUpToWord(text: string, words: readonly WordTiming[], playedMs: number): string {
  let end = 0;
  for (const word of words) {
    if (word.endMs > playedMs) break;
    const at = text.indexOf(word.text.trim(), end);
    if (at >= 0) end = at + word.text.trim().length;
  }
  // Includes the punctuation of the last word, so that "cost," is not cut to "cost".
  return text.slice(0, end) + (end > 0 ? (/^[^\s\p{L}\p{N}]+/u.exec(text.slice(end))?.[0] ?? "") : "");
}

function cutAtWord(text: string, length: number): string {
  const head = text.slice(0, length);
  if (length >= text.length || /\s/.test(text.charAt(length)) || !/\s/.test(text.trim())) return head;
  return head.slice(0, head.search(/\S*$/)).trimEnd();
}
