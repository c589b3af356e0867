/** Abbreviations that count only with their full stop. */
const ABBREVIATIONS: Record<string, string> = {
  mr: "mister",
  mrs: "missus",
  ms: "miz",
  prof: "professor",
  rev: "reverend",
  gen: "general",
  sgt: "sergeant",
  capt: "captain",
  jr: "junior",
  sr: "senior",
  ave: "avenue",
  blvd: "boulevard",
  rd: "road",
  ln: "lane",
  hwy: "highway",
  apt: "apartment",
  ste: "suite",
  dept: "department",
  inc: "incorporated",
  ltd: "limited",
  corp: "corporation",
  approx: "approximately",
  appt: "appointment",
  est: "established",
  ext: "extension",
  tel: "telephone",
  vs: "versus",
  etc: "et cetera",
  min: "minutes",
  max: "maximum",
  jan: "January",
  feb: "February",
  mar: "March",
  apr: "April",
  jun: "June",
  jul: "July",
  aug: "August",
  sep: "September",
  sept: "September",
  oct: "October",
  nov: "November",
  dec: "December",
  mon: "Monday",
  tue: "Tuesday",
  tues: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  thur: "Thursday",
  thurs: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
};
/** Titles and similar words, after which a capital does not begin a sentence. */
const BEFORE_NAMES = new Set(["mr", "mrs", "ms", "prof", "rev", "gen", "sgt", "capt"]);

const ABBREVIATION_PATTERN = new RegExp(
  `\\b(${Object.keys(ABBREVIATIONS).join("|")})\\.(\\s+\\p{Lu})?`,
  "giu",
);
const WEEKDAYS = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun";
const WEEKDAY_RANGE = new RegExp(`\\b(${WEEKDAYS})\\.?\\s?-\\s?(${WEEKDAYS})\\b`, "g");
const DOCTOR = /\bDr\.?\s+(?=\p{Lu})/gu;
const DRIVE = /(?<=\p{Lu}\p{Ll}+\s)Dr\b\.?(?!\s+\p{Lu})/gu;
const STREET = /(?<=\p{Lu}\p{Ll}+\s|(?:th|st|nd|rd)\s)St\b\.?(?!\s+\p{Lu}\p{Ll}+\s+(?:Street|Road|Avenue))/gu;
const SAINT = /\bSt\.?\s+(?=\p{Lu})/gu;
const NUMBER = /\bNo\.\s?(?=\d|zero|one|two|three|four|five|six|seven|eight|nine|ten)/g;

/** `Dr. Lee` → `Doctor Lee`, `12 Main St.` → `12 Main Street`, `e.g.` → `for example`. */
export function expandAbbreviations(text: string): string {
  return text
    .replace(/\be\.\s?g\.,?/gi, "for example,")
    .replace(/\bi\.\s?e\.,?/gi, "that is,")
    .replace(/\b([A-Z])\.(?:([A-Z])\.)+/g, (match) => match.replaceAll(".", ""))
    .replace(/\bw\/o\b/gi, "without")
    .replace(/\bw\/\s?/gi, "with ")
    .replace(DRIVE, "Drive")
    .replace(DOCTOR, "Doctor ")
    .replace(STREET, "Street")
    .replace(SAINT, "Saint ")
    .replace(NUMBER, "number ")
    .replace(WEEKDAY_RANGE, (_match, from: string, to: string) => `${weekday(from)} to ${weekday(to)}`)
    .replace(ABBREVIATION_PATTERN, (_match, abbreviation: string, next: string | undefined) => {
      const key = abbreviation.toLowerCase();
      const stop = next !== undefined && !BEFORE_NAMES.has(key) && !isDay(key) ? "." : "";
      return `${ABBREVIATIONS[key] ?? abbreviation}${stop}${next ?? ""}`;
    });
}

function weekday(name: string): string {
  return ABBREVIATIONS[name.toLowerCase()] ?? name;
}

function isDay(abbreviation: string): boolean {
  return ABBREVIATIONS[abbreviation]?.endsWith("day") === true;
}
