import { Code, Scanner, unquote } from "./scanner.ts";

/** A challenge or credentials: `scheme name=value, name="value" …` (RFC 3261 §25.1, RFC 7235 §2.1). */
export interface AuthenticationValue {
  /** As written, e.g. `Digest`. */
  scheme: string;
  /** By lower-case name, quotes and escapes removed. */
  parameters: ReadonlyMap<string, string>;
}

/** Reads one header line of WWW-Authenticate, Proxy-Authenticate, Authorization or Proxy-Authorization. */
export function parseAuthentication(value: string): AuthenticationValue | undefined {
  const scanner = new Scanner(value);
  scanner.skipWhitespace();
  const scheme = scanner.readToken();
  if (scheme === undefined) return undefined;
  const parameters = readParameters(scanner);
  return parameters === undefined ? undefined : { scheme, parameters };
}

/** Reads one header line of Authentication-Info or Proxy-Authentication-Info, by lower-case name (RFC 7615 §3). */
export function parseAuthenticationInfo(value: string): ReadonlyMap<string, string> | undefined {
  return readParameters(new Scanner(value));
}

function readParameters(scanner: Scanner): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  do {
    scanner.skipWhitespace();
    const name = scanner.readToken();
    if (name === undefined || !scanner.takeSeparator(Code.equals)) return undefined;
    const isQuoted = scanner.peek() === Code.quote;
    const raw = isQuoted ? scanner.readQuotedString() : readBareValue(scanner);
    if (raw === undefined) return undefined;
    const key = name.toLowerCase();
    // RFC 7616 §3.4: a repeated parameter makes the credentials ambiguous.
    if (parameters.has(key)) return undefined;
    parameters.set(key, isQuoted ? unquote(raw) : raw);
  } while (scanner.takeSeparator(Code.comma));
  return scanner.isAtEnd() ? parameters : undefined;
}

/** Reads up to a comma or space, because some peers omit the quotes around `uri` or `nonce`. */
function readBareValue(scanner: Scanner): string | undefined {
  const { text, position: start } = scanner;
  let position = start;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === Code.comma || code <= Code.space) break;
    position++;
  }
  scanner.position = position;
  return position === start ? undefined : text.slice(start, position);
}
