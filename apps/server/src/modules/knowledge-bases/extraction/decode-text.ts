import { TextDecoder } from "node:util";
import { DocumentError } from "./passages.rules.ts";

/** Beginnings of files that are not text, in Latin-1, and what to do with them. */
const otherFormats = [
  ["%PDF-", "is a PDF file: upload it with a name that ends in .pdf"],
  [
    "PK\u0003\u0004",
    "is an archive or an Office file: upload a Word file as .docx, save tables as .csv, and unpack archives first",
  ],
  ["\u00D0\u00CF\u0011\u00E0", "is a file of an old Office version: save it as .docx, and tables as .csv"],
  ["\u0089PNG", "is an image: recognize its text (OCR) first, and upload the text"],
  ["\u00FF\u00D8\u00FF", "is an image: recognize its text (OCR) first, and upload the text"],
] as const;
const MARK_BYTES = 8;

/** Decodes UTF-8, or UTF-16 with a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, MARK_BYTES)).toString("latin1");
  const other = otherFormats.find(([beginning]) => mark.startsWith(beginning));
  if (other !== undefined) throw new DocumentError(other[1]);
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const encoding = isUtf16 ? (first === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new DocumentError("is not text in UTF-8: save it as UTF-8 and upload it again", { cause: error });
  }
}
