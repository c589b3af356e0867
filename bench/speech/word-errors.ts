/**
 * Word error rate: words substituted, left out or put in, over the words said. Before comparing, both texts are
 * written alike, so that only what was heard counts and not how it is spelt:
 *
 * - lower case, no punctuation, hyphens as spaces;
 * - numbers of one or two digits as number words (`33` → `thirty three`), longer ones digit by digit
 *   (`29340` → `two nine three four zero`);
 * - `mr` → `mister`, and British `metre` → `meter`.
 */

const units =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

function spellNumber(digits: string): string {
  if (digits.length > 2 || (digits.length === 2 && digits.startsWith("0"))) {
    return Array.from(digits, (digit) => units[Number(digit)]).join(" ");
  }
  const value = Number(digits);
  const unit = units[value];
  if (unit !== undefined) return unit;
  const ten = tens[Math.floor(value / 10) - 2] ?? "";
  return value % 10 === 0 ? ten : `${ten} ${units[value % 10]}`;
}

const spellings: Readonly<Record<string, string>> = { mr: "mister", metre: "meter", metres: "meters" };

/** Words of a text in the normalized spelling. */
export function normalizeWords(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/\d+/g, (digits) => ` ${spellNumber(digits)} `)
    .replaceAll(/[^a-z']+/g, " ")
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => spellings[word] ?? word);
}

/**
 * Smallest number of substitutions, deletions and insertions that turn one text into the other (Levenshtein, by words).
 */
export function countWordErrors(said: readonly string[], heard: readonly string[]): number {
  let row = heard.map((_, index) => index + 1);
  for (const [saidAt, word] of said.entries()) {
    let diagonal = saidAt;
    let left = saidAt + 1;
    row = row.map((above, index) => {
      const errors = Math.min(diagonal + (word === heard[index] ? 0 : 1), above + 1, left + 1);
      diagonal = above;
      left = errors;
      return errors;
    });
  }
  return row.at(-1) ?? said.length;
}
