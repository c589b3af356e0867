import { type Issue, MAX_CONTACTS, MAX_NAMED_ROWS } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import { forEachInSlices } from "../../platform/in-slices.ts";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";

const COLUMN = "phoneNumber";
const MAX_COLUMNS = 200;

/** Reads the numbers of a CSV file (RFC 4180), each once. Throws `invalid_body` with the lines of bad numbers. */
export async function readNumbers(csv: string): Promise<string[]> {
  const issues: Issue[] = [];
  const numbers = new Set<string>();
  let column = 0;
  let line = 0;
  let rows = 0;
  await forEachInSlices(readRows(csv), (cells) => {
    line += 1;
    if (line === 1 && cells.includes(COLUMN)) {
      column = cells.indexOf(COLUMN);
      return;
    }
    rows += 1;
    if (rows > MAX_CONTACTS) throw invalidBody("csv", `must have at most ${MAX_CONTACTS} numbers`);
    const text = (cells[column] ?? "").trim();
    if (text === "") return;
    const number = normalizePhoneNumber(text);
    if (number !== undefined) numbers.add(number);
    else
      issues.push({ path: `csv.${line}`, message: "must be a possible phone number with its country code" });
  });
  if (issues.length > 0) throw new AppError("invalid_body", { issues: issues.slice(0, MAX_NAMED_ROWS) });
  return [...numbers];
}

/** Splits CSV into rows of cells. Commas and semicolons separate cells; a byte order mark is ignored. */
function* readRows(csv: string): Generator<string[]> {
  const text = csv.replace(/^\uFEFF/, "");
  const separatorPattern = /,|;|\r\n|\n|\r|$/y;
  let row: string[] = [];
  let line = 1;
  for (let at = 0; ;) {
    const cell = readCell(text, at);
    separatorPattern.lastIndex = cell.end;
    const [separator] = separatorPattern.exec(text) ?? [];
    if (separator === undefined) throw invalidBody("csv", `has a malformed cell in line ${line}`);
    row.push(cell.text);
    at = cell.end + separator.length;
    if (separator === "," || separator === ";") {
      if (row.length >= MAX_COLUMNS)
        throw invalidBody("csv", `has more than ${MAX_COLUMNS} columns in line ${line}`);
      continue;
    }
    yield row;
    if (at >= text.length) return;
    row = [];
    line += 1;
  }
}

/** Reads a cell in quotes, in which a quote is doubled, or a plain one. `end` is behind its last character. */
function readCell(text: string, at: number): { text: string; end: number } {
  if (text[at] !== '"') {
    const endPattern = /[",;\r\n]/g;
    endPattern.lastIndex = at;
    const end = endPattern.exec(text)?.index ?? text.length;
    return { text: text.slice(at, end), end };
  }
  let quote = text.indexOf('"', at + 1);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  // Without its last quote it is empty, and no separator follows.
  if (quote < 0) return { text: "", end: at };
  return { text: text.slice(at + 1, quote).replaceAll('""', '"'), end: quote + 1 };
}
