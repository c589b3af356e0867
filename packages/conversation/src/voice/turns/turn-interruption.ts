import type { HeardText } from "../../providers/speech-to-text.ts";
import { isEnglish, splitWords } from "./turn-words.ts";

/** Said to show that one listens, not to take the word. */
const BACKCHANNELS = [
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
/** One of these is enough to take the word, however short; the last ones are what a telephone makes of "stop". */
const INTERRUPTING_WORDS = new Set(
  (
    "stop wait no hold hang sorry excuse pardon hello hey listen please question actually but what when where who why " +
    "how which repeat again slow slower cancel help person human agent operator bye goodbye stuff staff top duck"
  ).split(" "),
);
/** Those that are all that somebody says who wants silence at once. */
const COMMANDS = new Set("stop wait no hold on hang hello bye goodbye stuff staff top duck".split(" "));
/** A single word that is so likely to have been one of them is taken for it. */
const COMMAND_PROBABILITY = 0.2;
/** Recognizers make any words of a hum: one this short means something only with one of the above. */
const SHORT_SOUND_MS = 660;
const HUM_WORDS = 2;
/** How recognizers write sounds made with the mouth shut or half open. */
const HUMMING = /^(?:m+|h+m+|m+h+m*|m+e?h+|h+e?m+|u+h+|a+h+|e+h+|h+u+h+|uhuh|mhmm?|mmhmm?|um|er)$/;
/** So many of the words being the agent's own, they came back over the line. */
const ECHO_SHARE = 0.6;
/** The agent's words from so far back can still come back. */
const ECHO_WORDS = 30;
/** So many words that are not the agent's, of the last few, were said by somebody else into the echo. */
const OTHER_WORDS = 3;
const LAST_WORDS = 5;

export interface InterruptionRules {
  /** BCP 47. */
  language: string;
  ignoreWords: readonly string[];
  minWords: number;
}

/** What was said into the agent's speech. */
export interface SpokenOver extends HeardText {
  /** How long there was voice in it. */
  voicedMs: number;
}

/**
 * Whether what the caller said into the agent's speech is meant to stop it.
 *
 * @param agentText the agent's words up to then.
 */
export function interrupts(said: SpokenOver, rules: InterruptionRules, agentText: string): boolean {
  const words = splitWords(said.text);
  if (words.length === 0 || words.length < rules.minWords) return false;
  if (isIgnored(words, rules) || isEcho(said.text, agentText)) return false;
  // A word or two may answer what the agent has asked.
  const isShort = said.voicedMs < SHORT_SOUND_MS && words.length <= HUM_WORDS;
  const isHum = isShort && isEnglish(rules.language) && !agentText.includes("?");
  return !isHum || words.some((word) => INTERRUPTING_WORDS.has(word)) || soundsLikeCommand(said, words);
}

/** Whether all that was said is a word that asks for silence: such are over before they last as long as an interruption. */
export function isCommand(heard: HeardText, rules: InterruptionRules, agentText: string): boolean {
  const words = splitWords(heard.text);
  if (words.length === 0 || words.length < rules.minWords || isIgnored(words, rules)) return false;
  if (isEcho(heard.text, agentText)) return false;
  return words.every((word) => COMMANDS.has(word)) || soundsLikeCommand(heard, words);
}

/** The recognizer took one short word for another, and knows that it may have been one that asks for silence. */
function soundsLikeCommand({ certainty }: HeardText, words: readonly string[]): boolean {
  if (certainty === undefined || words.length !== 1) return false;
  const asking = certainty.lastWord.filter(({ text }) => COMMANDS.has(text.toLowerCase()));
  return asking.reduce((sum, { probability }) => sum + probability, 0) >= COMMAND_PROBABILITY;
}

function isIgnored(words: readonly string[], { language, ignoreWords }: InterruptionRules): boolean {
  const ignored = ignoreWords.map((phrase) => splitWords(phrase).join(" "));
  const phrases = (isEnglish(language) ? [...ignored, ...BACKCHANNELS] : ignored)
    .filter((phrase) => phrase !== "")
    .sort((a, b) => b.length - a.length);
  let rest = ` ${words.join(" ")} `;
  for (const phrase of phrases) {
    while (rest.includes(` ${phrase} `)) rest = rest.replace(` ${phrase} `, " ");
  }
  return splitWords(rest).every((word) => word.split("-").every((part) => HUMMING.test(part)));
}

/** Whether the words are the agent's own: most of them are, and some in the same order. */
export function isEcho(text: string, agentText: string): boolean {
  const words = splitWords(text);
  const recent = splitWords(agentText).slice(-ECHO_WORDS);
  const others = words.filter((word) => !recent.includes(word)).length;
  if (words.length - others < words.length * ECHO_SHARE) return false;
  const lastOthers = words.slice(-LAST_WORDS).filter((word) => !recent.includes(word)).length;
  if (words.length > LAST_WORDS && lastOthers >= OTHER_WORDS) return false;
  const pairs = new Set(recent.slice(1).map((word, index) => `${recent[index]} ${word}`));
  return words.length <= 1 || words.slice(1).some((word, index) => pairs.has(`${words[index]} ${word}`));
}
