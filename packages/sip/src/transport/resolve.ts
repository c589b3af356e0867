import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { parseUri } from "../grammar/uri.ts";
import type { SocketAddress } from "./transport.ts";
import { DEFAULT_SIP_PORT, withoutBrackets } from "./via-rules.ts";

/** Finds one address of a host name; rejects where there is none. */
export type HostLookup = (hostname: string) => Promise<string>;

/** By the resolver of the operating system, its hosts file included. */
export const systemLookup: HostLookup = async (hostname) => (await lookup(hostname)).address;

/**
 * Where requests for this URI go: its host and port, a name looked up by A or AAAA (RFC 3263 §4.2).
 *
 * @throws where the text is no `sip:` URI or its host has no address.
 */
export async function resolveUri(uri: string, lookupHost: HostLookup): Promise<SocketAddress> {
  const parsed = parseUri(uri);
  if (parsed === undefined || parsed.scheme === "tel") throw new Error(`no SIP URI: ${uri}`);
  const end = { address: withoutBrackets(parsed.host), port: parsed.port ?? DEFAULT_SIP_PORT };
  return resolveAddress(end, lookupHost);
}

/**
 * The same end with a name replaced by its address.
 *
 * @throws where the name has no address.
 */
export async function resolveAddress(end: SocketAddress, lookupHost: HostLookup): Promise<SocketAddress> {
  return isIP(end.address) === 0 ? { address: await lookupHost(end.address), port: end.port } : end;
}

/** RFC 1918, RFC 6598 and RFC 4193: addresses that mean nothing outside their own network. */
export function isPrivateAddress(address: string): boolean {
  return /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cd])/i.test(
    address,
  );
}
