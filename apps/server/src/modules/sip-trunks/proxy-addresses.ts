import type { SipTrunkCreate } from "@parley/contract";
import { type Clock, type Hop, locateServer, type NextHop, systemClock } from "@parley/sip";
import { invalidBody } from "../../platform/app-error.ts";
import { isAddressOrBlock, nextHopOf } from "./sip-trunks.rules.ts";

const RESOLVE_DEADLINE_MS = 3_000;
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

/** Rejects a proxy that is not a resolvable host name or IP address (specification §9). */
export async function requireUsableAddresses(change: Omit<SipTrunkCreate, "friendlyName">): Promise<void> {
  for (const [index, entry] of (change.allowedAddresses ?? []).entries()) {
    if (!isAddressOrBlock(entry))
      throw invalidBody(`allowedAddresses.${index}`, "must be an IP address or a CIDR block");
  }
  if (typeof change.proxyAddress !== "string") return;
  const proxy = nextHopOf({ proxyAddress: change.proxyAddress, transport: change.transport ?? null });
  if (proxy === undefined)
    throw invalidBody("proxyAddress", "must be a host name or IP address, with an optional port");
  if ((await locateInTime(proxy)).length === 0)
    throw invalidBody("proxyAddress", "must resolve to an IP address");
}

/** Resolves a proxy by DNS; empty if it has no address, or none is found in time. */
export async function locateInTime(proxy: NextHop): Promise<readonly Hop[]> {
  const deadline = Promise.withResolvers<[]>();
  const timer = setTimeout(() => deadline.resolve([]), RESOLVE_DEADLINE_MS);
  try {
    return await Promise.race([locateServer(proxy).catch((): [] => []), deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}
