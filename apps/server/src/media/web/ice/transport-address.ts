import { isIPv6 } from "node:net";

/** Where a datagram comes from or goes to; the address is an IP literal. */
export interface TransportAddress {
  address: string;
  port: number;
}

/** As a key, and to be read in a log. */
export function addressKey({ address, port }: TransportAddress): string {
  return `${address} ${port}`;
}

/** 4 or 16 bytes of an IP literal. */
export function parseIpAddress(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  // An IPv4 address at the end, as in ::ffff:192.0.2.1, is two groups.
  const hex = address
    .replace(/%.*$/, "")
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_match, ...bytes: string[]) => {
      const [a, b, c, d] = bytes.map((byte) => Number(byte).toString(16).padStart(2, "0"));
      return `${a}${b}:${c}${d}`;
    });
  const [head = "", tail] = hex.split("::");
  const groupsOf = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = [...before, ...(tail === undefined ? [] : zeros), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** The literal of 4 or 16 bytes; that of IPv6 with all its groups. */
export function writeIpAddress(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join(".");
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return groups.join(":");
}

/** An IPv4 address as a socket for both families tells it, as what it is. */
export function unmapAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}

/** The opposite: as such a socket wants it. */
export function mapAddress(address: string): string {
  return isIPv6(address) ? address : `::ffff:${address}`;
}
