import type { CheckedContact, ContactCheck } from "@parley/contract";
import { forEachInSlices } from "../../../platform/in-slices.ts";
import { normalizePhoneNumber } from "../../../platform/phone-number.ts";
import {
  MALFORMED_NUMBER,
  REFUSED_DESTINATION,
  rememberTimezones,
  UNKNOWN_TIMEZONE,
} from "./contact-intake.rules.ts";
import { guessTimezone } from "./number-timezone.rules.ts";

/** Finds what `takeContacts` would refuse, without refusing the others. */
export async function checkContacts(
  contacts: ContactCheck["contacts"],
  defaultCountry: string | null,
  isAllowed: (toNumber: string) => boolean,
): Promise<CheckedContact[]> {
  const isKnown = rememberTimezones();
  const checked: CheckedContact[] = [];
  await forEachInSlices(contacts, ({ toNumber: text, timezone }) => {
    const toNumber = normalizePhoneNumber(text.trim(), defaultCountry ?? undefined) ?? null;
    const findProblem = (): CheckedContact["problem"] => {
      if (toNumber === null) return { path: "toNumber", message: MALFORMED_NUMBER };
      if (!isAllowed(toNumber)) return { path: "toNumber", message: REFUSED_DESTINATION };
      const isUnknown = typeof timezone === "string" && !isKnown(timezone);
      return isUnknown ? { path: "timezone", message: UNKNOWN_TIMEZONE } : null;
    };
    const guessed = toNumber === null ? undefined : guessTimezone(toNumber);
    checked.push({ toNumber, timezone: guessed ?? null, problem: findProblem() });
  });
  return checked;
}
