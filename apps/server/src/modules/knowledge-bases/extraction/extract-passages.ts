import type { DocumentType } from "@parley/contract";
import type { NewPassage } from "../passages.store.ts";
import { readCsv } from "./csv.ts";
import { decodeText } from "./decode-text.ts";
import { readDocx } from "./docx.ts";
import { readHtml } from "./html.ts";
import { readMarkdown } from "./markdown.ts";
import { type Block, DocumentError, toPassages } from "./passages.rules.ts";
import { readPdf } from "./pdf.ts";

/** Divides a document into passages. Throws a `DocumentError` if it cannot be read. */
export async function extractPassages(bytes: Uint8Array, type: DocumentType): Promise<NewPassage[]> {
  const passages = toPassages(await readBlocks(bytes, type));
  if (passages.length === 0) throw new DocumentError("contains no text");
  return passages;
}

async function readBlocks(bytes: Uint8Array, type: DocumentType): Promise<Iterable<Block>> {
  switch (type) {
    case "pdf":
      return await readPdf(bytes);
    case "docx":
      return readDocx(bytes);
    case "html":
      return readHtml(decodeText(bytes));
    case "csv":
      return readCsv(decodeText(bytes));
    case "markdown":
    case "text":
      return readMarkdown(decodeText(bytes));
  }
}
