import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import type { DocumentType } from "@parley/contract";

const types: Readonly<Record<string, DocumentType>> = {
  "text/html": "html",
  "application/xhtml+xml": "html",
  "text/plain": "text",
  "text/markdown": "markdown",
  "text/csv": "csv",
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
};

/** Type of the document in an answer; `undefined` if it cannot be read. */
export function documentTypeOf(contentType: string | undefined): DocumentType | undefined {
  return types[mediaTypeOf(contentType ?? "text/html")];
}

export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

const decompress: Readonly<
  Record<string, (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * Returns the body of a server that compresses without being asked to. `undefined` if the compression is unknown, the body damaged or
 * longer than the limit.
 */
export async function decompressed(
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const encoding = (contentEncoding ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return body;
  const known = Object.hasOwn(decompress, encoding) ? decompress[encoding] : undefined;
  return await known?.(body, { maxOutputLength: maxBytes }).catch(() => undefined);
}

/** The beginning of a page in which its encoding is looked for, in bytes, by the HTML standard. */
const PRESCAN_BYTES = 1_024;

/**
 * Returns a page in UTF-8: from the encoding that the answer or the page itself names, else from UTF-8 or Windows-1252, as browsers do.
 * `undefined` if the encoding is unknown.
 */
export function toUtf8(body: Uint8Array, contentType: string | undefined): Uint8Array | undefined {
  const beginning = Buffer.from(body.subarray(0, PRESCAN_BYTES)).toString("latin1");
  const label = charsetIn(contentType ?? "") ?? charsetIn(beginning);
  try {
    const text =
      label === undefined ? decodeUnlabeled(body) : new TextDecoder(label, { ignoreBOM: false }).decode(body);
    return new TextEncoder().encode(text);
  } catch {
    return undefined;
  }
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(text)?.[1];
}

function decodeUnlabeled(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return new TextDecoder("windows-1252").decode(body);
  }
}
