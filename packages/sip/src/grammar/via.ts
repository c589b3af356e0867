import { formatParameters, type Parameters, readParameters } from "./parameters.ts";
import { Code, Scanner } from "./scanner.ts";

/** One value of a Via header field (RFC 3261 §20.42). */
export interface Via {
  /** `2.0`. The caller rejects other versions, because it has to answer them (RFC 3261 §21.5.6). */
  version: string;
  /** In upper case, for example `UDP`. */
  transport: string;
  /** The `sent-by` host as written; an IPv6 address keeps its brackets. */
  host: string;
  /** The `sent-by` port, if present. */
  port: number | undefined;
  parameters: Parameters;
}

/** Prefix of a branch that is unique in space and time (RFC 3261 §8.1.1.7). */
export const MAGIC_COOKIE = "z9hG4bK";

export const SIP_VERSION = "2.0";

/** Reads one Via value; the scanner is then behind it. */
export function readVia(scanner: Scanner): Via | undefined {
  scanner.skipWhitespace();
  const name = scanner.readToken();
  if (name === undefined || !scanner.takeSeparator(Code.slash)) return undefined;
  const version = scanner.readToken();
  if (version === undefined || name.toUpperCase() !== "SIP") return undefined;
  if (!scanner.takeSeparator(Code.slash)) return undefined;
  const transport = scanner.readToken();
  scanner.skipWhitespace();
  const host = scanner.readHost();
  if (transport === undefined || host === undefined) return undefined;
  let port: number | undefined;
  if (scanner.takeSeparator(Code.colon)) {
    port = scanner.readNumber(65_535);
    if (port === undefined) return undefined;
  }
  const parameters = readParameters(scanner);
  if (parameters === undefined) return undefined;
  scanner.skipWhitespace();
  if (!scanner.isAtEnd() && scanner.peek() !== Code.comma) return undefined;
  return { version, transport: transport.toUpperCase(), host, port, parameters };
}

/** Reads every value of one Via header line into `vias`. */
export function parseViaList(value: string, vias: Via[]): boolean {
  const scanner = new Scanner(value);
  do {
    const via = readVia(scanner);
    if (via?.version !== SIP_VERSION) return false;
    vias.push(via);
  } while (scanner.takeSeparator(Code.comma));
  return true;
}

export function formatVia(via: Via): string {
  const port = via.port === undefined ? "" : `:${via.port}`;
  return `SIP/${via.version}/${via.transport} ${via.host}${port}${formatParameters(via.parameters)}`;
}
