import { formatVia, readVia, type Via } from "../grammar/via.ts";
import { Scanner } from "../grammar/scanner.ts";
import type { HeaderList } from "../messages/header-list.ts";
import type { Destination, Hop, SocketAddress, TransportProtocol } from "./transport.ts";

export const DEFAULT_SIP_PORT = 5060;

/** RFC 3261 §19.1.2: the default port. */
export function defaultPort(protocol: TransportProtocol): number {
  return protocol === "TLS" ? 5061 : DEFAULT_SIP_PORT;
}

export function withoutBrackets(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

/** An address as the host part of a URI or Via: IPv6 in brackets. */
export function hostOf(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/**
 * Adds the source of a request to its top Via: `received` if the source differs from the `sent-by` host (RFC
 * 3261 §18.2.1); both `received` and the port if `rport` is present (RFC 3581 §4).
 */
export function stampSource(headers: HeaderList, topVia: Via, source: SocketAddress): Via {
  const isPortRequested = topVia.parameters.has("rport");
  if (!isPortRequested && withoutBrackets(topVia.host) === source.address) return topVia;
  const parameters = new Map(topVia.parameters);
  if (isPortRequested) parameters.set("rport", String(source.port));
  parameters.set("received", source.address);
  const stamped: Via = { ...topVia, parameters };
  const line = headers.get("via") ?? "";
  const scanner = new Scanner(line);
  readVia(scanner);
  headers.set("via", formatVia(stamped) + line.slice(scanner.position));
  return stamped;
}

/**
 * The destination of responses to a request (RFC 3261 §18.2.2, RFC 3581 §4). Over UDP: the source address, with
 * the source port if `rport` is present, otherwise with the port of `sent-by`. Over streams: the request's
 * connection, or a new one to the port of `sent-by` if that is gone. `maddr` is ignored, because it would let a
 * stranger choose the destination.
 */
export function responseDestination(topVia: Via, source: Hop): Destination {
  const { protocol, address } = source;
  const sentBy = { protocol, address, port: topVia.port ?? defaultPort(protocol) };
  if (protocol === "UDP") return topVia.parameters.has("rport") ? source : sentBy;
  return { ...source, alternatives: [{ ...sentBy, domain: withoutBrackets(topVia.host) }] };
}
