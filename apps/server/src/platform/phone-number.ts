import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/**
 * Formats a number as E.164; `undefined` if it has no country code or cannot be a number. The number need not be
 * assigned.
 */
export function normalizePhoneNumber(text: string): string | undefined {
  if (!text.startsWith("+")) return undefined;
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() === true ? number.number : undefined;
}
