/** What the columns of a file of contacts mean. */
import { type CsvFile, isPhoneNumberLike } from "./csv-file.ts";

const MAX_NAME_CHARACTERS = 64;
const MAX_VALUE_CHARACTERS = 4_000;
/** Rows by which the meaning of a column is guessed. */
const SAMPLED_ROWS = 50;

export type Meaning = "number" | "timezone" | "variable" | "none";

export interface ColumnUse {
  meaning: Meaning;
  /** Name of the variable. */
  name: string;
}

/** A row as it is in the file. */
export interface FileContact {
  /** Line of the file. */
  row: number;
  toNumber: string;
  timezone: string | null;
  variables: Record<string, string>;
  problem: string | undefined;
}

/** Columns of an exported file that describe the past. */
const exportedColumns = ["status", "outcome", "attempts", "nextAttemptAt", "lastAttemptAt"];
const phoneNames = /(phone|tel|mobil|cell|handy|rufnummer|toNumber|msisdn)/i;
const timezoneNames = /^(time ?_?-?zone|tz|zeitzone)$/i;

/** Guesses the meaning of each column by its name and its first cells. At most one column has the numbers. */
export function guessColumns({ header, rows }: Pick<CsvFile, "header" | "rows">): ColumnUse[] {
  const sample = rows.slice(0, SAMPLED_ROWS);
  const likeness = header.map((name, index) => {
    const cells = sample.map((row) => row[index]?.trim() ?? "").filter((cell) => cell !== "");
    const share = (isSuch: (cell: string) => boolean): number =>
      cells.filter(isSuch).length / Math.max(1, cells.length);
    if (share(isPhoneNumberLike) < 0.5) return 0;
    return share(isPhoneNumberLike) + share((cell) => cell.startsWith("+")) + (phoneNames.test(name) ? 2 : 0);
  });
  const numberColumn = Math.max(...likeness) > 0 ? likeness.indexOf(Math.max(...likeness)) : -1;
  const isExport = header.includes("toNumber") && header.includes("outcome");
  return header.map((title, index) => {
    const name = variableNameOf(title);
    if (index === numberColumn) return { meaning: "number", name };
    if (timezoneNames.test(title)) return { meaning: "timezone", name };
    if (isExport && exportedColumns.includes(title)) return { meaning: "none", name };
    return { meaning: "variable", name };
  });
}

/** "First name" becomes `first_name`; the columns of an exported file keep their names. */
export function variableNameOf(title: string): string {
  const exported = /^variables\.(.+)$/.exec(title)?.[1];
  if (exported !== undefined) return exported;
  const plain = title.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const name = plain.replaceAll(/[^a-z0-9_.-]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return name.slice(0, MAX_NAME_CHARACTERS) || "column";
}

/** What is wrong with the meaning of the columns; `undefined` if nothing is. */
export function findColumnFault(columns: readonly ColumnUse[]): string | undefined {
  const numbers = columns.filter(({ meaning }) => meaning === "number").length;
  if (numbers === 0) return "Choose the column with the phone numbers.";
  if (numbers > 1) return "Choose one column with phone numbers only.";
  if (columns.filter(({ meaning }) => meaning === "timezone").length > 1)
    return "Choose one column with time zones only.";
  const names = columns.filter(({ meaning }) => meaning === "variable").map(({ name }) => name);
  const malformed = names.find((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name));
  if (malformed !== undefined)
    return `A variable cannot be named “${malformed}”: use letters, digits, and the characters _ . - only.`;
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined
    ? undefined
    : `Two columns give the variable “${repeated}”. Rename one of them.`;
}

/** Converts the rows of a file to contacts. Empty cells are left out. */
export function toContacts({ rows, firstRow }: CsvFile, columns: readonly ColumnUse[]): FileContact[] {
  return rows.map((cells, index) => toContact(cells, columns, firstRow + index));
}

function toContact(cells: readonly string[], columns: readonly ColumnUse[], row: number): FileContact {
  const contact: FileContact = { row, toNumber: "", timezone: null, variables: {}, problem: undefined };
  for (const [index, { meaning, name }] of columns.entries()) {
    const cell = readCell(cells[index]);
    if (cell === "") continue;
    if (meaning === "number") contact.toNumber = cell;
    if (meaning === "timezone") contact.timezone = cell;
    if (meaning !== "variable") continue;
    contact.variables[name] = cell;
    if (Array.from(cell).length > MAX_VALUE_CHARACTERS)
      contact.problem = `“${name}” has more than ${MAX_VALUE_CHARACTERS} characters`;
  }
  if (contact.toNumber === "") contact.problem = "The phone number is missing";
  return contact;
}

/** The apostrophe keeps spreadsheets from running a cell as a formula. */
function readCell(cell = ""): string {
  const text = cell.trim();
  return /^'[=+\-@]/.test(text) ? text.slice(1) : text;
}
