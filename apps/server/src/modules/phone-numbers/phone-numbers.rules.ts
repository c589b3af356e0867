import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** The number in E.164; undefined where it has no country code or cannot be a number (assigned or not). */
export function normalizePhoneNumber(text: string): string | undefined {
  if (!text.startsWith("+")) return undefined;
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() === true ? number.number : undefined;
}
