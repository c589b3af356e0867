import { isVowel, withoutStress, withSecondaryStress, type Phone } from "./arpabet.ts";
import { pronounceHeteronym } from "./heteronyms.ts";
import { spellWord, type Lexicon } from "./lexicon.ts";
import { normaliseText } from "./normalise.ts";

const pauseMarks = [",", ".", "!", "?", ";", ":", "—", "…"] as const;

export type PauseMark = (typeof pauseMarks)[number];

/** What is said, in order. */
export type SpokenToken =
  | { kind: "word"; phones: readonly Phone[] }
  /** Punctuation that is heard, as a pause or in the melody. */
  | { kind: "pause"; mark: PauseMark };

/** Said without stress unless they end a phrase. */
const functionWords = new Set(
  (
    "a an the or but nor of to in on at by for from with as than into onto is are am was were be been being " +
    "do does did have has had can could will would shall should may might must you it me him her us them your " +
    "his its their that this if so you're it's you'll it'll you've you'd there's that's"
  ).split(" "),
);
/** Said with half the stress: without any, the sound that they begin with is lost on a telephone. */
const lightWords = new Set(
  (
    "and i i'm i'll i've i'd we we're we'll we've we'd he he's he'll he'd she she's she'll she'd they they're they'll " +
    "they've they'd our my"
  ).split(" "),
);
/** Weak forms that are not just the strong form without its stress. */
const weakForms: Record<string, string> = {
  a: "AH0",
  an: "AE0 N",
  the: "DH AH0",
  to: "T AH0",
  of: "AH0 V",
  for: "F AO0 R",
  from: "F R AH0 M",
  your: "Y AO0 R",
  than: "DH AH0 N",
};
const weakFormsBeforeVowels: Record<string, string> = { the: "DH IY0", to: "T UH0" };

const TOKEN = /[\p{L}\p{M}\d]+(?:'[\p{L}\p{M}]+)*'?|[,.!?;:—…]|-/gu;

interface Word {
  kind: "word";
  text: string;
  /** A capital by itself is a letter's name. */
  isLetter: boolean;
}

type TextToken = Word | { kind: "pause"; mark: PauseMark };

function tokenize(normalised: string): TextToken[] {
  const tokens: TextToken[] = [];
  for (const [match] of normalised.matchAll(TOKEN)) {
    if (/^[\p{L}\p{M}\d]/u.test(match)) {
      const isLetter = /^[A-Z](?:'s)?$/.test(match) && match !== "I";
      tokens.push({ kind: "word", text: match.toLowerCase(), isLetter });
      continue;
    }
    // Marks at the start and after another mark say nothing more.
    const mark = pauseMarks.find((each) => each === match);
    if (mark !== undefined && tokens.at(-1)?.kind === "word") {
      tokens.push({ kind: "pause", mark });
    }
  }
  return tokens;
}

function pronounceWord(
  tokens: readonly TextToken[],
  index: number,
  word: Word,
  lexicon: Lexicon,
): readonly Phone[] {
  const before = tokens[index - 1];
  const previous = before?.kind === "word" ? before.text : undefined;
  if (word.isLetter) {
    const [letter = ""] = word.text;
    return word.text.length > 1 ? [...spellWord(letter), "Z"] : spellWord(letter);
  }
  return pronounceHeteronym(word.text, previous) ?? lexicon.pronounce(word.text);
}

/**
 * English text as sounds: normalised, looked up, function words weakened within phrases (`the` and `to` by the
 * sound that follows). Empty where nothing in the text can be said.
 */
export function pronounceText(text: string, lexicon: Lexicon): SpokenToken[] {
  const tokens = tokenize(normaliseText(text));
  const spoken: SpokenToken[] = [];
  // From the end, because a weak form depends on the sound after it.
  let following: Phone | undefined;
  for (let index = tokens.length - 1; index >= 0; index--) {
    const token = tokens[index];
    if (token === undefined) {
      continue;
    }
    if (token.kind === "pause") {
      spoken.unshift(token);
      following = undefined;
      continue;
    }
    const strong = pronounceWord(tokens, index, token, lexicon);
    const phones = token.isLetter ? strong : inPhrase(token.text, strong, following);
    if (phones.length > 0) {
      spoken.unshift({ kind: "word", phones });
      following = phones[0];
    }
  }
  return spoken;
}

/** A word as it is said among others; `following` is undefined at the end of a phrase. */
function inPhrase(word: string, strong: readonly Phone[], following: Phone | undefined): readonly Phone[] {
  if (functionWords.has(word)) {
    return weaken(word, strong, following);
  }
  return following !== undefined && lightWords.has(word) ? withSecondaryStress(strong) : strong;
}

function weaken(word: string, strong: readonly Phone[], following: Phone | undefined): readonly Phone[] {
  if (following === undefined) {
    return word === "the" || word === "a" ? (weakForms[word]?.split(" ") ?? strong) : strong;
  }
  if (isVowel(following) && Object.hasOwn(weakFormsBeforeVowels, word)) {
    return weakFormsBeforeVowels[word]?.split(" ") ?? strong;
  }
  return (Object.hasOwn(weakForms, word) ? weakForms[word]?.split(" ") : undefined) ?? withoutStress(strong);
}
