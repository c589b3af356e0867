import { unzipSync } from "fflate";
import { Parser } from "htmlparser2";
import { decodeText } from "./decode-text.ts";
import { type Block, DocumentError, Headings, Nesting } from "./passages.rules.ts";

const CONTENT = "word/document.xml";
const MAX_XML_BYTES = 64 * 1024 * 1024;

/** Paragraphs and rows of tables of a Word file (ECMA-376 §17) under their headings. */
export function readDocx(bytes: Uint8Array): Block[] {
  const blocks: Block[] = [];
  const headings = new Headings();
  const nesting = new Nesting();
  let text = "";
  let level: number | undefined;
  let isText = false;
  let rows = 0;
  let cells: string[] = [];
  const endParagraph = (): void => {
    const paragraph = text.trim();
    text = "";
    if (paragraph === "") return;
    if (rows > 0) cells.push(paragraph);
    else if (level === undefined) blocks.push({ text: paragraph, headings: headings.current });
    else headings.enter(level, paragraph);
  };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        nesting.enter();
        if (name === "w:t") isText = true;
        else if (name === "w:tab") text += "\t";
        else if (name === "w:br" || name === "w:cr") text += "\n";
        else if (name === "w:tr") rows++;
        else if (name === "w:p") level = undefined;
        else if (name === "w:pStyle") level ??= levelOfStyle(attributes["w:val"] ?? "");
        else if (name === "w:outlineLvl") level ??= levelOfOutline(attributes["w:val"] ?? "");
      },
      ontext: (data) => {
        if (isText) text += data;
      },
      onclosetag: (name) => {
        nesting.leave();
        if (name === "w:t") isText = false;
        else if (name === "w:p") endParagraph();
        else if (name === "w:tr") {
          rows = Math.max(0, rows - 1);
          if (rows > 0 || cells.length === 0) return;
          blocks.push({ text: cells.join(" | "), headings: headings.current });
          cells = [];
        }
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(decodeText(unpack(bytes)));
  parser.end();
  return blocks;
}

/** The unpacked size is limited by what the archive states: the decoder writes no more than that. */
function unpack(bytes: Uint8Array): Uint8Array {
  let isTooLarge = false;
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (name !== CONTENT) return false;
        isTooLarge = originalSize > MAX_XML_BYTES;
        return !isTooLarge;
      },
    });
  } catch (error) {
    throw new DocumentError("is damaged or no Word file: save it again as .docx", { cause: error });
  }
  if (isTooLarge)
    throw new DocumentError("contains more than 64 MiB of text: divide it into several documents");
  const content = files[CONTENT];
  if (content === undefined) throw new DocumentError("is no Word file: save it again as .docx");
  return content;
}

/** Ids of styles are localized by some editors. */
function levelOfStyle(style: string): number | undefined {
  if (/^title$/i.test(style)) return 1;
  const number = /^(?:heading|berschrift|titre|t[ií]tulo|titolo|kop)\s?(\d)$/i.exec(style)?.[1];
  return number === undefined ? undefined : Number(number);
}

function levelOfOutline(value: string): number | undefined {
  return /^[0-8]$/.test(value) ? Number(value) + 1 : undefined;
}
