import { isEnglish, wordsOf } from "./turn-words.ts";

/** Said to show that one listens, not to take the word. */
const backchannels = [
  "i see",
  "oh okay",
  "got it",
  "all right",
  "alright",
  "sounds good",
  "okay",
  "ok",
  "yeah",
  "yep",
  "yes",
  "right",
  "sure",
  "aha",
  "oh",
  "wow",
  "cool",
  "great",
  "good",
  "nice",
  "exactly",
  "indeed",
  "really",
];
/** How recognisers write sounds made with the mouth shut or half open. */
const humming = /^(?:m+|h+m+|m+h+m*|m+e?h+|h+e?m+|u+h+|a+h+|e+h+|h+u+h+|uhuh|mhmm?|mmhmm?|um|er)$/;
/** So many of the words being the agent's own, they came back over the line. */
const ECHO_SHARE = 0.6;
/** The agent's words from so far back can still come back. */
const ECHO_WORDS = 30;

export interface InterruptionRules {
  /** BCP 47. */
  language: string;
  ignoreWords: readonly string[];
  minWords: number;
}

/**
 * Whether what the caller said into the agent's speech is meant to stop it.
 *
 * @param agentText the agent's words up to then.
 */
export function interrupts(text: string, rules: InterruptionRules, agentText: string): boolean {
  const words = wordsOf(text);
  if (words.length === 0 || words.length < rules.minWords) return false;
  return !isIgnored(words, rules) && !isEcho(text, agentText);
}

function isIgnored(words: readonly string[], { language, ignoreWords }: InterruptionRules): boolean {
  const ignored = ignoreWords.map((phrase) => wordsOf(phrase).join(" "));
  const phrases = (isEnglish(language) ? [...ignored, ...backchannels] : ignored)
    .filter((phrase) => phrase !== "")
    .sort((a, b) => b.length - a.length);
  let rest = ` ${words.join(" ")} `;
  for (const phrase of phrases) {
    while (rest.includes(` ${phrase} `)) rest = rest.replace(` ${phrase} `, " ");
  }
  return wordsOf(rest).every((word) => word.split("-").every((part) => humming.test(part)));
}

/** Whether the words are the agent's own. */
export function isEcho(text: string, agentText: string): boolean {
  const words = wordsOf(text);
  const recent = new Set(wordsOf(agentText).slice(-ECHO_WORDS));
  return words.filter((word) => recent.has(word)).length >= words.length * ECHO_SHARE;
}
