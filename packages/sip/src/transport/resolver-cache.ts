import type { Clock } from "../clock.ts";
import type { DnsAnswer, NaptrRecord, Resolver, SrvRecord } from "./resolver.ts";

/** More names than a deployment uses at a time; the oldest entries are evicted. */
const MAX_ENTRIES = 1_000;
/** Upper limit for every time to live. */
const MAX_TTL_SECONDS = 3_600;

interface Entry {
  answer: Promise<DnsAnswer<unknown>>;
  expiresAtMs: number;
}

/** Cache of a resolver's answers for their time to live; concurrent identical queries share one answer. */
export class CachingResolver implements Resolver {
  readonly #resolver: Resolver;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(resolver: Resolver, clock: Clock) {
    this.#resolver = resolver;
    this.#clock = clock;
  }

  naptr(name: string): Promise<DnsAnswer<NaptrRecord>> {
    return this.#query(`NAPTR ${name}`, () => this.#resolver.naptr(name));
  }

  srv(name: string): Promise<DnsAnswer<SrvRecord>> {
    return this.#query(`SRV ${name}`, () => this.#resolver.srv(name));
  }

  addresses(name: string): Promise<DnsAnswer<string>> {
    return this.#query(`A ${name}`, () => this.#resolver.addresses(name));
  }

  #query<T>(question: string, query: () => Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>> {
    const key = question.toLowerCase();
    const known = this.#entries.get(key);
    // The key begins with the record type, so the entry has the requested type.
    if (known !== undefined && known.expiresAtMs > this.#clock.nowMs())
      return known.answer as Promise<DnsAnswer<T>>;
    const answer = query();
    const entry: Entry = { answer, expiresAtMs: Infinity };
    this.#store(key, entry);
    answer.then(
      ({ ttlSeconds }) => {
        entry.expiresAtMs = this.#clock.nowMs() + Math.min(ttlSeconds, MAX_TTL_SECONDS) * 1000;
      },
      // Failures are not cached.
      () => this.#entries.delete(key),
    );
    return answer;
  }

  #store(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }
}
