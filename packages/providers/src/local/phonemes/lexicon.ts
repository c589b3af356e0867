import { createRequire } from "node:module";
import { ipaToArpabet, isVowel, type Phone } from "./arpabet.ts";

/** Pronunciations of words. */
export interface Lexicon {
  /** Always returns phones: from the dictionary, from parts of the word, by letter-to-sound rules, or by spelling. */
  pronounce(word: string): readonly Phone[];
}

/** Exports of `phonemize/en-g2p`; its ES module does not load in Node and its types are not in the package. */
interface LetterToSound {
  predict(word: string): string | null;
}

const LETTER_NAMES: Record<string, string> = {
  a: "EY1",
  b: "B IY1",
  c: "S IY1",
  d: "D IY1",
  e: "IY1",
  f: "EH1 F",
  g: "JH IY1",
  h: "EY1 CH",
  i: "AY1",
  j: "JH EY1",
  k: "K EY1",
  l: "EH1 L",
  m: "EH1 M",
  n: "EH1 N",
  o: "OW1",
  p: "P IY1",
  q: "K Y UW1",
  r: "AA1 R",
  s: "EH1 S",
  t: "T IY1",
  u: "Y UW1",
  v: "V IY1",
  w: "D AH1 B AH0 L Y UW0",
  x: "EH1 K S",
  y: "W AY1",
  z: "Z IY1",
};

/** Words that the dictionary lacks or has in an uncommon form. */
const OWN_WORDS: Record<string, string> = {
  "o'clock": "AH0 K L AA1 K",
  missus: "M IH1 S IH0 Z",
  miz: "M IH1 Z",
  okay: "OW0 K EY1",
  email: "IY1 M EY2 L",
  wifi: "W AY1 F AY2",
  online: "AO1 N L AY2 N",
  website: "W EH1 B S AY2 T",
  voicemail: "V OY1 S M EY2 L",
  checkup: "CH EH1 K AH2 P",
  parley: "P AA1 R L IY0",
  kokoro: "K OW1 K AO0 R OW0",
  lead: "L IY1 D",
  minute: "M IH1 N AH0 T",
  kilometer: "K AH0 L AA1 M AH0 T ER0",
  kilometers: "K AH0 L AA1 M AH0 T ER0 Z",
};

const SIBILANT = new Set(["S", "Z", "SH", "ZH", "CH", "JH"]);
const VOICELESS = new Set(["P", "T", "K", "F", "TH"]);
const PREFIXES: Record<string, string> = {
  un: "AH0 N",
  re: "R IY0",
  non: "N AA2 N",
  pre: "P R IY0",
  mis: "M IH0 S",
};
/** Minimum length of half a compound, except for the particles in `SECOND_HALVES`. */
const MIN_HALF = 4;
const SECOND_HALVES = new Set(["up", "in", "out", "off", "on", "day", "way", "man", "box", "bot"]);

/** Names of a word's letters, with the last one stressed. */
export function spellWord(word: string): Phone[] {
  const letters = word
    .toLowerCase()
    .split("")
    .flatMap((letter) => LETTER_NAMES[letter] ?? []);
  return letters.flatMap((name, index) =>
    name.split(" ").map((phone) => (index === letters.length - 1 ? phone : phone.replace("1", "2"))),
  );
}

/** Phones of a plural or possessive `s` after `stem` (/ɪz/, /s/ or /z/). */
function pluralEnding(stem: readonly Phone[]): Phone[] {
  const last = stem.at(-1) ?? "";
  if (SIBILANT.has(last)) {
    return ["IH0", "Z"];
  }
  return [VOICELESS.has(last) ? "S" : "Z"];
}

function pastEnding(stem: readonly Phone[]): Phone[] {
  const last = stem.at(-1) ?? "";
  if (last === "T" || last === "D") {
    return ["IH0", "D"];
  }
  return [VOICELESS.has(last) || last === "S" || last === "SH" || last === "CH" ? "T" : "D"];
}

class CmuLexicon implements Lexicon {
  readonly #dictionary: Readonly<Record<string, string>>;
  /** Loaded for the first word that needs it, because it takes as long as the dictionary. */
  #letterToSound: LetterToSound | undefined;

  constructor(dictionary: Readonly<Record<string, string>>) {
    this.#dictionary = dictionary;
  }

  pronounce(word: string): readonly Phone[] {
    const lower = word.toLowerCase();
    return this.#known(lower) ?? this.#derived(lower) ?? this.#compound(lower) ?? this.#guessed(lower);
  }

  #known(word: string): Phone[] | undefined {
    const phones = Object.hasOwn(OWN_WORDS, word)
      ? OWN_WORDS[word]
      : Object.hasOwn(this.#dictionary, word)
        ? this.#dictionary[word]
        : undefined;
    return phones?.split(" ");
  }

