import { cardinalWords, ordinalWords, yearWords } from "./number-words.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const MONTH =
  "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?:uary|ruary|ch|il|e|y|ust|tember|ober|ember)?\\b\\.?";

const ISO_DATE = /\b(\d{4})-(\d{2})-(\d{2})(?:T(?=\d))?/g;
const SLASH_DATE = /\b(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})\b/g;
const MONTH_DAY = new RegExp(`\\b${MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?!:)(?:,?\\s+(\\d{4})\\b)?`, "g");
const DAY_MONTH = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH}(?:,?\\s+(\\d{4})\\b)?`,
  "g",
);
const MONTH_YEAR = new RegExp(`\\b${MONTH}\\s+(\\d{4})\\b`, "g");
const DECADE = /\b(\d{2})(\d)0s\b/g;

const CLOCK_TIME = /\b(\d{1,2}):(\d{2})(?::\d{2})?(?:\s*([aApP])\.?\s?[mM]\b(?:\.(?=\s+\p{Ll}|,))?)?/gu;
const HOUR = /\b(\d{1,2})\s*([aApP])\.?\s?[mM]\b(?:\.(?=\s+\p{Ll}|,))?/gu;
const HOUR_RANGE = /\b(\d{1,2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?)\s*-\s*(\d{1,2}(?::\d{2})?\s?[ap]\.?m\b)/gi;

function monthNamed(name: string): string {
  return MONTHS.find((month) => month.startsWith(name.slice(0, 3))) ?? name;
}

/** The words of a date in American order; `undefined` if the figures are not a date. */
function dateWords(month: number, day: number, year?: number): string | undefined {
  const name = MONTHS[month - 1];
  if (name === undefined || day < 1 || day > 31) {
    return undefined;
  }
  return `${name} ${ordinalWords(String(day))}${year === undefined ? "" : `, ${yearWords(year)}`}`;
}

function timeWords(hour: number, minute: number, half: string | undefined): string | undefined {
  if (hour > 24 || minute > 59) {
    return undefined;
  }
  const suffix = half === undefined ? "" : ` ${half.toUpperCase()} M`;
  const hourWords = hour === 0 && half === undefined ? "zero" : cardinalWords(String(hour));
  if (minute > 0) {
    const minuteWords = cardinalWords(String(minute));
    return `${hourWords} ${minute < 10 ? "oh " : ""}${minuteWords}${suffix}`;
  }
  if (half !== undefined) {
    return `${hourWords}${suffix}`;
  }
  return hour >= 1 && hour <= 12 ? `${hourWords} o'clock` : `${hourWords} hundred`;
}

function fullYear(year: string): number {
  return year.length === 4 ? Number(year) : 2000 + Number(year);
}

function expandTimes(text: string): string {
  return text
    .replace(HOUR_RANGE, "$1 to $2")
    .replace(
      CLOCK_TIME,
      (match, hour: string, minute: string, half: string | undefined) =>
        timeWords(Number(hour), Number(minute), half) ?? match,
    )
    .replace(HOUR, (match, hour: string, half: string) => timeWords(Number(hour), 0, half) ?? match);
}

/** Expands dates, years with a month, decades and times of day. */
export function expandDates(text: string): string {
  const dated = text
    .replace(ISO_DATE, (match, year: string, month: string, day: string) => {
      const words = dateWords(Number(month), Number(day), Number(year));
      return words === undefined ? match : `${words} `;
    })
    .replace(
      SLASH_DATE,
      (match, month: string, day: string, year: string) =>
        dateWords(Number(month), Number(day), fullYear(year)) ?? match,
    )
    .replace(MONTH_DAY, (_match, month: string, day: string, year: string | undefined) =>
      monthAndDay(month, day, year),
    )
    .replace(DAY_MONTH, (_match, day: string, month: string, year: string | undefined) =>
      monthAndDay(month, day, year),
    )
    .replace(
      MONTH_YEAR,
      (_match, month: string, year: string) => `${monthNamed(month)} ${yearWords(Number(year))}`,
    )
    .replace(DECADE, (_match, century: string, decade: string) => decadeWords(century, decade));
  return expandTimes(dated);
}

function monthAndDay(month: string, day: string, year: string | undefined): string {
  const spokenYear = year === undefined ? "" : `, ${yearWords(Number(year))}`;
  return `${monthNamed(month)} ${ordinalWords(day)}${spokenYear}`;
}

function decadeWords(century: string, decade: string): string {
  const words = decade === "0" ? "hundred" : cardinalWords(`${decade}0`);
  return `${cardinalWords(century)} ${words.replace(/y$/, "ie")}s`;
}
