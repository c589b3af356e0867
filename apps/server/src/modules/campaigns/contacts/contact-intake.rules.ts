import { type ContactInput, type Issue, MAX_NAMED_ROWS, type Variables } from "@parley/contract";
import { AppError } from "../../../platform/app-error.ts";
import { forEachInSlices } from "../../../platform/in-slices.ts";
import { isTimezone } from "../../../platform/timezone.ts";
import { normalizePhoneNumber } from "../../../platform/phone-number.ts";

/** A contact as it is stored. */
export interface NewContact {
  toNumber: string;
  variables: Variables;
  /** Empty: that of the campaign's window. */
  timezone: string;
}

export interface ContactIntake {
  /** Each number once. */
  contacts: NewContact[];
  /** Time zones of the contacts. */
  timezones: string[];
}

export const MALFORMED_NUMBER = "must be a possible phone number with its country code";
export const REFUSED_DESTINATION = "is a destination that is not allowed";
export const UNKNOWN_TIMEZONE = "must be the name of a time zone in the IANA database";

/**
 * Normalizes the contacts of a request and removes repeated numbers. Throws `invalid_body` for malformed numbers and unknown
 * time zones, then `destination_not_allowed`; both name the first bad rows by index.
 */
export async function takeContacts(
  inputs: readonly ContactInput[],
  isAllowed: (toNumber: string) => boolean,
): Promise<ContactIntake> {
  const issues: Issue[] = [];
  const refused: Issue[] = [];
  const contacts = new Map<string, NewContact>();
  const isKnown = rememberTimezones();
  await forEachInSlices(inputs.entries(), ([index, { toNumber: text, variables, timezone }]) => {
    const toNumber = normalizePhoneNumber(text);
    if (toNumber === undefined)
      issues.push({ path: `contacts.${index}.toNumber`, message: MALFORMED_NUMBER });
    else if (!contacts.has(toNumber)) {
      if (!isAllowed(toNumber))
        refused.push({ path: `contacts.${index}.toNumber`, message: REFUSED_DESTINATION });
      contacts.set(toNumber, { toNumber, variables: variables ?? {}, timezone: timezone ?? "" });
    }
    if (typeof timezone === "string" && !isKnown(timezone))
      issues.push({ path: `contacts.${index}.timezone`, message: UNKNOWN_TIMEZONE });
  });
  if (issues.length > 0) throw new AppError("invalid_body", { issues: issues.slice(0, MAX_NAMED_ROWS) });
  if (refused.length > 0)
    throw new AppError("destination_not_allowed", { issues: refused.slice(0, MAX_NAMED_ROWS) });
  const used = new Set(Array.from(contacts.values(), ({ timezone }) => timezone));
  return { contacts: [...contacts.values()], timezones: [...used] };
}

/** Returns a check of time zones that remembers its results: contacts have few different ones. */
export function rememberTimezones(): (timezone: string) => boolean {
  const timezones = new Map<string, boolean>();
  return (timezone) => {
    const isKnown = timezones.get(timezone) ?? isTimezone(timezone);
    timezones.set(timezone, isKnown);
    return isKnown;
  };
}
