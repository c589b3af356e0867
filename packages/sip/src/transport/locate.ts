import { isIP, isIPv6 } from "node:net";
import { type Clock, systemClock } from "../clock.ts";
import { parseUri } from "../grammar/uri.ts";
import { HopHealth } from "./hop-health.ts";
import { type NaptrRecord, type Resolver, type SrvRecord, SystemResolver } from "./resolver.ts";
import { CachingResolver } from "./resolver-cache.ts";
import type { Destination, Hop, TransportProtocol } from "./transport.ts";
import { defaultPort, withoutBrackets } from "./via-rules.ts";

/** A server as configured by an operator; DNS supplies missing parts (RFC 3263 §4). */
export interface NextHop {
  /** A host name or an IP address, IPv6 without brackets. */
  address: string;
  port?: number;
  protocol?: TransportProtocol;
}

export interface LocatorOptions {
  resolver: Resolver;
  health: HopHealth;
  clock: Clock;
  /** From 0 to 1, for the weights of SRV records. */
  random: () => number;
  /** True if this stack has a transport for the hop's protocol and address family. */
  isReachable: (hop: Pick<Hop, "protocol" | "address">) => boolean;
}

interface Server extends NextHop {
  /** True for a `sips:` URI, which requires TLS. */
  isSecure: boolean;
}

/** A name, port and protocol before address lookup. */
interface Target {
  name: string;
  port: number;
  protocol: TransportProtocol;
}

/** Maximum number of hops that a request tries. */
const MAX_HOPS = 8;
/** Time limit for all DNS queries of one destination. */
const LOCATE_TIMEOUT_MS = 10_000;

/** RFC 3263 §4.1, RFC 3403: NAPTR services. */
const protocolOfService: Readonly<Record<string, TransportProtocol>> = {
  "SIP+D2U": "UDP",
  "SIP+D2T": "TCP",
  "SIPS+D2T": "TLS",
};

const srvPrefix: Readonly<Record<TransportProtocol, string>> = {
  UDP: "_sip._udp.",
  TCP: "_sip._tcp.",
  TLS: "_sips._tcp.",
};

/** Locates the destination of requests (RFC 3263 §4). */
export class Locator {
  readonly #options: LocatorOptions;
  readonly #resolver: Resolver;

  constructor(options: LocatorOptions) {
    this.#options = options;
    this.#resolver = new CachingResolver(options.resolver, options.clock);
  }

  /**
   * The destination for this URI or server: the best hop, and the alternatives after it.
   *
   * @throws if the text is not a `sip:` URI, if nothing reachable is found, or after 10 s.
   */
  async locate(target: string | NextHop): Promise<Destination> {
    const server = typeof target === "string" ? serverOf(target) : { ...target, isSecure: false };
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = this.#options.clock.schedule(LOCATE_TIMEOUT_MS, () =>
      reject(new Error(`DNS lookup of ${server.address} timed out`)),
    );
    const hops = await Promise.race([this.#hopsOf(server), late]).finally(() => timer.cancel());
    const [first, ...alternatives] = this.#options.health.order(hops);
    if (first === undefined) throw new Error(`${server.address} has no reachable address`);
    return { ...first, alternatives };
  }

  /**
   * The destination of a dialog's requests: its first route or the peer's Contact. If the Contact is a private
   * address and the peer's source address is public, the peer is behind a NAT and is reached at its source
   * address. An open connection to the next hop is reused, because the peer may not accept another one. A call
   * received over TLS stays on its connection if the next hop has the same address, regardless of its Contact. It
   * also stays there if the next hop is another host that cannot prove its name, such as a media server behind a
   * carrier's edge.
   *
   * @param peer source of the peer's messages.
   * @throws if the next hop has no address.
   */
  async locateInDialog(
    { nextHopUri, hasRoutes }: { nextHopUri: string; hasRoutes: boolean },
    peer: Hop,
  ): Promise<Destination> {
    const nextHop = await this.locate(nextHopUri);
    const isBehindNat = !hasRoutes && isPrivateAddress(nextHop.address) && !isPrivateAddress(peer.address);
    if (isBehindNat) return peer;
    const { alternatives = [], ...first } = nextHop;
    const others = [first, ...alternatives];
    const isSameAddress = peer.protocol !== "UDP" && peer.address === first.address;
    if (isSameAddress && (peer.protocol === first.protocol || peer.protocol === "TLS"))
      return { ...peer, alternatives: others.filter(({ protocol }) => protocol === peer.protocol) };
    return peer.protocol === "TLS" ? { ...first, alternatives: [...alternatives, peer] } : nextHop;
  }

  async #hopsOf(server: Server): Promise<Hop[]> {
    const { isReachable } = this.#options;
    const hops: Hop[] = [];
    for (const { name, port, protocol } of await this.#targetsOf(server)) {
      const addresses = isIP(name) === 0 ? await recordsOf(this.#resolver.addresses(name)) : [name];
      for (const address of addresses) {
        // RFC 5922 §7.2: the certificate must match the requested domain, not a name from DNS.
        const domain = protocol === "TLS" ? { domain: server.address } : {};
        if (isReachable({ protocol, address })) hops.push({ protocol, address, port, ...domain });
      }
      if (hops.length >= MAX_HOPS) break;
    }
    return hops.slice(0, MAX_HOPS);
  }

  /** §4.1: transport; §4.2: port. */
  async #targetsOf({ address: name, port, protocol, isSecure }: Server): Promise<Target[]> {
    const chosen = protocol === undefined ? undefined : isSecure ? "TLS" : protocol;
    if (isIP(name) !== 0 || port !== undefined) {
      const used = chosen ?? (isSecure ? "TLS" : "UDP");
      return [{ name, port: port ?? defaultPort(used), protocol: used }];
    }
    if (chosen !== undefined) {
      const targets = await this.#targetsBySrv(srvPrefix[chosen] + name, chosen);
      return targets.length > 0 ? targets : [{ name, port: defaultPort(chosen), protocol: chosen }];
    }
    return this.#targetsByDomain(name, isSecure);
  }

