import { getDocumentProxy } from "unpdf";
import { type Block, DocumentError, Headings } from "./passages.rules.ts";

const MAX_PAGES = 2_000;
/** A short line that is this much higher than the text is a heading. */
const HEADING_RATIO = 1.15;
const MAX_HEADING_CHARACTERS = 120;

interface Line {
  text: string;
  heightPt: number;
  page: number;
  /** Whether a gap above it begins a paragraph. */
  isFirst: boolean;
}

/** Paragraphs of a PDF file with their pages, under headings that are found by their size. */
export async function readPdf(bytes: Uint8Array): Promise<Block[]> {
  const lines = await readLines(bytes);
  if (lines.length === 0)
    throw new DocumentError("contains no text: it may be scanned. Recognize its text (OCR) first");
  const body = commonHeight(lines);
  const headings = new Headings();
  const blocks: Block[] = [];
  for (const { text, heightPt, page, isFirst } of lines) {
    if (heightPt > body * HEADING_RATIO && text.length <= MAX_HEADING_CHARACTERS) {
      // Higher letters are higher headings.
      headings.enter(Math.max(1, 100 - Math.round(heightPt)), text);
      continue;
    }
    const last = blocks.at(-1);
    const current = headings.current;
    const continues = !isFirst && last?.page === page && last.headings.join("\n") === current.join("\n");
    if (last !== undefined && continues) last.text += last.text.endsWith("-") ? text : ` ${text}`;
    else blocks.push({ text, headings: current, page });
  }
  return blocks;
}

async function readLines(bytes: Uint8Array): Promise<Line[]> {
  const pdf = await open(bytes);
  if (pdf.numPages > MAX_PAGES)
    throw new DocumentError(
      `has ${pdf.numPages} pages, more than ${MAX_PAGES}: divide it into several documents`,
    );
  const lines: Line[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    let text = "";
    let heightPt = 0;
    let y = 0;
    let lastY: number | undefined;
    const end = (): void => {
      const line = text.replaceAll(/\s+/g, " ").trim();
      const gap = lastY === undefined ? Infinity : Math.abs(lastY - y);
      if (line !== "") {
        lines.push({ text: line, heightPt, page: number, isFirst: gap > heightPt * 1.8 });
        lastY = y;
      }
      text = "";
      heightPt = 0;
    };
    for (const item of items) {
      if (!("str" in item)) continue;
      text += item.str;
      if (item.str.trim() !== "") {
        heightPt = Math.max(heightPt, item.height);
        y = Number(item.transform[5] ?? 0);
      }
      if (item.hasEOL) end();
    }
    end();
    page.cleanup();
  }
  return lines;
}

async function open(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0, stopAtErrors: false });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === "PasswordException";
    throw new DocumentError(
      isLocked
        ? "is protected by a password: save it without one"
        : "is damaged or no PDF file: export it again as PDF",
      { cause: error },
    );
  }
}

/** Height of most of the text. */
function commonHeight(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { heightPt, text } of lines) {
    const rounded = Math.round(heightPt * 2) / 2;
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length);
  }
  return [...characters].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}