  /** A known word with an ending or a prefix. */
  #derived(word: string): Phone[] | undefined {
    const withEnding = (stemText: string, ending: (stem: Phone[]) => Phone[]): Phone[] | undefined => {
      const stem = this.#known(stemText);
      return stem && [...stem, ...ending(stem)];
    };
    if (word.endsWith("'s") || word.endsWith("s'")) {
      const owner = this.pronounce(word.slice(0, -2) + (word.endsWith("s'") ? "s" : ""));
      return word.endsWith("s'") ? [...owner] : [...owner, ...pluralEnding(owner)];
    }
    const bare = word.replaceAll("'", "");
    if (bare !== word) {
      return [...this.pronounce(bare)];
    }
    const candidates: (Phone[] | undefined)[] = [
      word.endsWith("s") ? withEnding(word.slice(0, -1), pluralEnding) : undefined,
      word.endsWith("es") ? withEnding(word.slice(0, -2), pluralEnding) : undefined,
      word.endsWith("ies") ? withEnding(`${word.slice(0, -3)}y`, pluralEnding) : undefined,
      word.endsWith("ed") ? withEnding(word.slice(0, -2), pastEnding) : undefined,
      word.endsWith("ed") ? withEnding(word.slice(0, -1), pastEnding) : undefined,
      word.endsWith("ing") ? withEnding(word.slice(0, -3), () => ["IH0", "NG"]) : undefined,
      word.endsWith("ing") ? withEnding(`${word.slice(0, -3)}e`, () => ["IH0", "NG"]) : undefined,
      word.endsWith("ly") ? withEnding(word.slice(0, -2), () => ["L", "IY0"]) : undefined,
      word.endsWith("er") ? withEnding(word.slice(0, -1), () => ["ER0"]) : undefined,
    ];
    return candidates.find((phones) => phones !== undefined) ?? this.#prefixed(word);
  }

  #prefixed(word: string): Phone[] | undefined {
    for (const [prefix, phones] of Object.entries(PREFIXES)) {
      const stem = word.startsWith(prefix) ? this.#known(word.slice(prefix.length)) : undefined;
      if (stem !== undefined) {
        return [...phones.split(" "), ...stem];
      }
    }
    return undefined;
  }

  /** Two known words written together. The most even split is used, and the second word loses its primary stress. */
  #compound(word: string): Phone[] | undefined {
    let best: { evenness: number; phones: Phone[] } | undefined;
    for (let at = 3; at <= word.length - 2; at++) {
      const tail = word.slice(at);
      const isLongEnough = at >= MIN_HALF && tail.length >= MIN_HALF;
      const head = isLongEnough || SECOND_HALVES.has(tail) ? this.#known(word.slice(0, at)) : undefined;
      const second = head && this.#known(tail);
      const evenness = Math.min(at, tail.length);
      if (head !== undefined && second !== undefined && evenness > (best?.evenness ?? 0)) {
        best = { evenness, phones: [...head, ...second.map((phone) => phone.replace("1", "2"))] };
      }
    }
    return best?.phones;
  }

  #guessed(word: string): Phone[] {
    const plain = word.normalize("NFD").replace(/[^a-z]/g, "");
    if (!/[aeiouy]/.test(plain)) {
      return spellWord(plain);
    }
    this.#letterToSound ??= loadLetterToSound();
    const phones = ipaToArpabet(this.#letterToSound.predict(plain) ?? "");
    if (!phones.some(isVowel)) {
      return spellWord(plain);
    }
    // Rules may omit stress; English words have one.
    return phones.some((phone) => phone.endsWith("1")) ? phones : stressFirstVowel(phones);
  }
}

function stressFirstVowel(phones: Phone[]): Phone[] {
  const first = phones.findIndex(isVowel);
  return phones.map((phone, index) => (index === first ? phone.replace(/\d$/, "1") : phone));
}

/**
 * Loads the CMU Pronouncing Dictionary (135,000 words). The letter-to-sound rules of `phonemize` are loaded with the
 * first word that it lacks. Together 0.25 s and 130 MB, so only the process that synthesizes loads them.
 */
export async function loadLexicon(): Promise<Lexicon> {
  const { dictionary } = await import("cmu-pronouncing-dictionary");
  return new CmuLexicon(dictionary);
}

function loadLetterToSound(): LetterToSound {
  const rules: unknown = createRequire(import.meta.url)("phonemize/en-g2p");
  if (!isLetterToSoundModule(rules)) {
    throw new TypeError("phonemize/en-g2p exports no EnglishG2P");
  }
  return new rules.EnglishG2P();
}

function isLetterToSoundModule(module: unknown): module is { EnglishG2P: new () => LetterToSound } {
  return (
    typeof module === "object" &&
    module !== null &&
    "EnglishG2P" in module &&
    typeof module.EnglishG2P === "function"
  );
}
