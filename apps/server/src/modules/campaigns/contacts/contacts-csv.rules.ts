import type { CampaignContact } from "@parley/contract";
import { toCsvRow } from "../../../platform/csv.ts";

const columns = [
  "toNumber",
  "status",
  "outcome",
  "attempts",
  "nextAttemptAt",
  "lastAttemptAt",
  "timezone",
] as const satisfies readonly (keyof CampaignContact)[];

/** Returns the header row, for contacts with these variables. */
export function csvHeader(variableNames: readonly string[]): string {
  return toCsvRow([...columns, ...variableNames.map((name) => `variables.${name}`)]);
}

export function csvRow(contact: CampaignContact, variableNames: readonly string[]): string {
  const variables = variableNames.map((name) => contact.variables[name] ?? null);
  return toCsvRow([...columns.map((name) => contact[name]), ...variables]);
}
