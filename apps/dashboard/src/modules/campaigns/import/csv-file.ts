/** Reads files of contacts. The parser is a library of its own, loaded with the first file. */

/** A larger file is divided: the browser holds all of it. */
const MAX_ROWS = 100_000;
/** Fewer digits are no phone number. */
const MIN_DIGITS = 6;

export interface CsvFile {
  name: string;
  /** Names of the columns; "Column 1" if the file has none. */
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** Line of the first row as a spreadsheet counts it. */
  firstRow: number;
}

/** Throws an error with an explanation if the file has no rows, or too many. */
export async function readCsv(name: string, content: ArrayBuffer | string): Promise<CsvFile> {
  const { default: papa } = await import("papaparse");
  const text = typeof content === "string" ? content : decode(content);
  const { data } = papa.parse<string[]>(text, { skipEmptyLines: "greedy" });
  const [first] = data;
  if (first === undefined) throw new Error("The file is empty.");
  const hasHeader = !first.some(isPhoneNumberLike);
  const rows = hasHeader ? data.slice(1) : data;
  if (rows.length === 0) throw new Error("The file has the names of columns, and no row below them.");
  if (rows.length > MAX_ROWS)
    throw new Error(
      `The file has ${rows.length.toLocaleString("en")} rows. Divide it: at most ${MAX_ROWS.toLocaleString("en")} can be read at once.`,
    );
  const width = Math.max(...rows.slice(0, 100).map(({ length }) => length), first.length);
  const header = Array.from({ length: width }, (_, index) => {
    const given = hasHeader ? first[index]?.trim() : undefined;
    return given === undefined || given === "" ? `Column ${index + 1}` : given;
  });
  return { name, header, rows, firstRow: hasHeader ? 2 : 1 };
}

/** Whether a cell contains a phone number and nothing else. */
export function isPhoneNumberLike(cell: string): boolean {
  const digits = cell.replaceAll(/\D/g, "").length;
  return (
    digits >= MIN_DIGITS &&
    /^'?[\d+()\s./-]+$/.test(cell) &&
    !/^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/.test(cell.trim())
  );
}

/** Spreadsheets write UTF-8, UTF-16 with a mark, or the code page of Windows. */
function decode(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
