import { promises as dns } from "node:dns";

/** RFC 3263 §4.1: a transport offered by a domain. */
export interface NaptrRecord {
  order: number;
  preference: number;
  flags: string;
  service: string;
  replacement: string;
}

/** RFC 2782. */
export interface SrvRecord {
  priority: number;
  weight: number;
  port: number;
  target: string;
}

/** Records, if any, and their time to live. */
export interface DnsAnswer<T> {
  records: readonly T[];
  ttlSeconds: number;
}

/** DNS client. Methods reject if the lookup fails; a missing record gives an empty answer. */
export interface Resolver {
  naptr(name: string): Promise<DnsAnswer<NaptrRecord>>;
  srv(name: string): Promise<DnsAnswer<SrvRecord>>;
  /** IPv4 and IPv6 addresses, preferred ones first. */
  addresses(name: string): Promise<DnsAnswer<string>>;
}

/** For records whose time to live Node does not report. */
const UNKNOWN_TTL_SECONDS = 60;
/** How long a missing name is cached. */
const NEGATIVE_TTL_SECONDS = 30;
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/** Resolver that uses the system's name servers, and for addresses also the hosts file. */
export class SystemResolver implements Resolver {
  readonly #dns: dns.Resolver;

  /** @param nameServers `address:port` of name servers to use instead. */
  constructor(nameServers?: readonly string[]) {
    this.#dns = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    if (nameServers !== undefined) this.#dns.setServers(nameServers);
  }

  naptr(name: string): Promise<DnsAnswer<NaptrRecord>> {
    return withoutTtl(this.#dns.resolveNaptr(name));
  }

  async srv(name: string): Promise<DnsAnswer<SrvRecord>> {
    const { records, ttlSeconds } = await withoutTtl(this.#dns.resolveSrv(name));
    return {
      records: records.map(({ name: target, ...rest }) => ({ ...rest, target })),
      ttlSeconds,
    };
  }

  /** A name without a dot is not a domain; the system resolves it, for example from the hosts file. */
  async addresses(name: string): Promise<DnsAnswer<string>> {
    const fromDns = name.includes(".") ? await this.#addressesInDns(name) : [];
    if (fromDns.length === 0) return addressesOfSystem(name);
    return {
      records: fromDns.map(({ address }) => address),
      ttlSeconds: Math.min(...fromDns.map(({ ttl }) => ttl)),
    };
  }

  async #addressesInDns(name: string): Promise<{ address: string; ttl: number }[]> {
    const answers = await Promise.allSettled([
      this.#dns.resolve4(name, { ttl: true }),
      this.#dns.resolve6(name, { ttl: true }),
    ]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  }
}

async function addressesOfSystem(name: string): Promise<DnsAnswer<string>> {
  const found = await dns.lookup(name, { all: true }).catch(emptyIfNotFound);
  return { records: found.map(({ address }) => address), ttlSeconds: NEGATIVE_TTL_SECONDS };
}

async function withoutTtl<T>(query: Promise<T[]>): Promise<DnsAnswer<T>> {
  const records = await query.catch(emptyIfNotFound);
  return { records, ttlSeconds: records.length === 0 ? NEGATIVE_TTL_SECONDS : UNKNOWN_TTL_SECONDS };
}

function emptyIfNotFound(error: unknown): [] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === dns.NOTFOUND || code === dns.NODATA) return [];
  throw error;
}
