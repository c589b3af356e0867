import { cardinalWords, decimalWords, digitWords, ordinalWords, yearWords } from "./number-words.ts";

const NUMBER = "\\d+(?:,\\d{3})*(?:\\.\\d+)?|\\.\\d+";
const SCALE = "(?:\\s?(thousand|million|billion|trillion|k|m|bn)\\b)?";

const MONEY = new RegExp(`([$£€])\\s?(${NUMBER})${SCALE}`, "gi");
const PERCENT = new RegExp(`(${NUMBER})\\s?%`, "g");
const TEMPERATURE = new RegExp(`(-?)(${NUMBER})\\s?°\\s?([CF])?\\b`, "g");
/** Numbers written in groups (`555-010-4477`, `(555) 010-4477`, `+44 20 7946 0958`) or with a leading `+`. */
const PHONE_NUMBER =
  /(?<![\w.,$-])(?:\+\d{1,3}[\s.-]?)?(?:\(\d{2,5}\)[\s.-]?)?\d{2,5}(?:[\s.-]\d{2,5}){1,4}(?![\w,-]*\d)/g;
const LONG_DIGITS = /(?<![\d.,$])\+?\d{7,}(?![\d,.]*\d)/g;
const RANGE = /(?<![\w.-])(\d+)\s?-\s?(\d+)(?![\w-]|\.\d)/g;
const ORDINAL = /\b(\d+)(?:st|nd|rd|th)\b/gi;
const YEAR = /(?<![\d.,#-])(1[1-9]\d\d|20\d\d)(?![\d,]*\d|\.\d)/g;
const NUMBERED = /#\s?(?=\d)/g;
const NEGATIVE = /(?<=^|[\s(])-(?=\d)/g;
const PLAIN = /\d+(?:,\d{3})*(?:\.\d+)?|\.\d+/g;
/** Capitals mixed with figures, at least four together: booking references, license plates. */
const CODE = /\b(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{4,}\b/g;

const CURRENCIES: Record<string, { one: string; many: string; cent: string; cents: string }> = {
  $: { one: "dollar", many: "dollars", cent: "cent", cents: "cents" },
  "£": { one: "pound", many: "pounds", cent: "penny", cents: "pence" },
  "€": { one: "euro", many: "euros", cent: "cent", cents: "cents" },
};
const SCALE_WORDS: Record<string, string> = { k: "thousand", m: "million", bn: "billion" };

const UNITS: Record<string, string> = {
  km: "kilometer",
  m: "meter",
  cm: "centimeter",
  mm: "millimeter",
  kg: "kilogram",
  mg: "milligram",
  g: "gram",
  lb: "pound",
  lbs: "pound",
  oz: "ounce",
  ft: "foot",
  mi: "mile",
  ml: "milliliter",
  l: "liter",
  gb: "gigabyte",
  mb: "megabyte",
  kb: "kilobyte",
  tb: "terabyte",
  hr: "hour",
  hrs: "hour",
  min: "minute",
  mins: "minute",
  sec: "second",
  secs: "second",
  ms: "millisecond",
  mph: "mile per hour",
  kwh: "kilowatt hour",
};
const UNIT = new RegExp(`(${NUMBER})\\s?(${Object.keys(UNITS).join("|")})\\b(?!')\\.?(?=\\W|$)`, "g");
const FRACTION = new RegExp(
  `\\b(?:(\\d+)\\s+)?([1-9]\\d?)/([1-9]\\d?)\\b(?:\\s?(${Object.keys(UNITS).join("|")})\\b\\.?)?`,
  "g",
);
const CASED_UNIT = /(\d)\s?(KB|MB|GB|TB|kWh|MPH)\b/g;

function plural(unit: string): string {
  const [head = "", ...rest] = unit.split(" ");
  const many = head === "foot" ? "feet" : `${head}s`;
  return unit === "kilowatt hour" ? "kilowatt hours" : [many, ...rest].join(" ");
}

function moneyWords(match: string, symbol: string, amount: string, scale: string | undefined): string {
  const currency = CURRENCIES[symbol];
  if (currency === undefined) {
    return match;
  }
  if (scale !== undefined) {
    const word = SCALE_WORDS[scale.toLowerCase()] ?? scale.toLowerCase();
    return `${decimalWords(amount)} ${word} ${currency.many}`;
  }
  const [whole = "", fraction] = amount.replaceAll(",", "").split(".");
  const major = cardinalWords(whole === "" ? "0" : whole);
  const majorWords = `${major} ${major === "one" ? currency.one : currency.many}`;
  const minor = Number((fraction ?? "").padEnd(2, "0").slice(0, 2));
  if (minor === 0) {
    return majorWords;
  }
  const minorWords = `${cardinalWords(String(minor))} ${minor === 1 ? currency.cent : currency.cents}`;
  return major === "zero" ? minorWords : `${majorWords} and ${minorWords}`;
}

/** Reads digits one by one, with a pause between written groups. */
function phoneWords(number: string): string {
  const groups = number.match(/\d+/g) ?? [];
  const digits = groups.join("");
  const isPhone = number.startsWith("+") || number.startsWith("(") || digits.length >= 7;
  if (!isPhone) {
    return number;
  }
  return `${number.startsWith("+") ? "plus " : ""}${groups.map(digitWords).join(", ")}`;
}

/** Reads digits one by one in groups of three; the last group includes the remainder: `5550104477` → 3, 3, 4. */
function longDigitWords(number: string): string {
  const digits = number.replace("+", "");
  const groups: string[] = [];
  for (let start = 0; start < digits.length;) {
    const left = digits.length - start;
    const size = left <= 4 ? left : 3;
    groups.push(digitWords(digits.slice(start, start + size)));
    start += size;
  }
  return `${number.startsWith("+") ? "plus " : ""}${groups.join(", ")}`;
}

function fractionWords(
  match: string,
  whole: string | undefined,
  top: string,
  bottom: string,
  unit: string | undefined,
): string {
  if (Number(top) >= Number(bottom)) {
    return match;
  }
  const isSingle = top === "1";
  const part =
    bottom === "2" ? "half" : bottom === "4" ? (isSingle ? "quarter" : "quarters") : ordinalWords(bottom);
  const partWords = bottom === "2" || bottom === "4" || isSingle ? part : `${part}s`;
  if (whole === undefined) {
    const measured = unit === undefined ? "" : ` of a ${unitName(unit)}`;
    return `${cardinalWords(top)} ${partWords}${measured}`;
  }
  const measured = unit === undefined ? "" : ` ${plural(unitName(unit))}`;
  return `${cardinalWords(whole)} and ${isSingle ? "a" : cardinalWords(top)} ${partWords}${measured}`;
}

/** `AB12C3`: reads every letter and figure separately. */
function codeWords(code: string): string {
  return code
    .split("")
    .map((symbol) => (/\d/.test(symbol) ? digitWords(symbol) : symbol))
    .join(" ");
}

/** Reads a number digit by digit if it has leading zeros, which mark a name instead of a count. */
function plainWords(number: string): string {
  return /^0\d/.test(number) ? digitWords(number) : decimalWords(number.replace(/,$/, ""));
}

function unitName(unit: string): string {
  return UNITS[unit.toLowerCase()] ?? unit;
}

function unitWords(number: string, unit: string): string {
  const name = unitName(unit);
  return `${decimalWords(number)} ${number === "1" ? name : plural(name)}`;
}

/** Expands figures: money, percentages, measures, telephone numbers, ranges, ordinals, years. */
export function expandNumbers(text: string): string {
  return text
    .replace(CASED_UNIT, (_match, digit: string, unit: string) => `${digit} ${unit.toLowerCase()}`)
    .replace(CODE, codeWords)
    .replace(MONEY, moneyWords)
    .replace(PERCENT, (_match, number: string) => `${decimalWords(number)} percent`)
    .replace(TEMPERATURE, (_match, minus: string, number: string, scale: string | undefined) => {
      const name = scale === "C" ? " Celsius" : scale === "F" ? " Fahrenheit" : "";
      return `${minus === "" ? "" : "minus "}${decimalWords(number)} degrees${name}`;
    })
    .replace(PHONE_NUMBER, phoneWords)
    .replace(LONG_DIGITS, longDigitWords)
    .replace(RANGE, "$1 to $2")
    .replace(/\b24\/7\b/g, "twenty four seven")
    .replace(FRACTION, fractionWords)
    .replace(NUMBERED, "number ")
    .replace(NEGATIVE, "minus ")
    .replace(ORDINAL, (_match, digits: string) => ordinalWords(digits))
    .replace(UNIT, (_match, number: string, unit: string) => unitWords(number, unit))
    .replace(YEAR, (_match, year: string) => yearWords(Number(year)))
    .replace(PLAIN, (number) => ` ${plainWords(number)} `);
}
