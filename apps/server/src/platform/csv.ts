const LINE_END = "\r\n";
const plainNumber = /^[+-]?\d+(\.\d+)?$/;

/** One row of CSV (RFC 4180). Cells that a spreadsheet would run as formulas begin with an apostrophe. */
export function toCsvRow(cells: readonly (string | number | boolean | null)[]): string {
  return cells.map((cell) => quote(withoutFormula(String(cell ?? "")))).join(",") + LINE_END;
}

/** Spreadsheets run cells that begin with these characters; plain numbers, such as phone numbers, are harmless. */
function withoutFormula(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) && !plainNumber.test(cell) ? `'${cell}` : cell;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
