import { isIP, isIPv6 } from "node:net";
import { type Clock, systemClock } from "../clock.ts";
import { parseUri } from "../grammar/uri.ts";
import { HopHealth } from "./hop-health.ts";
import { type NaptrRecord, type Resolver, type SrvRecord, SystemResolver } from "./resolver.ts";
import { CachingResolver } from "./resolver-cache.ts";
import type { Destination, Hop, TransportProtocol } from "./transport.ts";
import { defaultPort, withoutBrackets } from "./via-rules.ts";

/** A server as an operator names it; what is left out is found by DNS (RFC 3263 §4). */
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
  /** Whether a hop of this protocol and address family can be reached at all. */
  isReachable: (hop: Pick<Hop, "protocol" | "address">) => boolean;
}

interface Server extends NextHop {
  /** A `sips:` URI: nothing but TLS serves. */
  isSecure: boolean;
}

/** Where one name and port leads, before its addresses are known. */
interface Target {
  name: string;
  port: number;
  protocol: TransportProtocol;
}

/** How many hops a request tries at most. */
const MAX_HOPS = 8;
/** For all questions together that one destination takes. */
const LOCATE_DEADLINE_MS = 10_000;

/** RFC 3263 §4.1, RFC 3403: services of NAPTR records. */
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

/** Finds where requests go (RFC 3263 §4). */
export class Locator {
  readonly #options: LocatorOptions;
  readonly #resolver: Resolver;

  constructor(options: LocatorOptions) {
    this.#options = options;
    this.#resolver = new CachingResolver(options.resolver, options.clock);
  }

  /**
   * Where requests for this URI, or for this server, go: the best hop, and others to try after it.
   *
   * @throws where the text is no `sip:` URI, where nothing is found that can be reached, or after 10 s.
   */
  async locate(target: string | NextHop): Promise<Destination> {
    const server = typeof target === "string" ? serverOf(target) : { ...target, isSecure: false };
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = this.#options.clock.schedule(LOCATE_DEADLINE_MS, () =>
      reject(new Error(`no answer from the DNS about ${server.address}`)),
    );
    const hops = await Promise.race([this.#hopsOf(server), late]).finally(() => timer.cancel());
    const [first, ...alternatives] = this.#options.health.order(hops);
    if (first === undefined) throw new Error(`${server.address} has no address that can be reached`);
    return { ...first, alternatives };
  }

  /**
   * Where the requests of a dialog go: its first route or the peer's Contact. A private Contact of a peer that we see
   * under a public address lies behind a NAT, so what it sees our messages come from is where it is reached. A
   * connection with the next hop is used while it is open: the peer may be unable to take another. A call that came by
   * TLS stays with it at the same address, whatever its Contact says; and where the next hop is another and cannot prove
   * its name, as media servers behind a carrier's edge cannot, the connection that the call came by serves as well.
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
    if (isBehindNat) return peer;
    const { alternatives = [], ...first } = nextHop;
    const others = [first, ...alternatives];
    const isThere = peer.protocol !== "UDP" && peer.address === first.address;
    if (isThere && (peer.protocol === first.protocol || peer.protocol === "TLS"))
      return { ...peer, alternatives: others.filter(({ protocol }) => protocol === peer.protocol) };
    return peer.protocol === "TLS" ? { ...first, alternatives: [...alternatives, peer] } : nextHop;
  }

  async #hopsOf(server: Server): Promise<Hop[]> {
    const { isReachable } = this.#options;
    const hops: Hop[] = [];
    for (const { name, port, protocol } of await this.#targetsOf(server)) {
      const addresses = isIP(name) === 0 ? await recordsOf(this.#resolver.addresses(name)) : [name];
      for (const address of addresses) {
        // RFC 5922 §7.2: the certificate has to name the domain that was asked for, not what the DNS made of it.
        const domain = protocol === "TLS" ? { domain: server.address } : {};
        if (isReachable({ protocol, address })) hops.push({ protocol, address, port, ...domain });
      }
      if (hops.length >= MAX_HOPS) break;
    }
    return hops.slice(0, MAX_HOPS);
  }

  /** §4.1: the transport; §4.2: the port. */
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
    // Without NAPTR each transport is asked for; UDP first, since every peer has it.
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
    // RFC 2782: a single target of "." says that the service is not there.
    if (records.length === 1 && (only?.target === "." || only?.target === "")) return [];
    return orderSrv(records, this.#options.random).map(({ target, port }) => ({
      name: target.replace(/\.$/, ""),
      port,
      protocol,
    }));
  }
}

/**
 * Where requests to this server go, by the name servers and the hosts file of this machine, the best hop first. What
 * this machine can reach does not count.
 *
 * @throws where it has no address, or after 10 s.
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

/** A DNS that cannot answer for one type of record may well do for the next: resolvers that know no NAPTR are common. */
async function recordsOf<T>(answer: Promise<{ records: readonly T[] }>): Promise<readonly T[]> {
  return await answer.then(
    ({ records }) => records,
    () => [],
  );
}

/** RFC 3263 §4.1: the records whose transport is spoken here, in the order of the domain's preference. */
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

/** RFC 2782: by priority, and within one by chance, in proportion to weight; weight 0 rarely before another. */
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

/** RFC 3263 §4: what a URI says about its server. */
function serverOf(uri: string): Server {
  const parsed = parseUri(uri);
  if (parsed === undefined || parsed.scheme === "tel") throw new Error(`no SIP URI: ${uri}`);
  const { host, port, parameters } = parsed;
  const transport = parameters.get("transport")?.toUpperCase();
  const isSecure = parsed.scheme === "sips";
  if (transport !== undefined && transport !== "UDP" && transport !== "TCP" && transport !== "TLS")
    throw new Error(`transport ${transport} is not spoken`);
  if (isSecure && transport === "UDP") throw new Error(`UDP is not secure: ${uri}`);
  return {
    address: withoutBrackets(parameters.get("maddr") ?? host),
    isSecure,
    ...(port === undefined ? {} : { port }),
    ...(transport === undefined ? {} : { protocol: transport }),
  };
}

/** RFC 1918, RFC 6598, RFC 4193 and loopback: addresses that mean nothing outside their own network. */
function isPrivateAddress(address: string): boolean {
  const ranges = /^(10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
  return ranges.test(address) || (isIPv6(address) && (/^f[cd]/i.test(address) || address === "::1"));
}
