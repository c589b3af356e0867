import { isUtf8 } from "node:buffer";
import { parseCSeq } from "../grammar/cseq.ts";
import { parseNameAddress } from "../grammar/name-address.ts";
import { Code, containsControl, isControl, isToken, Scanner } from "../grammar/scanner.ts";
import { isRequestUri } from "../grammar/uri.ts";
import { parseViaList, readVia, SIP_VERSION, type Via } from "../grammar/via.ts";
import { HeaderList } from "./header-list.ts";
import type { SipMessage } from "./message.ts";

/** The largest accepted message: the maximum size of a UDP datagram (RFC 3261 §18.1.1). */
const MAX_MESSAGE_BYTES = 65_535;
const MAX_HEADER_LINES = 256;
const MAX_HEADER_LINE_LENGTH = 16_384;

/** The parts of a malformed request that the answer copies: Via, From, To, Call-ID and CSeq. */
export interface UnacceptableRequest {
  method: string;
  headers: HeaderList;
  topVia: Via;
}

export interface ParseFailure {
  ok: false;
  /** The fault, in words for a log and for the reason phrase of the answer. */
  reason: string;
  /** The status to answer with. */
  status: 400 | 505 | 513;
  /** Absent if no answer is possible: not a request, an ACK, or no usable top Via. */
  request?: UnacceptableRequest;
}

export type ParseResult = { ok: true; message: SipMessage } | ParseFailure;

/**
 * Reads one whole message, as UDP delivers it (RFC 3261 §7, §18.3). The mandatory header fields (§8.1.1) are
 * checked and parsed here; all others are parsed on demand. Never throws.
 */
export function parseMessage(data: Buffer): ParseResult {
  if (data.length > MAX_MESSAGE_BYTES) return fail("Message Too Large", 513);
  let start = 0;
  // §7.5: empty lines before the start line are ignored.
  while (data[start] === 0x0d && data[start + 1] === 0x0a) start += 2;
  const separator = data.indexOf("\r\n\r\n", start, "latin1");
  const headEnd = separator === -1 ? data.length : separator;
  const head = data.subarray(start, headEnd);
  // §7.3.1 requires UTF-8; older systems write names in ISO 8859-1.
  const text = head.toString(isUtf8(head) ? "utf8" : "latin1");
  const startLineEnd = text.indexOf("\r\n");
  const startLine = startLineEnd === -1 ? text : text.slice(0, startLineEnd);

  const line = parseStartLine(startLine);
  if (line === undefined) return fail("Bad Start Line");
  const headers = new HeaderList();
  const problem = startLineEnd === -1 ? undefined : readHeaderLines(text, startLineEnd + 2, headers);
  if (separator === -1) return reject(line, headers, "Header Fields Not Ended");
  // §21.5.6: unsupported version.
  if (line.version !== "SIP/2.0") return reject(line, headers, "Version Not Supported", 505);
  if (line.kind === "malformed") return reject(line, headers, "Bad Request-Line");
  if (problem !== undefined) return reject(line, headers, problem);
  return build(line, headers, data.subarray(headEnd + 4));
}

type StartLine =
  | { kind: "request"; method: string; requestUri: string; version: string }
  | { kind: "response"; status: number; reason: string; version: string }
  /** Recognizable as a request, so the sender gets an error response. */
  | { kind: "malformed"; method: string; version: string };

/** Request-Line or Status-Line, with single spaces between the parts (§7.1, §7.2). */
function parseStartLine(line: string): StartLine | undefined {
  if (line.startsWith("SIP/")) {
    const parts = /^(SIP\/\d+\.\d+) ([1-6]\d\d)(?: (.*))?$/.exec(line);
    if (parts === null || containsControl(line)) return undefined;
    return { kind: "response", version: parts[1] ?? "", status: Number(parts[2]), reason: parts[3] ?? "" };
  }
  const afterMethod = line.indexOf(" ");
  const method = line.slice(0, afterMethod);
  if (afterMethod === -1 || !isToken(method)) return undefined;
  const afterUri = line.indexOf(" ", afterMethod + 1);
  const version = line.slice(afterUri + 1).toUpperCase();
  if (afterUri > afterMethod + 1 && (version === "SIP/2.0" || /^SIP\/\d+\.\d+$/.test(version)))
    return { kind: "request", method, requestUri: line.slice(afterMethod + 1, afterUri), version };
  const anyVersion = /\s(SIP\/\d+\.\d+)\s*$/i.exec(line)?.[1];
  return anyVersion === undefined
    ? undefined
    : { kind: "malformed", method, version: anyVersion.toUpperCase() };
}

/** Adds every header line to `headers`; returns the fault of the first malformed line, but reads the rest too. */
function readHeaderLines(text: string, start: number, headers: HeaderList): string | undefined {
  let problem: string | undefined;
  let position = start;
  // Malformed lines count as well: each costs as much as a valid one.
  for (let count = 0; position < text.length; count++) {
    if (count >= MAX_HEADER_LINES) return "Too Many Header Fields";
    let lineEnd = text.indexOf("\n", position);
    // §7.3.1: a line that begins with white space continues the previous line.
    while (lineEnd !== -1 && isWhitespace(text.charCodeAt(lineEnd + 1)))
      lineEnd = text.indexOf("\n", lineEnd + 1);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    const line = text.slice(position, lineEnd === -1 ? text.length : lineEnd);
    const isEnded = lineEnd === -1 || line.endsWith("\r");
    const lineProblem = addHeaderLine(lineEnd === -1 || !isEnded ? line : line.slice(0, -1), headers);
    problem ??= isEnded ? lineProblem : "Bad Line End";
    position = next;
  }
  return problem;
}

