import { isIP, isIPv6 } from "node:net";
import { systemClock } from "@parley/sip";
import type { Resolver } from "@parley/sip/resolver";

/** Returns a description with the addresses of its host names. Never rejects. */
export type ResolveMediaHosts = (sdp: string) => Promise<string>;

const LOOKUP_DEADLINE_MS = 2_000;
/** Names of one description: of its session, its audio and its RTCP. Others are left. */
const MAX_NAMES = 3;
const HOST_NAME = /^(?=.*[A-Za-z])[A-Za-z0-9.-]{1,253}$/;
/** `c=IN IP4 host` and `a=rtcp:port IN IP4 host` (RFC 8866 §5.7, RFC 3605). */
const ADDRESS_LINE = /^(c=|a=rtcp:\d{1,5} )IN IP[46] ([^\s/]+)([^\r\n]*)$/gm;

/**
 * Creates the resolver of one call. Its results arrive in the order of its calls, so that a description with a slow host
 * name does not take effect after a later one. A name that has no address in time is left; audio is then sent to the
 * source of the peer's packets.
 *
 * @param ourAddress IP address of our audio. The peer's has the same IP version.
 */
export function createMediaHostResolver(
  resolver: Pick<Resolver, "addresses">,
  ourAddress: string,
): ResolveMediaHosts {
  let last = Promise.resolve("");
  return (sdp) => (last = last.then(async () => await withAddresses(sdp, resolver, isIP(ourAddress))));
}

async function withAddresses(
  sdp: string,
  resolver: Pick<Resolver, "addresses">,
  version: number,
): Promise<string> {
  const named = [...sdp.matchAll(ADDRESS_LINE)].map(([, , host = ""]) => host).filter(isHostName);
  const names = [...new Set(named)].slice(0, MAX_NAMES);
  if (names.length === 0) return sdp;
  const addresses = new Map(
    await Promise.all(names.map(async (name) => [name, await find(name, resolver, version)] as const)),
  );
  return sdp.replace(ADDRESS_LINE, (line, field: string, host: string, rest: string) => {
    const address = addresses.get(host);
    return address === undefined ? line : `${field}IN IP${isIPv6(address) ? 6 : 4} ${address}${rest}`;
  });
}

function isHostName(host: string): boolean {
  return isIP(host) === 0 && HOST_NAME.test(host);
}

async function find(
  name: string,
  resolver: Pick<Resolver, "addresses">,
  version: number,
): Promise<string | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const deadline = systemClock.schedule(LOOKUP_DEADLINE_MS, () => resolve(undefined));
  try {
    const answer = await Promise.race([resolver.addresses(name), late]);
    return answer?.records.find((address) => isIP(address) === version);
  } catch {
    return undefined;
  } finally {
    deadline.cancel();
  }
}
