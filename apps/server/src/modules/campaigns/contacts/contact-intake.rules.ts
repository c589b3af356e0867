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
  const timezones = new Map<string, boolean>();
  const isKnown = (timezone: string): boolean => {
    const known = timezones.get(timezone) ?? isTimezone(timezone);
    timezones.set(timezone, known);
    return known;
  };
  await forEachInSlices(inputs.entries(), ([index, { toNumber: text, variables, timezone }]) => {
    const toNumber = normalizePhoneNumber(text);
    if (toNumber === undefined)
      issues.push({
        path: `contacts.${index}.toNumber`,
        message: "must be a possible phone number with its country code",
      });
    else if (!contacts.has(toNumber)) {
      if (!isAllowed(toNumber))
        refused.push({ path: `contacts.${index}.toNumber`, message: "is a destination that is not allowed" });
      contacts.set(toNumber, { toNumber, variables: variables ?? {}, timezone: timezone ?? "" });
    }
    if (typeof timezone === "string" && !isKnown(timezone))
      issues.push({
        path: `contacts.${index}.timezone`,
        message: "must be the name of a time zone in the IANA database",
      });
  });
  if (issues.length > 0) throw new AppError("invalid_body", { issues: issues.slice(0, MAX_NAMED_ROWS) });
  if (refused.length > 0)
    throw new AppError("destination_not_allowed", { issues: refused.slice(0, MAX_NAMED_ROWS) });
  const used = new Set(Array.from(contacts.values(), ({ timezone }) => timezone));
  return { contacts: [...contacts.values()], timezones: [...used] };
}
