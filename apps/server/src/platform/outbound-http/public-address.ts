import { BlockList, isIP } from "node:net";

/**
 * Ranges outside the public Internet (IANA's special-purpose registry), and Azure's metadata service, whose address
 * looks public.
 */
const closedIpv4 = blockListOf("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/** Contains all routed IPv6 addresses (RFC 4291 §2.4), except the following ranges. */
const globalUnicast = blockListOf("ipv6", ["2000::/3"]);
/** Protocol assignments (such as Teredo), documentation, 6to4: addresses that embed others, or are unused. */
const closedIpv6 = blockListOf("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);
/** IPv4 addresses embedded in IPv6: mapped (RFC 4291 §2.5.5.2) and NAT64 (RFC 6052). Their last 32 bits decide. */
const wrappedIpv4 = blockListOf("ipv6", ["::ffff:0:0/96", "64:ff9b::/96"]);

/** Whether an IP address belongs to the public Internet: not loopback, private, link-local, metadata or similar. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !closedIpv4.check(address, "ipv4");
  if (isIP(address) !== 6) return false;
  if (wrappedIpv4.check(address, "ipv6")) return isPublicAddress(lastBitsAsIpv4(address));
  return globalUnicast.check(address, "ipv6") && !closedIpv6.check(address, "ipv6");
}

function blockListOf(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", prefix] = subnet.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

function lastBitsAsIpv4(address: string): string {
  // URL normalizes the last 32 bits to hexadecimal groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":");
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
