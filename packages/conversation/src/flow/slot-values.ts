import type { FlowOption, FlowSlot, SlotValue } from "./flow-definition.ts";
import { SpokenPhrase } from "./flow-phrases.ts";
import { wordsOf } from "./flow-text.ts";

/** Longest value of a slot, in characters. */
const MAX_CHARACTERS = 500;
const MIN_PHONE_DIGITS = 5;
const MAX_PHONE_DIGITS = 15;

export interface SpokenAnswer {
  text: string;
  /** BCP 47. */
  language: string;
  /** Whether an option counts that the answer only contains. Otherwise a model reads such an answer. */
  isLenient: boolean;
}

/**
 * Reads a value from an answer without a language model; `undefined` if the answer is more than the plain value. The
 * result may still be outside the slot's range: see `checkValue`.
 */
export function readByRules(
  slot: FlowSlot,
  { text, language, isLenient }: SpokenAnswer,
): SlotValue | undefined {
  switch (slot.type) {
    case "boolean": {
      const phrase = new SpokenPhrase(text, language);
      if (phrase.is("yes")) return true;
      return phrase.is("no") ? false : undefined;
    }
    case "number":
      return readNumber(text) ?? new SpokenPhrase(text, language).number;
    case "enum":
      return findOption(slot.options ?? [], wordsOf(text), isLenient)?.value;
    case "date":
      return readDate(text.trim());
    case "phone_number":
      return readPhoneNumber(text);
    case "string":
      return (slot.isVerbatim === true || isLenient) && text.trim() !== "" ? text.trim() : undefined;
  }
}

/** Reads a value from keys: 1 and 2 for yes and no, eight keys (year, month, day) for a date, `*` in a number is a point. */
export function readKeys(slot: FlowSlot, keys: string): SlotValue | undefined {
  switch (slot.type) {
    case "boolean":
      return keys === "1" ? true : keys === "2" ? false : undefined;
    case "enum":
      return slot.options?.find(({ key }) => key === keys)?.value;
    case "number":
      return readNumber(keys.replaceAll("*", "."));
    case "date":
      return readDate(keys.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3"));
    case "phone_number":
      return readPhoneNumber(keys);
    case "string":
      return /^\d+$/.test(keys) ? keys : undefined;
  }
}

/** Converts a value from outside to the slot's type, and checks its range; `undefined` if it is not valid. */
export function checkValue(slot: FlowSlot, value: unknown): SlotValue | undefined {
  const typed = toType(slot, value);
  return typed !== undefined && isInRange(slot, typed) ? typed : undefined;
}

function toType(slot: FlowSlot, value: unknown): SlotValue | undefined {
  if (slot.type === "boolean") return typeof value === "boolean" ? value : undefined;
  if (slot.type === "number") {
    if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
    return typeof value === "string" ? readNumber(value) : undefined;
  }
  if (typeof value !== "string") return undefined;
  switch (slot.type) {
    case "enum":
      return findOption(slot.options ?? [], wordsOf(value), false)?.value;
    case "date":
      return readDate(value.trim());
    case "phone_number":
      return readPhoneNumber(value);
    case "string":
      return value.trim() === "" ? undefined : value.trim();
  }
}

function isInRange(slot: FlowSlot, value: SlotValue): boolean {
  if (typeof value === "boolean") return true;
  if (typeof value === "number") {
    if (slot.isInteger === true && !Number.isInteger(value)) return false;
    return value >= (slot.minimum ?? -Infinity) && value <= (slot.maximum ?? Infinity);
  }
  if (slot.type === "date") return value >= (slot.earliest ?? value) && value <= (slot.latest ?? value);
  if (slot.type !== "string") return true;
  return value.length >= (slot.minLength ?? 1) && value.length <= (slot.maxLength ?? MAX_CHARACTERS);
}

/** The option whose value or phrase is the answer; if lenient, also the only one that the answer contains as whole words. */
function findOption(
  options: readonly FlowOption[],
  words: string,
  isLenient: boolean,
): FlowOption | undefined {
  const names = ({ value, phrases = [] }: FlowOption): string[] =>
    [value, ...phrases].map(wordsOf).filter((name) => name !== "");
  const exact = options.find((option) => names(option).includes(words));
  if (exact !== undefined || !isLenient) return exact;
  const contained = options.filter((option) =>
    names(option).some((name) => ` ${words} `.includes(` ${name} `)),
  );
  return contained.length === 1 ? contained[0] : undefined;
}

function readNumber(text: string): number | undefined {
  const trimmed = text.trim().replace(/[.!]$/, "");
  if (!/^-?\d{1,15}([.,]\d{1,6})?$/.test(trimmed)) return undefined;
  return Number(trimmed.replace(",", "."));
}

/** A day that exists, as `YYYY-MM-DD` or `DD.MM.YYYY`. */
function readDate(text: string): string | undefined {
  const trimmed = text.replace(/[!?]$/, "");
  const [, year, month, day] =
    /^(\d{4})-(\d{1,2})-(\d{1,2})\.?$/.exec(trimmed) ??
    (([, d, m, y]) => [trimmed, y, m, d])(/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(trimmed) ?? []);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== iso ? undefined : iso;
}

/** Digits with the usual separators and nothing else. */
function readPhoneNumber(text: string): string | undefined {
  const trimmed = text.trim().replace(/[.!]$/, "");
  if (trimmed.length > 64 || !/^\+?[\d ().,/-]+$/.test(trimmed)) return undefined;
  const digits = trimmed.replaceAll(/\D/g, "");
  if (digits.length < MIN_PHONE_DIGITS || digits.length > MAX_PHONE_DIGITS) return undefined;
  return trimmed.startsWith("+") ? `+${digits}` : digits;
}
