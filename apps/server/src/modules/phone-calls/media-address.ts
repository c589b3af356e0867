import { isIP } from "node:net";
import { findLocalAddressTowards } from "../../platform/local-address.ts";

/**
 * Returns our address in SDP for a peer (an IP address): the operator's public address if its IP version is
 * the peer's, otherwise the local one. `undefined` if no route leads to the peer.
 */
export async function findMediaAddress(
  publicAddress: string | undefined,
  peer: string,
): Promise<string | undefined> {
  if (publicAddress !== undefined && isIP(publicAddress) === isIP(peer)) return publicAddress;
  return await findLocalAddressTowards(peer).catch(() => undefined);
}
