import { parsePhoneNumberFromString, type PhoneNumber } from "libphonenumber-js/max";

/** A user name, or digits that are too few for a number with its country code. */
const extension = /^(\d{1,6}|[A-Za-z][\w.-]*)$/;

/** Emergency numbers of every telephone, in all countries (3GPP TS 22.101 §10.1). */
const everywhere = ["000", "08", "110", "112", "118", "119", "911", "999"];

/** Additional emergency numbers by country: police, fire, ambulance and similar services. */
const byCountry: Readonly<Record<string, readonly string[]>> = {
  AE: ["997", "998"],
  AR: ["100", "101", "103", "107"],
  AT: ["122", "133", "140", "144"],
  AU: ["106"],
  BE: ["100", "101"],
  BR: ["190", "191", "192", "193", "197", "198", "199"],
  CH: ["117", "144", "1414"],
  CL: ["131", "132", "133"],
  CN: ["120", "122"],
  CO: ["123"],
  CZ: ["150", "155", "156", "158"],
  DK: ["114"],
  EG: ["122", "123", "180"],
  ES: ["061", "062", "080", "085", "088", "091", "092"],
  FR: ["15", "17", "18", "114", "115", "191", "196", "197"],
  GR: ["100", "108", "166", "199"],
  HU: ["104", "105", "107"],
  ID: ["113"],
  IL: ["100", "101", "102"],
  IN: ["100", "101", "102", "108"],
  IT: ["113", "115", "117", "1515", "1530"],
  KR: ["113"],
  MX: ["060", "065", "066"],
  MY: ["994"],
  NO: ["113"],
  NZ: ["111"],
  PE: ["105", "106", "116"],
  PH: ["117"],
  PL: ["997", "998"],
  PT: ["115", "117"],
  RU: ["01", "02", "03", "04", "101", "102", "103", "104"],
  SA: ["937", "997", "998"],
  SG: ["995"],
  TH: ["191", "199", "1669"],
  TR: ["122", "155", "156", "158", "177"],
  UA: ["101", "102", "103", "104"],
  US: ["988"],
  VN: ["113", "114", "115"],
  ZA: ["10111", "10177"],
};

/** Destinations that an organization may call. */
export interface DestinationPolicy {
  /** ISO 3166 codes. */
  countries: readonly string[];
  isPremiumRateAllowed: boolean;
}

/**
 * Returns whether a number or extension may be called.
 *
 * @param destination E.164, or an extension.
 */
export function isDestinationAllowed(
  destination: string,
  { countries, isPremiumRateAllowed }: DestinationPolicy,
): boolean {
  if (!destination.startsWith("+"))
    return extension.test(destination) && !isEmergency(destination, countries);
  const number = parsePhoneNumberFromString(destination);
  const country = number && findCountry(number);
  if (number === undefined || country === undefined || !countries.includes(country)) return false;
  if (number.getType() === "PREMIUM_RATE" && !isPremiumRateAllowed) return false;
  return !isEmergency(number.nationalNumber, [country]);
}

/** Returns the countries of E.164 numbers. */
export function findCountries(numbers: readonly string[]): string[] {
  const countries = numbers.map((text) => {
    const number = parsePhoneNumberFromString(text);
    return number && findCountry(number);
  });
  return [...new Set(countries)].filter((country) => country !== undefined);
}

/**
 * Returns the number's country; `undefined` for satellites and other networks without one. An unassigned
 * number counts as one of the largest country with its code.
 */
function findCountry(number: PhoneNumber): string | undefined {
  return number.country ?? number.getPossibleCountries()[0];
}

/**
 * Returns whether a number is an emergency number, with or without the prefix that some switchboards need for
 * an outside line.
 */
function isEmergency(dialed: string, countries: readonly string[]): boolean {
  const numbers = new Set([...everywhere, ...countries.flatMap((country) => byCountry[country] ?? [])]);
  return numbers.has(dialed) || (/^[09]/.test(dialed) && everywhere.includes(dialed.slice(1)));
}

/**
 * Returns whether a call may follow a redirection: to the same number at another host, or to one that may be called.
 *
 * @param user User of the URI that it is redirected to.
 */
export function isRedirectAllowed(
  user: string | undefined,
  toNumber: string,
  destinations: DestinationPolicy,
): boolean {
  if (user === undefined) return false;
  return user === toNumber || `+${user}` === toNumber || isDestinationAllowed(user, destinations);
}