/** Adds one header field, with its folds but without its line end. */
function addHeaderLine(line: string, headers: HeaderList): string | undefined {
  const colon = line.indexOf(":");
  if (colon === -1 || line.length > MAX_HEADER_LINE_LENGTH) return "Bad Header Field";
  // HCOLON (§25.1) allows white space on both sides of the colon.
  const name = trimBlanks(line.slice(0, colon));
  if (name === "") return "Bad Header Field";
  const written = line.slice(colon + 1);
  const value = written.includes("\n") ? unfold(written) : trimBlanks(written);
  headers.add(name, value);
  if (value.includes("\r")) return "Bad Line End";
  return hasForbiddenControl(value) ? "Control Character" : undefined;
}

/** Replaces each line end and the white space around it by one space (§7.3.1). */
function unfold(value: string): string {
  const lines = value.split("\n").map((line) => trimBlanks(line.endsWith("\r") ? line.slice(0, -1) : line));
  return trimBlanks(lines.join(" "));
}

function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isWhitespace(text.charCodeAt(start))) start++;
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** True for a control character that is not a `quoted-pair` inside quotes (§25.1). */
function hasForbiddenControl(value: string): boolean {
  if (!containsControl(value)) return false;
  let isEscaped = false;
  let inQuotes = false;
  for (let position = 0; position < value.length; position++) {
    const code = value.charCodeAt(position);
    if (isControl(code) && !(inQuotes && isEscaped)) return true;
    if (code === Code.quote && !isEscaped) inQuotes = !inQuotes;
    isEscaped = inQuotes && code === Code.backslash && !isEscaped;
  }
  return false;
}

function isWhitespace(code: number): boolean {
  return code === Code.space || code === Code.tab;
}

/** Checks and parses the mandatory header fields (§8.1.1) and cuts the body to its length (§18.3). */
function build(
  line: Exclude<StartLine, { kind: "malformed" }>,
  headers: HeaderList,
  rest: Buffer,
): ParseResult {
  const viaText = headers.get("via");
  if (viaText === undefined) return fail("Bad Via");
  const viaScanner = new Scanner(viaText);
  const topVia = readVia(viaScanner);
  if (topVia === undefined) return fail("Bad Via");
  if (topVia.version !== SIP_VERSION || !isRestOfViaValid(viaScanner))
    return reject(line, headers, "Bad Via");
  const fromText = singleValue(headers, "from");
  const from = fromText === undefined ? undefined : parseNameAddress(fromText);
  if (from === undefined) return reject(line, headers, "Bad From");
  const toText = singleValue(headers, "to");
  const to = toText === undefined ? undefined : parseNameAddress(toText);
  if (to === undefined) return reject(line, headers, "Bad To");
  const callId = singleValue(headers, "call-id");
  // Not even escaped: call records are stored under their Call-ID.
  if (callId === undefined || callId === "" || containsControl(callId))
    return reject(line, headers, "Bad Call-ID");
  const cseqText = singleValue(headers, "cseq");
  const cseq = cseqText === undefined ? undefined : parseCSeq(cseqText);
  if (cseq === undefined) return reject(line, headers, "Bad CSeq");
  const body = cutBody(headers, rest);
  if (body === undefined) return reject(line, headers, "Bad Content-Length");
  if (line.kind === "response") {
    const { status, reason } = line;
    return {
      ok: true,
      message: { kind: "response", status, reason, headers, body, topVia, from, to, callId, cseq },
    };
  }
  const { method, requestUri } = line;
  if (!isRequestUri(requestUri)) return reject(line, headers, "Bad Request-URI");
  // §8.1.1.5: the CSeq method equals the request's method.
  if (cseq.method !== method) return reject(line, headers, "CSeq Method Mismatch");
  // §8.1.1.6: absent is accepted, because RFC 2543 did not require it.
  const maxForwards = headers.get("max-forwards");
  if (maxForwards !== undefined && !/^0*\d{1,3}$/.test(maxForwards))
    return reject(line, headers, "Bad Max-Forwards");
  return {
    ok: true,
    message: { kind: "request", method, requestUri, headers, body, topVia, from, to, callId, cseq },
  };
}

/** Checks the values behind the top one in its line: every response copies them, so they must be well-formed. */
function isRestOfViaValid(scanner: Scanner): boolean {
  return !scanner.takeSeparator(Code.comma) || parseViaList(scanner.text.slice(scanner.position), []);
}

function readTopVia(headers: HeaderList): Via | undefined {
  const value = headers.get("via");
  return value === undefined ? undefined : readVia(new Scanner(value));
}

/** The value of a header field that must occur exactly once. */
function singleValue(headers: HeaderList, name: string): string | undefined {
  return headers.count(name) === 1 ? headers.get(name) : undefined;
}

/** §18.3: drops bytes beyond Content-Length; fewer bytes are an error. Without Content-Length, the rest is the body. */
function cutBody(headers: HeaderList, rest: Buffer): Buffer | undefined {
  const text = headers.get("content-length");
  if (text === undefined) return rest;
  if (!/^\d{1,9}$/.test(text) || headers.count("content-length") > 1) return undefined;
  const length = Number(text);
  return length > rest.length ? undefined : rest.subarray(0, length);
}

function fail(reason: string, status: ParseFailure["status"] = 400): ParseFailure {
  return { ok: false, reason, status };
}

function reject(
  line: StartLine,
  headers: HeaderList,
  reason: string,
  status: ParseFailure["status"] = 400,
): ParseFailure {
  // §17.1.1.3, §18.3: responses and ACKs are never answered.
  if (line.kind === "response" || line.method === "ACK") return fail(reason, status);
  const topVia = readTopVia(headers);
  if (topVia === undefined) return fail(reason, status);
  return { ok: false, reason, status, request: { method: line.method, headers, topVia } };
}
