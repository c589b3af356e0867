import type { HeardText } from "../../providers/speech-to-text.ts";
import { digitsIn, type NumberWords, numberWordsOf } from "./number-words.ts";

/** Words with their apostrophes and hyphens. All word lists below are English; of other languages only numbers are known. */

const WORD_PATTERN = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

export function splitWords(text: string): string[] {
  return text.toLowerCase().replaceAll("’", "'").match(WORD_PATTERN) ?? [];
}

export function isEnglish(language: string): boolean {
  return /^en(-|$)/i.test(language);
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words that never end a statement: conjunctions, articles, possessives, verbs that take an object. */
const OPENING_WORDS = wordSet(
  "and or but nor because if while although unless until than as whether " +
    "a an the my your his its our their every " +
    "of to for from with without at into onto " +
    "i we they he she i'm we're they're i've we've i'd we'd i'll we'll it's that's there's " +
    "is are was were am be been being has had would could should might must " +
    "wanted very which who whose",
);
/** Words that are mostly followed by others: "I can do that", "on the day after". */
const LEADING_WORDS = wordSet(
  "so when since her this these those some any each another by about over under between during before after on in " +
    "have do does did will can may want need like called that what where really just also not please",
);
/** Those of both lists that can end a question. */
const CLOSING_AFTER_QUESTION = wordSet(
  "on in at by about with for from to is are was were that this not do does did have want need like please over before after",
);
const FILLERS = wordSet("um uh uhm er erm hmm hm mm well uhh umm");
const QUESTION_WORDS = wordSet(
  "what when where who whose which why how can could may do does did is are was were will would should have has am what's where's how's who's",
);
const CLOSERS = [
  "thank you",
  "thanks",
  "please",
  "goodbye",
  "bye",
  "that's all",
  "that is all",
  "no problem",
];
export type TurnEnding =
  /** One or two words in answer to a question of the agent. */
  | "answer"
  | "question"
  /** A phrase that usually closes what people say. */
  | "closed"
  /** Digits, as many as numbers of that kind usually have. */
  | "wholeNumber"
  /** Probably in the middle of a number. */
  | "number"
  /** More must follow. */
  | "unfinished"
  /** More usually follows. */
  | "trailing"
  /** One or two words that answer nothing. */
  | "fragment"
  /** Possibly complete. */
  | "statement"
  /** Of a language in which only numbers are recognized. */
  | "unknown";

export interface SaidContext {
  /** BCP 47. */
  language: string;
  /** What the agent said before. */
  agentText: string;
}

/** Classifies how the text ends. Pure; ignores punctuation, which recognizers set freely. */
export function classifyEnding(text: string, { language, agentText }: SaidContext): TurnEnding {
  const words = splitWords(text);
  const numbers = numberWordsOf(language);
  if (!isEnglish(language)) return (numbers && numberEnding(words, agentText, numbers)) ?? "unknown";
  const last = words.at(-1) ?? "";
  const isAnswer = agentText.trimEnd().endsWith("?");
  if (FILLERS.has(last)) return "unfinished";
  const isClosed = CLOSERS.some((closer) => words.join(" ").endsWith(closer));
  const number = isClosed || numbers === undefined ? undefined : numberEnding(words, agentText, numbers);
  if (number !== undefined) return number;
  const isQuestion = QUESTION_WORDS.has(words[0] ?? "") && words.length >= 3;
  if (isOpen(words, isQuestion)) return OPENING_WORDS.has(last) ? "unfinished" : "trailing";
  if (isClosed) return "closed";
  if (words.length <= 3 && isAnswer) return "answer";
  if (words.length <= 2) return "fragment";
  return isQuestion ? "question" : "statement";
}

/** Probability that the text has an open ending, over all alternatives of its last word. */
export function openEndingProbability({ text, certainty }: HeardText, context: SaidContext): number {
  if (certainty === undefined) return isOpenEnding(classifyEnding(text, context)) ? 1 : 0;
  const before = splitWords(text).slice(0, -1).join(" ");
  const open = certainty.lastWord.filter((choice) =>
    isOpenEnding(classifyEnding(`${before} ${choice.text}`, context)),
  );
  return open.reduce((sum, { probability }) => sum + probability, 0);
}

export function isOpenEnding(ending: TurnEnding): boolean {
  return ending === "unfinished" || ending === "trailing";
}

function isOpen(words: readonly string[], isQuestion: boolean): boolean {
  const last = words.at(-1) ?? "";
  if (!OPENING_WORDS.has(last) && !LEADING_WORDS.has(last)) return false;
  if (last === "please") return words.length > 2 && isQuestion;
  return !(isQuestion && CLOSING_AFTER_QUESTION.has(last)) || words.length < 4;
}

/** Usual digit counts of numbers that are read out: 10 and 11 for telephone numbers, 16 for cards. */
const USUAL_DIGITS = new Set([10, 11, 16]);
const MIN_DIGITS = 3;
/** Maximum number of words that a misheard first group of digits can have. */
const MISHEARD_WORDS = 6;

function numberEnding(
  words: readonly string[],
  agentText: string,
  numbers: NumberWords,
): "number" | "wholeNumber" | undefined {
  const isAsked = numbers.request.test(agentText);
  const digitsOf = words.map((word) => digitsIn(word, numbers));
  // After a request for a number the answer is one, even if the recognizer misspells its beginning.
  if ((digitsOf.at(-1) ?? 0) === 0) return isAsked && words.length <= MISHEARD_WORDS ? "number" : undefined;
  const digits = digitsOf.reduce((sum, count) => sum + count, 0);
  if (!isAsked && digits < MIN_DIGITS) return undefined;
  return USUAL_DIGITS.has(digits) ? "wholeNumber" : "number";
}
