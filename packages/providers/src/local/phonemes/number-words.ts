const ONES = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen",
];
const TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SCALES = ["", "thousand", "million", "billion", "trillion"];
/** Maximum number of digits with a name for each group of three; longer numbers are read digit by digit. */
const MAX_CARDINAL_DIGITS = SCALES.length * 3;

const IRREGULAR_ORDINALS: Record<string, string> = {
  one: "first",
  two: "second",
  three: "third",
  five: "fifth",
  eight: "eighth",
  nine: "ninth",
  twelve: "twelfth",
};

function belowHundred(value: number): string {
  const small = ONES[value];
  if (small !== undefined) {
    return small;
  }
  const ten = TENS[Math.floor(value / 10)] ?? "";
  return value % 10 === 0 ? ten : `${ten} ${ONES[value % 10] ?? ""}`;
}

function belowThousand(value: number): string {
  if (value < 100) {
    return belowHundred(value);
  }
  const hundreds = `${ONES[Math.floor(value / 100)] ?? ""} hundred`;
  return value % 100 === 0 ? hundreds : `${hundreds} ${belowHundred(value % 100)}`;
}

/** `"007"` → `zero zero seven`. Other characters are skipped. */
export function digitWords(digits: string): string {
  return digits
    .split("")
    .filter((digit) => digit >= "0" && digit <= "9")
    .map((digit) => ONES[Number(digit)] ?? "")
    .join(" ");
}

/** A whole number in digits as words: `"1204"` → `one thousand two hundred four`. */
export function cardinalWords(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, "");
  if (significant.length > MAX_CARDINAL_DIGITS) {
    return digitWords(digits);
  }
  const words: string[] = [];
  for (let end = significant.length, scale = 0; end > 0; end -= 3, scale++) {
    const group = Number(significant.slice(Math.max(0, end - 3), end));
    if (group > 0) {
      words.unshift(`${belowThousand(group)} ${SCALES[scale] ?? ""}`.trim());
    }
  }
  return words.length === 0 ? "zero" : words.join(" ");
}

/** `"21"` → `twenty first`. */
export function ordinalWords(digits: string): string {
  const words = cardinalWords(digits).split(" ");
  const last = words.pop() ?? "";
  const ordinal = IRREGULAR_ORDINALS[last] ?? (last.endsWith("y") ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return [...words, ordinal].join(" ");
}

/** A year as words: `1999` → `nineteen ninety nine`, `2005` → `two thousand five`. */
export function yearWords(year: number): string {
  const century = Math.floor(year / 100);
  const rest = year % 100;
  if (year < 1000 || year > 9999 || (century % 10 === 0 && rest < 10)) {
    return cardinalWords(String(year));
  }
  if (rest === 0) {
    return `${belowHundred(century)} hundred`;
  }
  return `${belowHundred(century)} ${rest < 10 ? `oh ${ONES[rest] ?? ""}` : belowHundred(rest)}`;
}

/** A number with optional grouping commas and fraction as words: `"1,234.50"` → `one thousand … point five zero`. */
export function decimalWords(number: string): string {
  const [whole = "", fraction] = number.replaceAll(",", "").split(".");
  const words = cardinalWords(whole === "" ? "0" : whole);
  return fraction === undefined ? words : `${words} point ${digitWords(fraction)}`;
}
