/** Contacts of a file together with what the API says about them. */
import type { CampaignContactInput, CheckedContact } from "@parley/client";
import type { FileContact } from "./columns.rules.ts";

export interface ImportedContact extends FileContact {
  /** E.164; `null` if it cannot be a phone number. */
  e164: string | null;
  guessedTimezone: string | null;
  isDuplicate: boolean;
}

const fields: Readonly<Record<string, string>> = { toNumber: "Phone number", timezone: "Time zone" };

/** Adds the results of the check, which have the same order. A number that came before is a duplicate. */
export function joinChecks(
  contacts: readonly FileContact[],
  checks: readonly CheckedContact[],
): ImportedContact[] {
  const seen = new Set<string>();
  return contacts.map((contact, index) => {
    const check = checks[index];
    const e164 = check?.toNumber ?? null;
    const isDuplicate = e164 !== null && seen.has(e164);
    if (e164 !== null) seen.add(e164);
    const refused = check?.problem;
    const problem =
      contact.problem ?? (refused ? `${fields[refused.path] ?? ""} ${refused.message}` : undefined);
    return { ...contact, e164, guessedTimezone: check?.timezone ?? null, isDuplicate, problem };
  });
}

/** Returns what is sent: neither duplicates nor contacts with a problem. */
export function toInputs(contacts: readonly ImportedContact[], isGuessing: boolean): CampaignContactInput[] {
  return contacts.flatMap(({ e164, timezone, guessedTimezone, variables, isDuplicate, problem }) => {
    if (e164 === null || isDuplicate || problem !== undefined) return [];
    const zone = timezone ?? (isGuessing ? guessedTimezone : null);
    return [{ toNumber: e164, variables, ...(zone !== null && { timezone: zone }) }];
  });
}

/** Divides a list. */
export function slicesOf<T>(items: readonly T[], length: number): T[][] {
  const count = Math.ceil(items.length / length);
  return Array.from({ length: count }, (_, index) => items.slice(index * length, (index + 1) * length));
}
