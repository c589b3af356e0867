import { formatVia, readVia, type Via } from "../grammar/via.ts";
import { Scanner } from "../grammar/scanner.ts";
import type { HeaderList } from "../messages/header-list.ts";
import type { Destination, Hop, SocketAddress, TransportProtocol } from "./transport.ts";

export const DEFAULT_SIP_PORT = 5060;

/** RFC 3261 §19.1.2: the port where none is written. */
export function defaultPort(protocol: TransportProtocol): number {
  return protocol === "TLS" ? 5061 : DEFAULT_SIP_PORT;
}

export function withoutBrackets(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

/** The host part of a URI or Via for an address: IPv6 in brackets. */
export function hostOf(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/**
 * Stamps where a request came from into its top Via: `received` where the source is not the `sent-by` host
 * (RFC 3261 §18.2.1), and both `received` and the port where `rport` asks for it (RFC 3581 §4).
 */
export function stampSource(headers: HeaderList, topVia: Via, source: SocketAddress): Via {
  const wantsPort = topVia.parameters.has("rport");
  if (!wantsPort && withoutBrackets(topVia.host) === source.address) return topVia;
  const parameters = new Map(topVia.parameters);
  if (wantsPort) parameters.set("rport", String(source.port));
  parameters.set("received", source.address);
  const stamped: Via = { ...topVia, parameters };
  const line = headers.get("via") ?? "";
  const scanner = new Scanner(line);
  readVia(scanner);
  headers.set("via", formatVia(stamped) + line.slice(scanner.position));
  return stamped;
}

/**
 * Where the responses to a request go (RFC 3261 §18.2.2, RFC 3581 §4). Over UDP: the address it came from, and the
 * port it came from where `rport` asks for that, else the port of `sent-by`. Over streams: the connection it came on,
 * and when that is gone a new one to the port of `sent-by`. `maddr` is not honoured: it would let a stranger choose
 * whom we send to.
 */
export function responseDestination(topVia: Via, source: Hop): Destination {
  const { protocol, address } = source;
  const sentBy = { protocol, address, port: topVia.port ?? defaultPort(protocol) };
  if (protocol === "UDP") return topVia.parameters.has("rport") ? source : sentBy;
  return { ...source, alternatives: [{ ...sentBy, domain: withoutBrackets(topVia.host) }] };
}
