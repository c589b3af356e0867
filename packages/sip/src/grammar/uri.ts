import { NO_PARAMETERS, type Parameters } from "./parameters.ts";
import { Code, Scanner } from "./scanner.ts";

/** A `sip:` or `sips:` URI (RFC 3261 §19.1). */
export interface SipUri {
  scheme: "sip" | "sips";
  /** Decoded. */
  user: string | undefined;
  password: string | undefined;
  /** As written; an IPv6 address keeps its brackets. */
  host: string;
  port: number | undefined;
  parameters: Parameters;
  /** The text after `?`, not decoded. */
  headers: string;
}

/** A `tel:` URI (RFC 3966). */
export interface TelUri {
  scheme: "tel";
  /** With visual separators removed; a global number begins with `+`. */
  number: string;
  parameters: Parameters;
}

export type Uri = SipUri | TelUri;

/**
 * Reads a `sip:`, `sips:` or `tel:` URI. Returns `undefined` for any other scheme (answered with 416,
 * RFC 3261 §8.2.2.1) and for text that is not a URI; `uriScheme` distinguishes the two.
 */
export function parseUri(text: string): Uri | undefined {
  const colon = text.indexOf(":");
  if (colon === 3 && isScheme(text, "sip")) return parseSipUri(text, colon + 1, "sip");
  if (colon === 4 && isScheme(text, "sips")) return parseSipUri(text, colon + 1, "sips");
  if (colon === 3 && isScheme(text, "tel")) return parseTelUri(text.slice(colon + 1));
  return undefined;
}

/** The scheme in lower case, or `undefined` if the text does not begin with one (RFC 3986 §3.1). */
export function uriScheme(text: string): string | undefined {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase();
}

/** True for a `sips:` URI. */
export function isSips(uri: string): boolean {
  return uriScheme(uri) === "sips";
}

/** True if the text is valid as a Request-URI: any scheme, or a SIP URI without header fields (RFC 3261 §19.1.1). */
export function isRequestUri(text: string): boolean {
  if (hasControlOrSpace(text)) return false;
  const uri = parseUri(text);
  if (uri !== undefined) return uri.scheme === "tel" || uri.headers === "";
  const scheme = uriScheme(text);
  return scheme !== undefined && scheme !== "sip" && scheme !== "sips" && scheme !== "tel";
}

function hasControlOrSpace(text: string): boolean {
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code <= Code.space || code === Code.delete) return true;
  }
  return false;
}

function isScheme(text: string, scheme: string): boolean {
  return text.startsWith(scheme) || text.slice(0, scheme.length).toLowerCase() === scheme;
}

function parseSipUri(text: string, start: number, scheme: "sip" | "sips"): SipUri | undefined {
  const at = text.indexOf("@", start);
  let user: string | undefined;
  let password: string | undefined;
  if (at !== -1) {
    const userInfo = text.slice(start, at);
    const colon = userInfo.indexOf(":");
    user = decode(colon === -1 ? userInfo : userInfo.slice(0, colon));
    if (user === undefined || user === "") return undefined;
    if (colon !== -1) password = userInfo.slice(colon + 1);
  }
  const scanner = new Scanner(text, at === -1 ? start : at + 1);
  const host = scanner.readHost();
  if (host === undefined) return undefined;
  let port: number | undefined;
  if (scanner.peek() === Code.colon) {
    scanner.position++;
    port = scanner.readNumber(65_535);
    if (port === undefined) return undefined;
  }
  const question = text.indexOf("?", scanner.position);
  const parametersEnd = question === -1 ? text.length : question;
  const parameters = parseUriParameters(text, scanner.position, parametersEnd);
  if (parameters === undefined) return undefined;
  return { scheme, user, password, host, port, parameters, headers: text.slice(parametersEnd + 1) };
}

function parseUriParameters(text: string, start: number, end: number): Parameters | undefined {
  if (start === end) return NO_PARAMETERS;
  if (text.charCodeAt(start) !== Code.semicolon) return undefined;
  const parameters = new Map<string, string>();
  for (const part of text.slice(start + 1, end).split(";", 64)) {
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals))?.toLowerCase();
    const value = equals === -1 ? "" : decode(part.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    if (name !== "" && !parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

function parseTelUri(text: string): TelUri | undefined {
  const semicolon = text.indexOf(";");
  const end = semicolon === -1 ? text.length : semicolon;
  // RFC 3966 §3: the visual separators `-.()` have no meaning.
  const number = text.slice(0, end).replace(/[-.()]/g, "");
  if (!/^\+?[0-9A-Fa-f*#]+$/.test(number)) return undefined;
  const parameters = parseUriParameters(text, end, text.length);
  return parameters && { scheme: "tel", number, parameters };
}

/** Resolves `%HH` (RFC 3261 §19.1.2); decoded text that is not UTF-8 is read as ISO 8859-1. */
function decode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return unescape(text);
  }
}
