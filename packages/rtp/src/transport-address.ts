import { isIP, isIPv6, SocketAddress } from "node:net";
import type { TransportAddress } from "./source-latch.ts";

/** The address in its canonical spelling; `undefined` if no packet can be sent to it (a host name, hold, port 0). */
export function usableAddress({ address, port }: TransportAddress): TransportAddress | undefined {
  const isUsable =
    isIP(address) !== 0 &&
    address !== "0.0.0.0" &&
    address !== "::" &&
    Number.isInteger(port) &&
    port > 0 &&
    port <= 0xffff;
  return isUsable ? { address: canonical(address), port } : undefined;
}

/** Normalizes an IPv6 address, which has many spellings; sources of packets have only one. */
function canonical(address: string): string {
  return isIPv6(address) ? new SocketAddress({ address, family: "ipv6" }).address : address;
}
