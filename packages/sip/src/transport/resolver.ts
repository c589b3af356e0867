import { promises as dns } from "node:dns";
import { completeName, findHost, type SystemNameFiles, SystemNameReader } from "./system-names.ts";

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
/** Cache time of a missing name, and of a name in the hosts file. */
const NEGATIVE_TTL_SECONDS = 30;
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/** Settings of a `SystemResolver` that replace the system's. */
export interface SystemResolverOptions {
  /** `address:port` of name servers. */
  nameServers?: readonly string[];
  files?: Partial<SystemNameFiles>;
}

/**
 * Resolver that uses the system's name servers, and for addresses also the hosts file and the search domains. Its queries
 * wait on sockets, and occupy no thread of the process.
 */
export class SystemResolver implements Resolver {
  readonly #dns: dns.Resolver;
  readonly #names: SystemNameReader;

  constructor({ nameServers, files }: SystemResolverOptions = {}) {
    this.#dns = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    if (nameServers !== undefined) this.#dns.setServers(nameServers);
    this.#names = new SystemNameReader(files);
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

  async addresses(name: string): Promise<DnsAnswer<string>> {
    const names = await this.#names.read();
    const known = findHost(names, name);
    if (known.length > 0) return { records: known, ttlSeconds: NEGATIVE_TTL_SECONDS };
    for (const candidate of completeName(names, name)) {
      const found = await this.#addressesInDns(candidate);
      if (found.length > 0)
        return {
          records: found.map(({ address }) => address),
          ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)),
        };
    }
    return { records: [], ttlSeconds: NEGATIVE_TTL_SECONDS };
  }

  /** Rejects if no address was found and a query failed. */
  async #addressesInDns(name: string): Promise<{ address: string; ttl: number }[]> {
    const answers = await Promise.allSettled([
      this.#dns.resolve4(name, { ttl: true }).catch(emptyIfNotFound),
      this.#dns.resolve6(name, { ttl: true }).catch(emptyIfNotFound),
    ]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const failed = answers.find((answer) => answer.status === "rejected");
    if (found.length === 0 && failed !== undefined) throw failed.reason;
    return found;
  }
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
