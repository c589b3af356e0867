import { isSupportedCountry, parsePhoneNumberFromString, type PhoneNumber } from "libphonenumber-js/min";

/**
 * Formats a number as E.164; `undefined` if it has no country code or cannot be a number. The number need not be
 * assigned.
 *
 * @param defaultCountry ISO 3166 code of numbers that do not begin with `+`.
 */
export function normalizePhoneNumber(text: string, defaultCountry?: string): string | undefined {
  if (text.startsWith("+")) return toE164(parsePhoneNumberFromString(text));
  if (defaultCountry === undefined || !isSupportedCountry(defaultCountry)) return undefined;
  return toE164(parsePhoneNumberFromString(text, defaultCountry));
}

function toE164(number: PhoneNumber | undefined): string | undefined {
  return number?.isPossible() === true ? number.number : undefined;
}
