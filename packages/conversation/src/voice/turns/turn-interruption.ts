import type { HeardText } from "../../providers/speech-to-text.ts";
import { backchannelsOf } from "./backchannels.ts";
import { isEnglish, splitWords } from "./turn-words.ts";

/**
 * Words that interrupt however short they are. The last ones are what recognizers write for "stop" over the telephone.
 */
const INTERRUPTING_WORDS = new Set(
  (
    "stop wait no hold hang sorry excuse pardon hello hey listen please question actually but what when where who why " +
    "how which repeat again slow slower cancel help person human agent operator bye goodbye stuff staff top duck"
  ).split(" "),
);
/** Words that alone ask for immediate silence. */
const COMMANDS = new Set("stop wait no hold on hang hello bye goodbye stuff staff top duck".split(" "));
/** Probability from which a single word counts as a command that the recognizer misheard. */
const COMMAND_PROBABILITY = 0.2;
/** Sounds shorter than this interrupt only with one of the words above, because recognizers turn any hum into words. */
const SHORT_SOUND_MS = 660;
const HUM_WORDS = 2;
/** How recognizers write sounds made with the mouth closed or half open. */
const HUMMING = /^(?:m+|h+m+|m+h+m*|m+e?h+|h+e?m+|u+h+|a+h+|e+h+|h+u+h+|uhuh|mhmm?|mmhmm?|um|er)$/;
/** Share of the agent's own words from which a text counts as echo. */
const ECHO_SHARE = 0.6;
/** Number of the agent's last words that can return as echo. */
const ECHO_WORDS = 30;
/** Number of other words among the last `LAST_WORDS` that show a caller speaking over the echo. */
const OTHER_WORDS = 3;
const LAST_WORDS = 5;

export interface InterruptionRules {
  /** BCP 47. */
  language: string;
  ignoreWords: readonly string[];
  /** Whether words that show attention in the language are ignored too. */
  ignoresBackchannels: boolean;
  minWords: number;
}

/** Caller speech over the agent's speech. */
export interface SpokenOver extends HeardText {
  /** Duration of voice in it. */
  voicedMs: number;
}

/**
 * Whether caller speech over the agent's speech is meant to stop it.
 *
 * @param agentText The agent's words up to that moment.
 */
export function interrupts(said: SpokenOver, rules: InterruptionRules, agentText: string): boolean {
  const words = splitWords(said.text);
  if (words.length === 0 || words.length < rules.minWords) return false;
  if (isIgnored(words, rules) || isEcho(said.text, agentText)) return false;
  // One or two words may answer a question of the agent.
  const isShort = said.voicedMs < SHORT_SOUND_MS && words.length <= HUM_WORDS;
  const isHum = isShort && isEnglish(rules.language) && !agentText.includes("?");
  return !isHum || words.some((word) => INTERRUPTING_WORDS.has(word)) || soundsLikeCommand(said, words);
}

/**
 * Whether the whole text is a command such as "stop". Commands are over before they reach the interruption threshold.
 */
export function isCommand(heard: HeardText, rules: InterruptionRules, agentText: string): boolean {
  const words = splitWords(heard.text);
  if (words.length === 0 || words.length < rules.minWords || isIgnored(words, rules)) return false;
  if (isEcho(heard.text, agentText)) return false;
  return words.every((word) => COMMANDS.has(word)) || soundsLikeCommand(heard, words);
}

/** Whether the recognizer heard one short word and finds a command likely in its place. */
function soundsLikeCommand({ certainty }: HeardText, words: readonly string[]): boolean {
  if (certainty === undefined || words.length !== 1) return false;
  const asking = certainty.lastWord.filter(({ text }) => COMMANDS.has(text.toLowerCase()));
  return asking.reduce((sum, { probability }) => sum + probability, 0) >= COMMAND_PROBABILITY;
}

function isIgnored(words: readonly string[], rules: InterruptionRules): boolean {
  const { language, ignoreWords, ignoresBackchannels } = rules;
  const phrases = [...ignoreWords, ...(ignoresBackchannels ? backchannelsOf(language) : [])]
    .map((phrase) => splitWords(phrase).join(" "))
    .filter((phrase) => phrase !== "")
    .sort((a, b) => b.length - a.length);
  let rest = ` ${words.join(" ")} `;
  for (const phrase of phrases) {
    while (rest.includes(` ${phrase} `)) rest = rest.replace(` ${phrase} `, " ");
  }
  return splitWords(rest).every((word) => word.split("-").every((part) => HUMMING.test(part)));
}

/** Whether the words are an echo of the agent: most of them are its words, and some are in the same order. */
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
