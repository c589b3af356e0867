import { isVowel, withoutStress, withSecondaryStress, type Phone } from "./arpabet.ts";
import { pronounceHeteronym } from "./heteronyms.ts";
import { spellWord, type Lexicon } from "./lexicon.ts";
import { normalizeText } from "./normalize.ts";

const PAUSE_MARKS = [",", ".", "!", "?", ";", ":", "—", "…"] as const;

export type PauseMark = (typeof PAUSE_MARKS)[number];

/** A spoken word or pause, in order. */
export type SpokenToken =
  | { kind: "word"; phones: readonly Phone[] }
  /** Punctuation that is audible, as a pause or in the intonation. */
  | { kind: "pause"; mark: PauseMark };

/** Words without stress unless they end a phrase. */
const FUNCTION_WORDS = new Set(
  (
    "a an the or but nor of to in on at by for from with as than into onto is are am was were be been being " +
    "do does did have has had can could will would shall should may might must you it me him her us them your " +
    "his its their that this if so you're it's you'll it'll you've you'd there's that's"
  ).split(" "),
);
/** Words with half the stress: without any, their first sound is lost on a telephone. */
const LIGHT_WORDS = new Set(
  (
    "and i i'm i'll i've i'd we we're we'll we've we'd he he's he'll he'd she she's she'll she'd they they're they'll " +
    "they've they'd our my"
  ).split(" "),
);
/** Weak forms that differ from the strong form by more than stress. */
const WEAK_FORMS: Record<string, string> = {
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
const WEAK_FORMS_BEFORE_VOWELS: Record<string, string> = { the: "DH IY0", to: "T UH0" };

const TOKEN = /[\p{L}\p{M}\d]+(?:'[\p{L}\p{M}]+)*'?|[,.!?;:—…]|-/gu;

interface Word {
  kind: "word";
  text: string;
  /** A single capital, which is the name of a letter. */
  isLetter: boolean;
}

type TextToken = Word | { kind: "pause"; mark: PauseMark };

function tokenize(normalized: string): TextToken[] {
  const tokens: TextToken[] = [];
  for (const [match] of normalized.matchAll(TOKEN)) {
    if (/^[\p{L}\p{M}\d]/u.test(match)) {
      const isLetter = /^[A-Z](?:'s)?$/.test(match) && match !== "I";
      tokens.push({ kind: "word", text: match.toLowerCase(), isLetter });
      continue;
    }
    // Marks at the start and after another mark add nothing.
    const mark = PAUSE_MARKS.find((each) => each === match);
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
 * Turns English text into sounds: normalized, looked up, with function words weakened within phrases (`the` and `to` by
 * the following sound). Empty if nothing in the text can be pronounced.
 */
export function pronounceText(text: string, lexicon: Lexicon): SpokenToken[] {
  const tokens = tokenize(normalizeText(text));
  const spoken: SpokenToken[] = [];
  // Backwards, because a weak form depends on the following sound.
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

/** The form of a word among others; `following` is `undefined` at the end of a phrase. */
function inPhrase(word: string, strong: readonly Phone[], following: Phone | undefined): readonly Phone[] {
  if (FUNCTION_WORDS.has(word)) {
    return weaken(word, strong, following);
  }
  return following !== undefined && LIGHT_WORDS.has(word) ? withSecondaryStress(strong) : strong;
}

function weaken(word: string, strong: readonly Phone[], following: Phone | undefined): readonly Phone[] {
  if (following === undefined) {
    return word === "the" || word === "a" ? (WEAK_FORMS[word]?.split(" ") ?? strong) : strong;
  }
  if (isVowel(following) && Object.hasOwn(WEAK_FORMS_BEFORE_VOWELS, word)) {
    return WEAK_FORMS_BEFORE_VOWELS[word]?.split(" ") ?? strong;
  }
  return (
    (Object.hasOwn(WEAK_FORMS, word) ? WEAK_FORMS[word]?.split(" ") : undefined) ?? withoutStress(strong)
  );
}
