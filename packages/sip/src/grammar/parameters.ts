import { Code, type Scanner } from "./scanner.ts";

/**
 * `;name=value` pairs by lower-case name (RFC 3261 §7.3.1: names compare without regard to case). A parameter
 * without a value, such as `lr`, maps to the empty string; a quoted value keeps its quotes.
 */
export type Parameters = ReadonlyMap<string, string>;

export const NO_PARAMETERS: Parameters = new Map();

/** A header field with more parameters is malformed. */
const MAX_PARAMETERS = 64;

/** Reads `*(SEMI generic-param)` (§25.1) up to the first character that does not continue it. */
export function readParameters(scanner: Scanner): Parameters | undefined {
  scanner.skipWhitespace();
  if (scanner.peek() !== Code.semicolon) return NO_PARAMETERS;
  const parameters = new Map<string, string>();
  while (scanner.takeSeparator(Code.semicolon)) {
    // A stray semicolon (`<sip:a@b>;;tag=1` or at the end) is common and harmless.
    const next = scanner.peek();
    if (next === Code.semicolon || next === Code.comma || scanner.isAtEnd()) continue;
    const name = scanner.readToken();
    if (name === undefined || parameters.size >= MAX_PARAMETERS) return undefined;
    let value = "";
    if (scanner.takeSeparator(Code.equals)) {
      const read = readParameterValue(scanner);
      if (read === undefined) return undefined;
      value = read;
    }
    // The first of two equal names wins; repeating one is not allowed (§7.3.1).
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, value);
  }
  return parameters;
}

/** `token / host / quoted-string`; like most parsers, accepts every character that cannot end one of the three. */
function readParameterValue(scanner: Scanner): string | undefined {
  if (scanner.peek() === Code.quote) return scanner.readQuotedString();
  const { text } = scanner;
  const start = scanner.position;
  let position = start;
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === Code.semicolon || code === Code.comma || code === Code.greaterThan || code <= Code.space)
      break;
  }
  scanner.position = position;
  return text.slice(start, position);
}

export function formatParameters(parameters: Parameters): string {
  let text = "";
  for (const [name, value] of parameters) text += value === "" ? `;${name}` : `;${name}=${value}`;
  return text;
}
