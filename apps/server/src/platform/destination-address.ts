import { BlockList, isIP, isIPv6 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const neverSentTo = new BlockList();
// "This network" (RFC 791), link-local, multicast and reserved with broadcast.
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  neverSentTo.addSubnet(network, prefix, "ipv4");
neverSentTo.addAddress("::", "ipv6");
neverSentTo.addSubnet("fe80::", 10, "ipv6");
neverSentTo.addSubnet("ff00::", 8, "ipv6");

/** Whether an IP address is a loopback address; `false` for a host name. */
export function isLoopback(address: string): boolean {
  return check(loopback, address);
}

/**
 * Whether we may send packets to an address named by a peer: not if it is link-local, multicast, broadcast or
 * unspecified, and to the loopback only if `isLoopbackAllowed`. `true` for a host name.
 */
export function maySendTo(address: string, isLoopbackAllowed: boolean): boolean {
  return !check(neverSentTo, address) && (isLoopbackAllowed || !isLoopback(address));
}

/** An IPv4 address in IPv6 notation counts as that address. */
function check(list: BlockList, address: string): boolean {
  const [withoutZone = ""] = address.split("%");
  return isIP(withoutZone) !== 0 && list.check(withoutZone, isIPv6(withoutZone) ? "ipv6" : "ipv4");
}
