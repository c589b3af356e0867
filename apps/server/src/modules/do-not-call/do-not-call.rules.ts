import { type Issue, MAX_CONTACTS, MAX_NAMED_ROWS } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import { normalizePhoneNumber } from "../phone-numbers/phone-numbers.rules.ts";

const COLUMN = "phoneNumber";

/** Reads the numbers of a CSV file (RFC 4180), each once. Throws `invalid_body` with the lines of bad numbers. */
export function readNumbers(csv: string): string[] {
  const [first = [], ...others] = readCsv(csv);
  const column = first.indexOf(COLUMN);
  const rows = column < 0 ? [first, ...others] : others;
  if (rows.length > MAX_CONTACTS) throw invalidBody("csv", `must have at most ${MAX_CONTACTS} numbers`);
  const issues: Issue[] = [];
  const numbers = rows.flatMap((cells, index) => {
    const text = (cells[Math.max(0, column)] ?? "").trim();
    if (text === "") return [];
    const number = normalizePhoneNumber(text);
    const line = index + (column < 0 ? 1 : 2);
    if (number === undefined)
      issues.push({ path: `csv.${line}`, message: "must be a possible phone number with its country code" });
    return number ?? [];
  });
  if (issues.length > 0) throw new AppError("invalid_body", { issues: issues.slice(0, MAX_NAMED_ROWS) });
  return [...new Set(numbers)];
}

/** Splits CSV into rows of cells. Commas and semicolons separate cells; a byte order mark is ignored. */
function readCsv(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // A cell in quotes, in which a quote is doubled, or a plain one; then its separator.
  const cell = /(?:"((?:[^"]|"")*)"|([^",;\r\n]*))(,|;|\r\n|\n|\r|$)/gy;
  const text = csv.replace(/^\uFEFF/, "");
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    const [, quoted, plain = "", separator] = match;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (separator === "," || separator === ";") continue;
    rows.push(row);
    row = [];
    if (separator === "" || cell.lastIndex >= text.length) return rows;
  }
  throw invalidBody("csv", `has a malformed cell in line ${rows.length + 1}`);
}
