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
/** Short single words that do interrupt; any other is most often a misheard sign of listening. */
const calls = new Set(
  "stop wait no nope what why who when where how hello hey hi sorry pardon excuse please help enough hold but listen quiet repeat again question operator agent human person".split(
    " ",
  ),
);
const SHORT_WORD_MS = 450;
/** So many of the words being the agent's own, they came back over the line. */
const ECHO_SHARE = 0.7;
/** The agent's words from so far back can still come back. */
const ECHO_WORDS = 30;

export interface InterruptionRules {
  /** BCP 47. */
  language: string;
  ignoreWords: readonly string[];
  minWords: number;
}

/** What was said into the agent's speech. */
export interface Interjection {
  text: string;
  /** Length of its speech. */
  voicedMs: number;
  /** The agent's words up to then. */
  agentText: string;
}

/** Whether what the caller said into the agent's speech is meant to stop it. */
export function interrupts({ text, voicedMs, agentText }: Interjection, rules: InterruptionRules): boolean {
  const words = wordsOf(text);
  const [first] = words;
  if (first === undefined || words.length < rules.minWords) return false;
  const isShort = words.length === 1 && voicedMs <= SHORT_WORD_MS && isEnglish(rules.language);
  if (isShort && !calls.has(first)) return false;
  return !isIgnored(words, rules) && !isEcho(words, agentText);
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

function isEcho(words: readonly string[], agentText: string): boolean {
  const recent = new Set(wordsOf(agentText).slice(-ECHO_WORDS));
  return words.filter((word) => recent.has(word)).length >= words.length * ECHO_SHARE;
}
