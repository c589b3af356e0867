import { type Block, Headings } from "./passages.rules.ts";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const SEPARATOR = /^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$/;
/** Bounded repetitions: their cost does not depend on the length of a line. */
const LINK = /!?\[([^\]\n]{0,300})\]\([^)\s]{0,500}(?:\s"[^"\n]{0,200}")?\)/g;

/** Paragraphs, lists and rows of tables of a Markdown text under their headings. Also reads plain text. */
export function* readMarkdown(text: string): Generator<Block> {
  const headings = new Headings();
  let paragraph: string[] = [];
  let columns: string[] | undefined;
  let fence: string | undefined;
  const take = (): Block[] => {
    const joined = paragraph.join("\n").trim();
    paragraph = [];
    return joined === "" ? [] : [{ text: joined, headings: headings.current }];
  };
  const lines = withoutFrontMatter(text.split(/\r\n|[\n\r]/));
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined || mark !== undefined) {
      if (fence === undefined) fence = mark?.slice(0, 3);
      else if (mark?.startsWith(fence) === true) fence = undefined;
      else paragraph.push(line);
      continue;
    }
    const heading = HEADING.exec(line);
    const underline = underlineLevel(lines[index + 1]);
    if (heading !== null || (underline !== undefined && paragraph.length === 0 && line.trim() !== "")) {
      yield* take();
      headings.enter(
        heading?.[1]?.length ?? underline ?? 1,
        plain(heading?.[2] ?? line).replace(/\s*#+\s*$/, ""),
      );
    } else if (line.trim() === "" || (underlineLevel(line) !== undefined && paragraph.length === 0)) {
      columns = undefined;
      yield* take();
    } else if (SEPARATOR.test(line.slice(0, 2_000)) && paragraph.length > 0) {
      columns = cellsOf(paragraph.pop() ?? "");
    } else {
      paragraph.push(columns === undefined ? plain(line) : toRow(columns, cellsOf(line)));
    }
  }
  yield* take();
}

/** Level of a heading above this line. A single hyphen begins a list. */
function underlineLevel(line: string | undefined): number | undefined {
  if (line === undefined) return undefined;
  if (/^ {0,3}={2,}\s*$/.test(line)) return 1;
  return /^ {0,3}-{2,}\s*$/.test(line) ? 2 : undefined;
}

function withoutFrontMatter(lines: string[]): string[] {
  if (lines[0] !== "---") return lines;
  const end = lines.indexOf("---", 1);
  return end < 0 ? lines : lines.slice(end + 1);
}

/** Longer lines are not written by people. */
const MAX_MARKED_CHARACTERS = 5_000;

function plain(line: string): string {
  return line.length > MAX_MARKED_CHARACTERS ? line : line.replaceAll(LINK, "$1").replaceAll("**", "");
}

function cellsOf(line: string): string[] {
  return plain(line)
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => cell.trim());
}

/** Names each cell by its column, so that a row can be understood alone. */
export function toRow(columns: readonly string[], cells: readonly string[]): string {
  return cells
    .map((cell, at) => {
      const column = columns[at] ?? "";
      return cell === "" || column === "" ? cell : `${column}: ${cell}`;
    })
    .filter((cell) => cell !== "")
    .join("; ");
}
