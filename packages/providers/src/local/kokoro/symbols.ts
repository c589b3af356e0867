import { isVowel, type Phone } from "../phonemes/arpabet.ts";
import type { SpokenToken } from "../phonemes/pronounce.ts";

/** Token id of the space between words. */
export const SPACE_ID = 16;

/**
 * Kokoro's token ids (`model.vocab` of its tokenizer.json) of the symbols for American English: IPA with capitals for
 * diphthongs (A eɪ, I aɪ, O oʊ, W aʊ, Y ɔɪ) and T for the flap in "water".
 */
const TOKEN_IDS: Readonly<Record<string, number>> = {
  ";": 1,
  ":": 2,
  ",": 3,
  ".": 4,
  "!": 5,
  "?": 6,
  "—": 9,
  "…": 10,
  " ": SPACE_ID,
  A: 24,
  I: 25,
  O: 31,
  T: 36,
  W: 39,
  Y: 41,
  ᵊ: 42,
  b: 44,
  d: 46,
  f: 48,
  h: 50,
  i: 51,
  j: 52,
  k: 53,
  l: 54,
  m: 55,
  n: 56,
  p: 58,
  s: 61,
  t: 62,
  u: 63,
  v: 64,
  w: 65,
  z: 68,
  ɑ: 69,
  æ: 72,
  ɔ: 76,
  ð: 81,
  ʤ: 82,
  ə: 83,
  ɛ: 86,
  ɜ: 87,
  ɡ: 92,
  ɪ: 102,
  ŋ: 112,
  θ: 119,
  ɹ: 123,
  ʃ: 131,
  ʧ: 133,
  ʊ: 135,
  ʌ: 138,
  ʒ: 147,
  ˈ: 156,
  ˌ: 157,
  ᵻ: 177,
};

/** Id before and after every text. */
export const PAD_ID = 0;

const PHONE_SYMBOLS: Readonly<Record<string, string>> = {
  AA: "ɑ",
  AE: "æ",
  AH: "ʌ",
  AO: "ɔ",
  AW: "W",
  AY: "I",
  EH: "ɛ",
  ER: "ɜɹ",
  EY: "A",
  IH: "ɪ",
  IY: "i",
  OW: "O",
  OY: "Y",
  UH: "ʊ",
  UW: "u",
  B: "b",
  CH: "ʧ",
  D: "d",
  DH: "ð",
  F: "f",
  G: "ɡ",
  HH: "h",
  JH: "ʤ",
  K: "k",
  L: "l",
  M: "m",
  N: "n",
  NG: "ŋ",
  P: "p",
  R: "ɹ",
  S: "s",
  SH: "ʃ",
  T: "t",
  TH: "θ",
  V: "v",
  W: "w",
  Y: "j",
  Z: "z",
  ZH: "ʒ",
};
const STRESS_MARKS: Readonly<Record<string, string>> = { "1": "ˈ", "2": "ˌ" };

/** Consonants after which an unstressed vowel before /l/ or /n/ nearly vanishes: "total", "open". */
const STOPS_AND_FRICATIVES = /^(?:T|D|S|Z|SH|ZH|CH|JH|P|B|K|G|F|V|TH)$/;
const SIBILANTS = /^(?:S|Z|SH|ZH|CH|JH)$/;

function vowelSymbol(phones: readonly Phone[], index: number): string {
  const phone = phones[index] ?? "";
  const stress = phone.at(-1) ?? "";
  const before = phones[index - 1] ?? "";
  const after = phones[index + 1] ?? "";
  if (phone === "ER0") {
    return "əɹ";
  }
  if (phone === "AH0" || phone === "IH0") {
    const isEnding = index === phones.length - 2 && index > 0;
    if (isEnding && ((after === "Z" && SIBILANTS.test(before)) || (after === "D" && /^[TD]$/.test(before)))) {
      return "ᵻ";
    }
  }
  if (phone === "AH0") {
    const isSyllabic = (after === "L" || after === "N") && STOPS_AND_FRICATIVES.test(before);
    const next = phones[index + 2];
    return isSyllabic && (next === undefined || !isVowel(next)) ? "ᵊ" : "ə";
  }
  return (STRESS_MARKS[stress] ?? "") + (PHONE_SYMBOLS[phone.slice(0, -1)] ?? "");
}

/** Whether this is an American /t/ between vowels with the second unstressed: "water", "city". */
function isFlap(phones: readonly Phone[], index: number): boolean {
  const before = phones[index - 1];
  const after = phones[index + 1];
  return (
    phones[index] === "T" &&
    before !== undefined &&
    (isVowel(before) || before === "R") &&
    after !== undefined &&
    /^(?:AH|ER|IY|IH|OW)0$/.test(after) &&
    !(after === "AH0" && phones[index + 2] === "N")
  );
}

/** One word in Kokoro's symbols, e.g. `AA1 P AH0 N` → `ˈɑpᵊn`. */
export function wordSymbols(phones: readonly Phone[]): string {
  return phones
    .map((phone, index) => {
      if (isVowel(phone)) {
        return vowelSymbol(phones, index);
      }
      return isFlap(phones, index) ? "T" : (PHONE_SYMBOLS[phone] ?? "");
    })
    .join("");
}

/** Spoken tokens as one line of Kokoro's symbols, with spaces between words and marks right after them. */
export function kokoroSymbols(tokens: readonly SpokenToken[]): string {
  return tokens
    .map((token) => (token.kind === "word" ? ` ${wordSymbols(token.phones)}` : token.mark))
    .join("")
    .trimStart();
}

export function kokoroIds(symbols: string): number[] {
  return Array.from(symbols).flatMap((symbol) => TOKEN_IDS[symbol] ?? []);
}
