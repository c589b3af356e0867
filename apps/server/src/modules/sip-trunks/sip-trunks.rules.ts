import { BlockList, isIP } from "node:net";
import type { SipTrunk, SipTrunkHealth } from "@parley/contract";
import type { NextHop } from "@parley/sip";

/** Trunk without its observed state. */
export type TrunkSettings = Omit<SipTrunk, "health">;

/** Trunk data that decides whether to accept an inbound call. */
export interface InboundTrunk extends Pick<
  TrunkSettings,
  "id" | "allowedAddresses" | "proxyAddress" | "transport" | "isInboundAuthenticated" | "username"
> {
  organizationId: string;
}

export interface HostAndPort {
  host: string;
  port: number | undefined;
}

const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$/;

/** Parses `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; `undefined` if the text has another form. */
export function parseProxyAddress(text: string): HostAndPort | undefined {
  if (isIP(text) === 6) return { host: text, port: undefined };
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<name>[^:]+))(?::(?<port>\d{1,5}))?$/.exec(text);
  const { v6, name, port: digits } = match?.groups ?? {};
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  if (v6 !== undefined) return isIP(v6) === 6 ? { host: v6, port } : undefined;
  if (name === undefined) return undefined;
  // A text of digits and dots is meant as an address: a malformed one is not a host name.
  const isAddress = /^[\d.]+$/.test(name);
  return (isAddress ? isIP(name) === 4 : hostName.test(name)) ? { host: name, port } : undefined;
}

/**
 * Destination of a trunk's outbound calls before DNS resolution; `undefined` if outbound calls are disabled or the
 * address is malformed.
 */
export function nextHopOf({
  proxyAddress,
  transport,
}: Pick<SipTrunk, "proxyAddress" | "transport">): NextHop | undefined {
  const proxy = proxyAddress === null ? undefined : parseProxyAddress(proxyAddress);
  if (proxy === undefined) return undefined;
  return {
    address: proxy.host,
    ...(proxy.port === undefined ? {} : { port: proxy.port }),
    ...(transport === null ? {} : { protocol: protocols[transport] }),
  };
}

const protocols = { udp: "UDP", tcp: "TCP", tls: "TLS" } as const;

/** Host of a SIP URI of this server (RFC 3261 §25.1: IPv6 in brackets), with its port if one is set. */
export function uriHostOf({ address, port }: NextHop): string {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}

/** Address of record that a trunk registers, and our URI in all requests to the trunk. */
export function accountUriOf(server: NextHop, username: string): string {
  return `sip:${encodeURIComponent(username)}@${uriHostOf(server)}`;
}

/** URIs of caller and callee at the trunk's domain. */
export function partiesOn(
  server: NextHop,
  fromNumber: string,
): { from: string; uriOf: (number: string) => string } {
  const uriOf = (number: string): string =>
    `sip:${encodeURIComponent(number).replaceAll("%2B", "+")}@${uriHostOf(server)}`;
  return { from: uriOf(fromNumber), uriOf };
}

/** Health of a trunk that is not monitored. */
export const unknownHealth: SipTrunkHealth = {
  state: "unknown",
  reason: null,
  since: null,
  registration: { state: "none", reason: null, since: null },
};

/** Whether this is an IP address or a CIDR block. */
export function isAddressOrBlock(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Whether the address is one of these addresses, or in one of these CIDR blocks. */
export function isAddressListed(entries: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [network = "", prefix] = entry.split("/");
    const family = isIP(network) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(prefix), family);
  }
  // A dual-stack socket reports IPv4 peers as mapped IPv6 addresses.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return list.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

/** Whether the trunk limits the addresses from which it accepts calls. */
export function namesAddresses({ allowedAddresses, proxyAddress }: InboundTrunk): boolean {
  return allowedAddresses.length > 0 || proxyAddress !== null;
}

/**
 * Whether every call can be assigned to one of these two trunks, for any DNS records: they accept calls from
 * different fixed addresses, or from different users. Only then two organizations may have the same number on them:
 * otherwise one would receive the other's callers.
 */
export function areDistinguishable(one: InboundTrunk, other: InboundTrunk): boolean {
  const areAuthenticated = one.isInboundAuthenticated && other.isInboundAuthenticated;
  if (areAuthenticated && one.username !== other.username) return true;
  const [ours, theirs] = [fixedAddressesOf(one), fixedAddressesOf(other)];
  if (ours === undefined || theirs === undefined) return false;
  return !overlap(ours, theirs) && !overlap(theirs, ours);
}

/** Addresses from which the trunk accepts calls; `undefined` if these are all, or depend on DNS records. */
function fixedAddressesOf(trunk: InboundTrunk): readonly string[] | undefined {
  const { allowedAddresses } = trunk;
  const proxy = nextHopOf(trunk);
  if (proxy === undefined) return allowedAddresses.length > 0 ? allowedAddresses : undefined;
  return isIP(proxy.address) === 0 ? undefined : [...allowedAddresses, proxy.address];
}

/** Of two CIDR blocks that overlap, one contains all of the other: its first address is sufficient. */
function overlap(entries: readonly string[], others: readonly string[]): boolean {
  return others.some((other) => isAddressListed(entries, other.split("/")[0] ?? ""));
}