  async #targetsByDomain(name: string, isSecure: boolean): Promise<Target[]> {
    const naptr = usable(await recordsOf(this.#resolver.naptr(name)), isSecure);
    // Without NAPTR records, query each transport; UDP first, because every peer supports it.
    const questions =
      naptr.length > 0
        ? naptr.map(({ replacement, protocol }) => ({ question: replacement, protocol }))
        : (isSecure ? (["TLS"] as const) : (["UDP", "TCP"] as const)).map((protocol) => ({
            question: srvPrefix[protocol] + name,
            protocol,
          }));
    const found = await Promise.all(
      questions.map(({ question, protocol }) => this.#targetsBySrv(question, protocol)),
    );
    const targets = found.flat();
    if (targets.length > 0) return targets;
    const protocol = isSecure ? "TLS" : "UDP";
    return [{ name, port: defaultPort(protocol), protocol }];
  }

  async #targetsBySrv(question: string, protocol: TransportProtocol): Promise<Target[]> {
    const records = await recordsOf(this.#resolver.srv(question));
    const [only] = records;
    // RFC 2782: the single target "." means that the service does not exist.
    if (records.length === 1 && (only?.target === "." || only?.target === "")) return [];
    return orderSrv(records, this.#options.random).map(({ target, port }) => ({
      name: target.replace(/\.$/, ""),
      port,
      protocol,
    }));
  }
}

/**
 * The hops for this server according to DNS and the hosts file, best hop first. Does not check whether this
 * machine can reach them.
 *
 * @throws if the server has no address, or after 10 s.
 */
export async function locateServer(server: NextHop): Promise<readonly Hop[]> {
  const locator = new Locator({
    resolver: new SystemResolver(),
    health: new HopHealth(systemClock),
    clock: systemClock,
    random: Math.random,
    isReachable: () => true,
  });
  const { alternatives = [], ...first } = await locator.locate(server);
  return [first, ...alternatives];
}

/** The records, or none if the query fails: a resolver that fails for one type, often NAPTR, may support the next. */
async function recordsOf<T>(answer: Promise<{ records: readonly T[] }>): Promise<readonly T[]> {
  return await answer.then(
    ({ records }) => records,
    () => [],
  );
}

/** RFC 3263 §4.1: the records with a supported transport, in the domain's order of preference. */
function usable(
  records: readonly NaptrRecord[],
  isSecure: boolean,
): { replacement: string; protocol: TransportProtocol }[] {
  return records
    .filter(({ flags, replacement }) => flags.toLowerCase() === "s" && replacement !== "")
    .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ service, replacement }) => {
      const protocol = protocolOfService[service.toUpperCase()];
      return protocol === undefined || (isSecure && protocol !== "TLS") ? [] : [{ replacement, protocol }];
    });
}

/** RFC 2782: by priority, then at random in proportion to weight; weight 0 is rarely first. */
export function orderSrv(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  const ordered: SrvRecord[] = [];
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((a, b) => a - b);
  for (const priority of priorities) {
    const rest = records
      .filter((record) => record.priority === priority)
      .toSorted((a, b) => a.weight - b.weight);
    while (rest.length > 0) {
      const total = rest.reduce((sum, { weight }) => sum + weight, 0);
      const chosen = Math.floor(random() * (total + 1));
      let sum = 0;
      const index = rest.findIndex(({ weight }) => (sum += weight) >= chosen);
      ordered.push(...rest.splice(index, 1));
    }
  }
  return ordered;
}

/** RFC 3263 §4: the parts of a URI that identify its server. */
function serverOf(uri: string): Server {
  const parsed = parseUri(uri);
  if (parsed === undefined || parsed.scheme === "tel") throw new Error(`not a SIP URI: ${uri}`);
  const { host, port, parameters } = parsed;
  const transport = parameters.get("transport")?.toUpperCase();
  const isSecure = parsed.scheme === "sips";
  if (transport !== undefined && transport !== "UDP" && transport !== "TCP" && transport !== "TLS")
    throw new Error(`unsupported transport: ${transport}`);
  if (isSecure && transport === "UDP") throw new Error(`a sips URI cannot use UDP: ${uri}`);
  return {
    address: withoutBrackets(parameters.get("maddr") ?? host),
    isSecure,
    ...(port === undefined ? {} : { port }),
    ...(transport === undefined ? {} : { protocol: transport }),
  };
}

/** True for addresses that are valid only inside their own network: RFC 1918, RFC 6598, RFC 4193 and loopback. */
function isPrivateAddress(address: string): boolean {
  const ranges = /^(10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
  return ranges.test(address) || (isIPv6(address) && (/^f[cd]/i.test(address) || address === "::1"));
}
