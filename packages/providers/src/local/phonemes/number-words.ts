const ones = [
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
const tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const scales = ["", "thousand", "million", "billion", "trillion"];
/** Numbers too long for a word per group of three are read digit by digit. */
const MAX_CARDINAL_DIGITS = scales.length * 3;

const irregularOrdinals: Record<string, string> = {
  one: "first",
  two: "second",
  three: "third",
  five: "fifth",
  eight: "eighth",
  nine: "ninth",
  twelve: "twelfth",
};

function belowHundred(value: number): string {
  const small = ones[value];
  if (small !== undefined) {
    return small;
  }
  const ten = tens[Math.floor(value / 10)] ?? "";
  return value % 10 === 0 ? ten : `${ten} ${ones[value % 10] ?? ""}`;
}

function belowThousand(value: number): string {
  if (value < 100) {
    return belowHundred(value);
  }
  const hundreds = `${ones[Math.floor(value / 100)] ?? ""} hundred`;
  return value % 100 === 0 ? hundreds : `${hundreds} ${belowHundred(value % 100)}`;
}

/** `"007"` → `zero zero seven`. Anything that is no digit is skipped. */
export function digitWords(digits: string): string {
  return digits
    .split("")
    .filter((digit) => digit >= "0" && digit <= "9")
    .map((digit) => ones[Number(digit)] ?? "")
    .join(" ");
}

/** A whole number written in digits, as words: `"1204"` → `one thousand two hundred four`. */
export function cardinalWords(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, "");
  if (significant.length > MAX_CARDINAL_DIGITS) {
    return digitWords(digits);
  }
  const words: string[] = [];
  for (let end = significant.length, scale = 0; end > 0; end -= 3, scale++) {
    const group = Number(significant.slice(Math.max(0, end - 3), end));
    if (group > 0) {
      words.unshift(`${belowThousand(group)} ${scales[scale] ?? ""}`.trim());
    }
  }
  return words.length === 0 ? "zero" : words.join(" ");
}

/** `"21"` → `twenty first`. */
export function ordinalWords(digits: string): string {
  const words = cardinalWords(digits).split(" ");
  const last = words.pop() ?? "";
  const ordinal = irregularOrdinals[last] ?? (last.endsWith("y") ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return [...words, ordinal].join(" ");
}

/** A year as it is said: `1999` → `nineteen ninety nine`, `2005` → `two thousand five`. */
export function yearWords(year: number): string {
  const century = Math.floor(year / 100);
  const rest = year % 100;
  if (year < 1000 || year > 9999 || (century % 10 === 0 && rest < 10)) {
    return cardinalWords(String(year));
  }
  if (rest === 0) {
    return `${belowHundred(century)} hundred`;
  }
  return `${belowHundred(century)} ${rest < 10 ? `oh ${ones[rest] ?? ""}` : belowHundred(rest)}`;
}

/** A number with optional grouping commas and fraction: `"1,234.50"` → `one thousand … point five zero`. */
export function decimalWords(number: string): string {
  const [whole = "", fraction] = number.replaceAll(",", "").split(".");
  const words = cardinalWords(whole === "" ? "0" : whole);
  return fraction === undefined ? words : `${words} point ${digitWords(fraction)}`;
}
