import { networkInterfaces } from "node:os";
import type { Hop, SocketAddress } from "../transport/transport.ts";
import type { TransportSet } from "../transport/transport-set.ts";
import { hostOf } from "../transport/via-rules.ts";

/** The addresses in Via and Contact at which a peer reaches this user agent. */
export class OwnAddresses {
  readonly #transports: TransportSet;
  readonly #first: SocketAddress;
  readonly #publicAddress: string | undefined;
  /** Looked up once: the answer to a message must match the address from which it was sent. */
  readonly #outerAddresses = { IPv4: outerAddress("IPv4"), IPv6: outerAddress("IPv6") };

  /** @param first The listening address for peers that no transport reaches. */
  constructor(transports: TransportSet, first: SocketAddress, publicAddress: string | undefined) {
    this.#transports = transports;
    this.#first = first;
    this.#publicAddress = publicAddress;
  }

  /**
   * A Contact value at which the peer reaches this node.
   *
   * @param isSips true if RFC 3261 §8.1.1.8 or §12.1.1 requires a `sips:` URI.
   */
  contactFor(user: string | undefined, peer: Hop, isSips = false): string {
    const userPart = user === undefined ? "" : `${encodeURIComponent(user).replaceAll("%2B", "+")}@`;
    const port = this.#transports.localPort(peer);
    // RFC 3261 §26.2.2: a sips URI implies TLS.
    const isImplied = peer.protocol === "UDP" || isSips;
    const transport = isImplied ? "" : `;transport=${peer.protocol.toLowerCase()}`;
    // RFC 5626 §4.3: without a listener, requests must use the existing connection.
    const isFlow = this.#transports.find(peer)?.localAddress.port === 0;
    const host = `${hostOf(this.hostFor(peer))}${port === undefined ? "" : `:${port}`}`;
    return `<${isSips ? "sips" : "sip"}:${userPart}${host}${transport}${isFlow ? ";ob" : ""}>`;
  }

  /** A socket bound to every address is reached locally by loopback, and from other machines by an external address. */
  hostFor(peer: Hop): string {
    const publicAddress = this.#publicAddress;
    const isIPv6 = peer.address.includes(":");
    if (publicAddress !== undefined && publicAddress.includes(":") === isIPv6) return publicAddress;
    const { address } = this.#transports.find(peer)?.localAddress ?? this.#first;
    if (address !== "0.0.0.0" && address !== "::") return address;
    const loopback = isIPv6 ? "::1" : "127.0.0.1";
    if (peer.address === loopback || peer.address.startsWith("127.")) return loopback;
    return (isIPv6 ? this.#outerAddresses.IPv6 : this.#outerAddresses.IPv4) ?? loopback;
  }
}

/** The first address of this machine that others can reach, by family. */
function outerAddress(family: "IPv4" | "IPv6"): string | undefined {
  const entries = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return entries.find((entry) => entry.family === family && !entry.internal)?.address;
}
