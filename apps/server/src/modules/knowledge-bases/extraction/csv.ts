import { toRow } from "./markdown.ts";
import { type Block, DocumentError } from "./passages.rules.ts";

const MAX_CELL_CHARACTERS = 100_000;

/** Rows of a table, each cell named by the column's first row. The delimiter is the most frequent of the first line. */
export function* readCsv(text: string): Generator<Block> {
  let columns: string[] | undefined;
  let row = 0;
  for (const cells of parseCsv(text)) {
    row++;
    if (cells.every((cell) => cell === "")) continue;
    if (columns === undefined) columns = cells;
    else yield { text: toRow(columns, cells), headings: [], row };
  }
}

/** Parses RFC 4180, with any delimiter and line end. Linear in the text. */
function* parseCsv(text: string): Generator<string[]> {
  const delimiter = findDelimiter(text);
  const bare = new RegExp(`[^${delimiter}\\r\\n]*`, "y");
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = text[at] === '"' ? readQuoted(text, at) : { cell: "", end: at };
    bare.lastIndex = quoted.end;
    const [rest = ""] = bare.exec(text) ?? [];
    at = quoted.end + rest.length;
    const cell = (quoted.cell + rest).trim();
    if (cell.length > MAX_CELL_CHARACTERS)
      throw new DocumentError("has a cell of more than 100,000 characters");
    cells.push(cell);
    if (text[at] === delimiter) at++;
    else {
      at += text.startsWith("\r\n", at) ? 2 : 1;
      yield cells;
      cells = [];
    }
  }
  if (cells.length > 0) yield cells;
}

/** The cell whose quotation mark is at this place. Marks within it are doubled. */
function readQuoted(text: string, at: number): { cell: string; end: number } {
  let cell = "";
  let from = at + 1;
  for (;;) {
    const mark = text.indexOf('"', from);
    if (mark < 0) throw new DocumentError(`has a quotation mark without its end in line ${lineOf(text, at)}`);
    cell += text.slice(from, mark);
    if (text[mark + 1] !== '"') return { cell, end: mark + 1 };
    cell += '"';
    from = mark + 2;
  }
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

function findDelimiter(text: string): string {
  const [first = ""] = text.slice(0, 10_000).split(/[\r\n]/, 1);
  const counts = [",", ";", "\t"].map((mark) => ({ mark, count: first.split(mark).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).mark;
}
