/** Acronyms that are spoken as words. */
const SPOKEN_AS_WORDS = new Set([
  "NASA",
  "NATO",
  "UNESCO",
  "UNICEF",
  "PIN",
  "SIM",
  "LASIK",
  "COVID",
  "AIDS",
  "OPEC",
  "FIFA",
  "IKEA",
  "SWAT",
  "RAM",
  "ZIP",
  "GIF",
  "SAAS",
  "CAPTCHA",
  "SCUBA",
  "LASER",
  "RADAR",
  "VISA",
  "ASAP",
]);
/** Short words that are in capitals for emphasis or in headings, and are not initials. */
const SHORT_WORDS = new Set([
  "A",
  "I",
  "AN",
  "AND",
  "ARE",
  "AS",
  "AT",
  "BE",
  "BUT",
  "BY",
  "CAN",
  "DO",
  "FOR",
  "GET",
  "GO",
  "HE",
  "HER",
  "HIS",
  "HOW",
  "IF",
  "IN",
  "IS",
  "ITS",
  "ME",
  "MY",
  "NEW",
  "NO",
  "NOT",
  "NOW",
  "OF",
  "ON",
  "ONE",
  "OR",
  "OUR",
  "OUT",
  "SHE",
  "SO",
  "THE",
  "TO",
  "TWO",
  "UP",
  "WAS",
  "WE",
  "WHO",
  "WHY",
  "YES",
  "YOU",
  "ALL",
  "ANY",
  "FREE",
  "HAS",
  "HAD",
  "DID",
  "OFF",
  "SEE",
  "DAY",
  "MR",
  "MRS",
  "MS",
]);

const CAPITALS = /(?<![\p{L}\d])(\p{Lu}{2,})('?s)?(?![\p{L}\d])/gu;
/** A sentence's first word "A"; any other single capital A is the letter. */
const SENTENCE_ARTICLE = /(?<=^|[.!?:…—"(]\s*)A(?=\s+\p{L}{2})/gu;
/** After these a single A is the letter, not the article. */
const LETTER_A =
  /(?<=\b(?:option|plan|vitamin|grade|letter|part|section|terminal|gate|line|hepatitis|type)\s)a\b/gi;

function spell(letters: string): string {
  return letters.split("").join(" ");
}

function isSpelled(word: string): boolean {
  if (SPOKEN_AS_WORDS.has(word) || SHORT_WORDS.has(word)) {
    return false;
  }
  return word.length <= 3 || !/[AEIOUY]/.test(word) || (word.length === 4 && /[^AEIOUY]{3}/.test(word));
}

/**
 * Turns initials into single capitals (`FBI` → `F B I`) and words in capitals into lower case. A text entirely in
 * capitals counts as emphasis: only words of up to three letters are spelled.
 */
export function expandAcronyms(text: string): string {
  const isShouted = text.length > 12 && !/\p{Ll}/u.test(text);
  return text
    .replace(isShouted ? /\bA\b/g : SENTENCE_ARTICLE, "a")
    .replace(CAPITALS, (_match, word: string, suffix: string | undefined) => {
      const ending = suffix === undefined ? "" : "'s";
      if (word === "OK") {
        return `okay${ending}`;
      }
      const spelled = isShouted
        ? word.length <= 3 && !SHORT_WORDS.has(word) && !/[AEIOUY]/.test(word)
        : isSpelled(word);
      return (spelled ? spell(word) : word.toLowerCase()) + ending;
    })
    .replace(LETTER_A, "A");
}
