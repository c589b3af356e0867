import { readFile } from "node:fs/promises";

/** Host names that this machine resolves without DNS, and the domains that complete short names. */
export interface SystemNames {
  /** IP addresses by lower-case host name. */
  hosts: ReadonlyMap<string, readonly string[]>;
  /** Domains that are appended to a name, in this order. */
  searchDomains: readonly string[];
  /** A name with fewer dots is first completed by the search domains. */
  minDots: number;
}

/** Files that describe the names, as defined in hosts(5) and resolv.conf(5). */
export interface SystemNameFiles {
  hosts: string;
  resolver: string;
}

const systemFiles: SystemNameFiles = { hosts: "/etc/hosts", resolver: "/etc/resolv.conf" };

/** A change of the files takes effect after this time. */
const CACHED_MS = 5_000;
/** The C library's limit. */
const MAX_SEARCH_DOMAINS = 6;
const DEFAULT_MIN_DOTS = 1;
const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * Reads the machine's own names. The C library's lookup, which also reads these files, occupies one of the process's
 * four threads until it ends, so that a few names without an answer stall file access and all other lookups.
 */
export class SystemNameReader {
  readonly #files: SystemNameFiles;
  #read: { names: Promise<SystemNames>; untilMs: number } | undefined;

  constructor(files: Partial<SystemNameFiles> = {}) {
    this.#files = { ...systemFiles, ...files };
  }

  /** Never rejects: a missing file is empty. */
  read(): Promise<SystemNames> {
    const nowMs = performance.now();
    if (this.#read === undefined || this.#read.untilMs <= nowMs)
      this.#read = { names: this.#load(), untilMs: nowMs + CACHED_MS };
    return this.#read.names;
  }

  async #load(): Promise<SystemNames> {
    const [hosts, resolver] = await Promise.all(
      [this.#files.hosts, this.#files.resolver].map((file) => readFile(file, "utf8").catch(() => "")),
    );
    return { hosts: parseHosts(hosts ?? ""), ...parseResolver(resolver ?? "") };
  }
}

/** The machine's own addresses of a name; empty if it has none. RFC 6761 §6.3: `localhost` never reaches DNS. */
export function findHost({ hosts }: SystemNames, name: string): readonly string[] {
  const key = withoutRoot(name).toLowerCase();
  const isLocalhost = key === "localhost" || key.endsWith(".localhost");
  return hosts.get(key) ?? (isLocalhost ? LOOPBACK : []);
}

/** The names to query for a name, in this order. A final dot marks a complete name. */
export function completeName({ searchDomains, minDots }: SystemNames, name: string): string[] {
  if (name.endsWith(".")) return [withoutRoot(name)];
  const completed = searchDomains.map((domain) => `${name}.${domain}`);
  const dots = name.split(".").length - 1;
  return dots >= minDots ? [name, ...completed] : [...completed, name];
}

function withoutRoot(name: string): string {
  return name.replace(/\.$/, "");
}

function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const [address = "", ...names] of fieldsOf(text))
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  return hosts;
}

/** The last of several `search` lines applies. */
function parseResolver(text: string): Pick<SystemNames, "searchDomains" | "minDots"> {
  let searchDomains: string[] = [];
  let minDots = DEFAULT_MIN_DOTS;
  for (const [keyword, ...values] of fieldsOf(text)) {
    if (keyword === "search" || keyword === "domain")
      searchDomains = values.map(withoutRoot).filter((domain) => domain !== "");
    const dots = keyword === "options" ? values.findLast((each) => /^ndots:\d+$/.test(each)) : undefined;
    if (dots !== undefined) minDots = Number(dots.slice("ndots:".length));
  }
  return { searchDomains: searchDomains.slice(0, MAX_SEARCH_DOMAINS), minDots };
}

function fieldsOf(text: string): string[][] {
  return text
    .split("\n")
    .map((line) => line.replace(/[#;].*/, "").trim())
    .filter((line) => line !== "")
    .map((line) => line.split(/\s+/));
}
