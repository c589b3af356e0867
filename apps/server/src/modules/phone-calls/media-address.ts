import { isIP } from "node:net";
import { findLocalAddressTowards } from "../../platform/local-address.ts";

/**
 * The address of ours that stands in SDP for a peer (an IP address): the operator's, where it is of the same version of
 * IP. Undefined where no route leads to the peer.
 */
export async function findMediaAddress(
  publicAddress: string | undefined,
  peer: string,
): Promise<string | undefined> {
  if (publicAddress !== undefined && isIP(publicAddress) === isIP(peer)) return publicAddress;
  return await findLocalAddressTowards(peer).catch(() => undefined);
}
