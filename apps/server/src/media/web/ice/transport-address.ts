import { isIPv6 } from "node:net";

/** Source or destination of a datagram. The address is an IP literal. */
export interface TransportAddress {
  address: string;
  port: number;
}

/** Text for map keys and logs. */
export function addressKey({ address, port }: TransportAddress): string {
  return `${address} ${port}`;
}

/** The 4 or 16 bytes of an IP literal. */
export function parseIpAddress(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  // A trailing IPv4 address, as in ::ffff:192.0.2.1, stands for two groups.
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

/** IP literal of 4 or 16 bytes, IPv6 without compression. */
export function writeIpAddress(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join(".");
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return groups.join(":");
}

/** Converts an IPv4-mapped address, as dual-stack sockets report it, to IPv4. */
export function unmapAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}

/** Converts an IPv4 address to an IPv4-mapped one, as dual-stack sockets expect it. */
export function mapAddress(address: string): string {
  return isIPv6(address) ? address : `::ffff:${address}`;
}
