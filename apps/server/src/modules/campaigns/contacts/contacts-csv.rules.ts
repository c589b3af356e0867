import type { CampaignContact } from "@parley/contract";

const columns = [
  "toNumber",
  "status",
  "outcome",
  "attempts",
  "nextAttemptAt",
  "lastAttemptAt",
  "timezone",
] as const satisfies readonly (keyof CampaignContact)[];

const LINE_END = "\r\n";
const plainNumber = /^[+-]?\d+(\.\d+)?$/;

/** Returns the header row, for contacts with these variables. */
export function csvHeader(variableNames: readonly string[]): string {
  return toRow([...columns, ...variableNames.map((name) => `variables.${name}`)]);
}

export function csvRow(contact: CampaignContact, variableNames: readonly string[]): string {
  const variables = variableNames.map((name) => contact.variables[name] ?? null);
  return toRow([...columns.map((name) => contact[name]), ...variables]);
}

/** One row of CSV (RFC 4180). */
export function toRow(cells: readonly (string | number | boolean | null)[]): string {
  return cells.map((cell) => quote(withoutFormula(String(cell ?? "")))).join(",") + LINE_END;
}

/** Spreadsheets run cells that begin with these characters; plain numbers, such as phone numbers, are harmless. */
function withoutFormula(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) && !plainNumber.test(cell) ? `'${cell}` : cell;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
