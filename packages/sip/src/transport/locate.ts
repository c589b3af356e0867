import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { parseUri } from "../grammar/uri.ts";
import type { Destination, Hop, TransportProtocol } from "./transport.ts";
import { DEFAULT_SIP_PORT, withoutBrackets } from "./via-rules.ts";

/** A server as an operator names it; what is left out is found by DNS (RFC 3263 §4). */
export interface NextHop {
  /** A host name or an IP address, IPv6 without brackets. */
  address: string;
  port?: number;
  protocol?: TransportProtocol;
}

/** Finds one address of a host name; rejects where there is none. */
export type HostLookup = (hostname: string) => Promise<string>;

/** By the resolver of the operating system, its hosts file included. */
const systemLookup: HostLookup = async (hostname) => (await lookup(hostname)).address;

/** Finds where requests go (RFC 3263 §4). */
export class Locator {
  readonly #lookup: HostLookup;

  constructor(hostLookup: HostLookup = systemLookup) {
    this.#lookup = hostLookup;
  }

  /**
   * Where requests for this URI, or for this server, go.
   *
   * @throws where the text is no `sip:` URI or its host has no address.
   */
  async locate(target: string | NextHop): Promise<Destination> {
    const server = typeof target === "string" ? serverOf(target) : target;
    const address = isIP(server.address) === 0 ? await this.#lookup(server.address) : server.address;
    return { address, port: server.port ?? DEFAULT_SIP_PORT, protocol: "UDP" };
  }

  /**
   * Where the requests of a dialog go: its first route or the peer's Contact. A private Contact of a peer that we see
   * under a public address lies behind a NAT, so what it sees our messages come from is where it is reached.
   *
   * @param peer where the peer's messages come from.
   * @throws where the next hop has no address.
   */
  async locateInDialog(
    { nextHopUri, hasRoutes }: { nextHopUri: string; hasRoutes: boolean },
    peer: Hop,
  ): Promise<Destination> {
    const nextHop = await this.locate(nextHopUri);
    const isBehindNat = !hasRoutes && isPrivateAddress(nextHop.address) && !isPrivateAddress(peer.address);
    return isBehindNat ? peer : nextHop;
  }
}

function serverOf(uri: string): NextHop {
  const parsed = parseUri(uri);
  if (parsed === undefined || parsed.scheme === "tel") throw new Error(`no SIP URI: ${uri}`);
  return {
    address: withoutBrackets(parsed.host),
    ...(parsed.port === undefined ? {} : { port: parsed.port }),
  };
}

/** RFC 1918, RFC 6598 and RFC 4193: addresses that mean nothing outside their own network. */
function isPrivateAddress(address: string): boolean {
  return /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cd])/i.test(
    address,
  );
}
