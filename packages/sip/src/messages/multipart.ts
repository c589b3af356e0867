/** One part of a body (RFC 2046 §5.1), or a whole body that is not multipart. */
export interface BodyPart {
  /** In lower case, without parameters. */
  type: string;
  body: Buffer;
  /** The `handling` parameter (RFC 5621 §8.3), if present. */
  handling: string | undefined;
}

const MAX_PARTS = 16;
const MAX_DEPTH = 3;
const HEADERS_END = "\r\n\r\n";

/** The parts of a multipart body, nested ones flattened in place; `undefined` if it is malformed. Never throws. */
export function readMultipart(contentType: string, body: Buffer): BodyPart[] | undefined {
  // In Latin-1, offsets in the text are offsets in the body.
  return readParts(contentType, body.toString("latin1"), MAX_DEPTH);
}

function readParts(contentType: string, text: string, depth: number): BodyPart[] | undefined {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined || depth === 0) return undefined;
  const sections = `\r\n${text}`.split(`\r\n--${boundary}`);
  const closing = sections.findIndex((section) => section.startsWith("--"));
  if (closing < 2 || closing > MAX_PARTS) return undefined;
  const parts: BodyPart[] = [];
  for (const section of sections.slice(1, closing)) {
    const inner = readPart(section, depth);
    if (inner === undefined) return undefined;
    parts.push(...inner);
  }
  return parts;
}

/** The section after a delimiter: white space, line end, headers, empty line, body. */
function readPart(section: string, depth: number): BodyPart[] | undefined {
  const start = /^[ \t]*\r\n/.exec(section)?.[0].length;
  if (start === undefined) return undefined;
  // A part may have no headers; the delimiter line then ends with the empty line.
  const isBare = section.startsWith("\r\n", start);
  const end = isBare ? start - 2 : section.indexOf(HEADERS_END, start);
  if (end < 0) return undefined;
  const headers = isBare ? "" : section.slice(start, end).replaceAll(/\r\n[ \t]+/g, " ");
  const contentType = headerIn(headers, "content-type") ?? "text/plain";
  const text = section.slice(end + HEADERS_END.length);
  const type = typeIn(contentType);
  if (type.startsWith("multipart/")) return readParts(contentType, text, depth - 1);
  const handling = handlingIn(headerIn(headers, "content-disposition"));
  return [{ type, handling, body: Buffer.from(text, "latin1") }];
}

function headerIn(headers: string, name: string): string | undefined {
  for (const line of headers.split("\r\n")) {
    const colon = line.indexOf(":");
    if (line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return undefined;
}

/** RFC 2046 §5.1.1: at most 70 characters, and the last one is not a space. */
function boundaryOf(contentType: string): string | undefined {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"\r\n]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  return boundary === undefined || boundary.length > 70 || boundary.endsWith(" ") ? undefined : boundary;
}

/** The media type in a Content-Type value, in lower case and without parameters. */
export function typeIn(contentType: string): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The `handling` of a Content-Disposition value, in lower case. */
export function handlingIn(disposition: string | undefined): string | undefined {
  return /;\s*handling\s*=\s*"?([\w-]+)/i.exec(disposition ?? "")?.[1]?.toLowerCase();
}
