import { type Clock, type NextHop, systemClock } from "@parley/sip";

/** Limits DNS queries to one per proxy in this time. */
const REMEMBERED_MS = 10_000;
/** Proxies are configured: this is more than the number of trunks on a node. */
const MAX_PROXIES = 10_000;

/** IP addresses of trunks' proxies, cached for a short time, so that calls need no DNS query of their own. */
export class ProxyAddresses {
  readonly #locate: (proxy: NextHop) => Promise<readonly string[]>;
  readonly #clock: Clock;
  readonly #found = new Map<string, { addresses: Promise<readonly string[]>; untilMs: number }>();

  /** @param locate Resolves the addresses. Must not reject. */
  constructor(locate: (proxy: NextHop) => Promise<readonly string[]>, clock: Clock = systemClock) {
    this.#locate = locate;
    this.#clock = clock;
  }

  find(proxy: NextHop): Promise<readonly string[]> {
    const { address, port = "", protocol = "" } = proxy;
    const key = `${address} ${port} ${protocol}`;
    const found = this.#found.get(key);
    if (found !== undefined && this.#clock.nowMs() < found.untilMs) return found.addresses;
    // A failure of DNS must not reject calls that were accepted before it.
    const addresses = this.#locate(proxy).then(async (located) =>
      located.length > 0 ? located : ((await found?.addresses) ?? []),
    );
    this.#found.delete(key);
    this.#found.set(key, { addresses, untilMs: this.#clock.nowMs() + REMEMBERED_MS });
    const [oldest] = this.#found.keys();
    if (this.#found.size > MAX_PROXIES && oldest !== undefined) this.#found.delete(oldest);
    return addresses;
  }
}
