import { expandAbbreviations } from "./abbreviations.ts";
import { expandAddresses } from "./addresses.ts";
import { expandAcronyms } from "./acronyms.ts";
import { expandDates } from "./dates.ts";
import { expandNumbers } from "./numbers.ts";

/** Removes marks of layout, emphasis and links that a language model writes. */
function stripMarkup(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`#~|<>{}[\]\\]|(?<![\p{L}\d])_+|_+(?![\p{L}\d])/gu, (mark) => (mark === "#" ? "#" : " "))
    .replace(/^#+\s|#(?!\d)/gm, " ");
}

function unifyPunctuation(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[“”«»„]/g, '"')
    .replace(/(?<=\d)\s*[‐‑‒–—−]\s*(?=\d)|(?<=\p{L})–(?=[\p{L}\d])|[‐‑]/gu, "-")
    .replace(/−/g, "-")
    .replace(/\s*(?:[–—―]|\s--?\s|--)\s*/g, " — ")
    .replace(/\.{2,}/g, "…")
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Default_Ignorable_Code_Point}/gu, " ");
}

function expandSymbols(text: string): string {
  return text
    .replace(/\band\/or\b/gi, "and or")
    .replace(/&/g, " and ")
    .replace(/@/g, " at ")
    .replace(/(?<=\w)\s*\+\s*(?=\w)/g, " plus ")
    .replace(/(?<=\w)\s*=\s*(?=\w)/g, " equals ")
    .replace(/%/g, " percent ")
    .replace(/\//g, " ")
    .replace(/_/g, " ");
}

/**
 * Turns written English into spoken words: expands numbers, dates, money, addresses and abbreviations, writes spelled
 * letters as single capitals (`F B I`), and reduces punctuation to `, . ! ? ; : — …` and quotes.
 */
export function normalizeText(text: string): string {
  let out = unifyPunctuation(text);
  out = expandAddresses(out);
  out = stripMarkup(out);
  out = expandDates(out);
  out = expandNumbers(out);
  out = expandAbbreviations(out);
  out = expandAcronyms(out);
  out = expandSymbols(out);
  return out
    .replace(/[^\p{L}\p{M}\d\s'.,!?;:—…"()-]/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/\s+(?=[.,!?;:…])/g, "")
    .trim();
}
