import { type Parameters, readParameters } from "./parameters.ts";
import { Code, Scanner, unquote } from "./scanner.ts";

/** The value of From, To, Contact, Route and their like: `name-addr` or `addr-spec` with parameters (RFC 3261 §20). */
export interface NameAddress {
  /** Without quotes and escapes; empty if absent. */
  displayName: string;
  /** As written; {@link parseUri} parses it. */
  uri: string;
  /** Parameters of the header field (`tag`, `expires` …), not of the URI. */
  parameters: Parameters;
}

/** Reads a single value. */
export function parseNameAddress(value: string): NameAddress | undefined {
  const scanner = new Scanner(value);
  const address = readNameAddress(scanner);
  scanner.skipWhitespace();
  return scanner.isAtEnd() ? address : undefined;
}

/** Reads a comma-separated list of one or more values (Contact, Route, Record-Route) into `addresses`. */
export function parseNameAddressList(value: string, addresses: NameAddress[]): boolean {
  const scanner = new Scanner(value);
  do {
    const address = readNameAddress(scanner);
    if (address === undefined) return false;
    addresses.push(address);
  } while (scanner.takeSeparator(Code.comma));
  return scanner.isAtEnd();
}

function readNameAddress(scanner: Scanner): NameAddress | undefined {
  scanner.skipWhitespace();
  const { text } = scanner;
  let displayName = "";
  if (scanner.peek() === Code.quote) {
    const quoted = scanner.readQuotedString();
    if (quoted === undefined) return undefined;
    displayName = unquote(quoted);
    scanner.skipWhitespace();
    if (scanner.peek() !== Code.lessThan) return undefined;
  }
  const start = scanner.position;
  const angle = endOfDisplayName(text, start);
  if (angle === -1) return readAddrSpec(scanner);
  // An unquoted display name should consist of tokens (§25.1); other characters are accepted.
  if (angle > start) displayName = text.slice(start, angle).trimEnd();
  const close = text.indexOf(">", angle);
  if (close === -1) return undefined;
  const uri = text.slice(angle + 1, close).trim();
  if (uri === "") return undefined;
  scanner.position = close + 1;
  const parameters = readParameters(scanner);
  return parameters && { displayName, uri, parameters };
}

/** The index of the `<` that opens the URI; -1 if the value is an `addr-spec`. */
function endOfDisplayName(text: string, start: number): number {
  for (let position = start; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === Code.lessThan) return position;
    if (code === Code.semicolon || code === Code.comma || code === Code.colon) {
      // A colon or semicolon before any `<` belongs to a bare URI.
      return -1;
    }
  }
  return -1;
}

/** §20: if the URI has no angle brackets, each `;` begins a header parameter; `,` and `?` cannot occur. */
function readAddrSpec(scanner: Scanner): NameAddress | undefined {
  const { text } = scanner;
  const start = scanner.position;
  let position = start;
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === Code.semicolon || code === Code.comma || code <= Code.space) break;
    if (code === 0x3f || code === Code.lessThan || code === Code.greaterThan) return undefined;
  }
  const uri = text.slice(start, position);
  if (!uri.includes(":")) return undefined;
  scanner.position = position;
  const parameters = readParameters(scanner);
  return parameters && { displayName: "", uri, parameters };
}
