import { isIPv4, isIPv6 } from "node:net";

/** One SIP message between two endpoints. */
export interface PcapMessage {
  at: Date;
  from: { address: string; port: number };
  to: { address: string; port: number };
  data: Buffer;
}

/** https://www.tcpdump.org/manpages/pcap-savefile.5.txt: microseconds, little-endian. */
const MAGIC = 0xa1b2c3d4;
const LINKTYPE_ETHERNET = 1;
const SNAP_LENGTH = 262_144;
const ETHERNET_BYTES = 14;
const UDP_BYTES = 8;
const UDP_PROTOCOL = 17;
/** Largest payload of an IPv4 datagram. */
const MAX_PAYLOAD_BYTES = 65_507;

/**
 * Writes messages as a capture that network tools open. Each message is one datagram, whichever transport it
 * used, with synthetic Ethernet, IP and UDP headers.
 */
export function writePcap(messages: readonly PcapMessage[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(SNAP_LENGTH, 16);
  header.writeUInt32LE(LINKTYPE_ETHERNET, 20);
  return Buffer.concat([header, ...messages.flatMap(packetOf)]);
}

function packetOf(message: PcapMessage): Buffer[] {
  const { at, from, to } = message;
  const payload = message.data.subarray(0, MAX_PAYLOAD_BYTES);
  const isV6 = isIPv6(from.address) || isIPv6(to.address);
  const [source, destination] = [addressBytes(from.address, isV6), addressBytes(to.address, isV6)];
  const udp = udpHeader(from.port, to.port, payload, [source, destination]);
  const ip = isV6
    ? ipv6Header(source, destination, UDP_BYTES + payload.length)
    : ipv4Header(source, destination, UDP_BYTES + payload.length);
  const ethernet = Buffer.alloc(ETHERNET_BYTES);
  // Locally administered addresses, one for each side.
  ethernet.writeUIntBE(0x02_00_00_00_00_02, 0, 6);
  ethernet.writeUIntBE(0x02_00_00_00_00_01, 6, 6);
  ethernet.writeUInt16BE(isV6 ? 0x86dd : 0x0800, 12);
  const length = ethernet.length + ip.length + udp.length + payload.length;
  const record = Buffer.alloc(16);
  record.writeUInt32LE(Math.floor(at.getTime() / 1000), 0);
  record.writeUInt32LE((at.getTime() % 1000) * 1000, 4);
  record.writeUInt32LE(length, 8);
  record.writeUInt32LE(length, 12);
  return [record, ethernet, ip, udp, payload];
}

function ipv4Header(source: Buffer, destination: Buffer, payloadBytes: number): Buffer {
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(header.length + payloadBytes, 2);
  header[8] = 64;
  header[9] = UDP_PROTOCOL;
  source.copy(header, 12);
  destination.copy(header, 16);
  header.writeUInt16BE(checksum([header]), 10);
  return header;
}

function ipv6Header(source: Buffer, destination: Buffer, payloadBytes: number): Buffer {
  const header = Buffer.alloc(40);
  header[0] = 0x60;
  header.writeUInt16BE(payloadBytes, 4);
  header[6] = UDP_PROTOCOL;
  header[7] = 64;
  source.copy(header, 8);
  destination.copy(header, 24);
  return header;
}

/**
 * @param addresses Source and destination: the part of the pseudo-header that is not in the datagram
 *   itself.
 */
function udpHeader(
  sourcePort: number,
  destinationPort: number,
  payload: Buffer,
  addresses: readonly Buffer[],
): Buffer {
  const header = Buffer.alloc(UDP_BYTES);
  header.writeUInt16BE(sourcePort, 0);
  header.writeUInt16BE(destinationPort, 2);
  header.writeUInt16BE(UDP_BYTES + payload.length, 4);
  const rest = Buffer.alloc(4);
  rest[1] = UDP_PROTOCOL;
  rest.writeUInt16BE(UDP_BYTES + payload.length, 2);
  // RFC 768: a checksum of zero is transmitted as all ones.
  header.writeUInt16BE(checksum([...addresses, rest, header, payload]) || 0xffff, 6);
  return header;
}

/** RFC 1071. Every part except the last has an even length. */
function checksum(parts: readonly Buffer[]): number {
  let sum = 0;
  for (const part of parts) {
    for (let index = 0; index < part.length; index += 2)
      sum += ((part[index] ?? 0) << 8) | (part[index + 1] ?? 0);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x1_0000);
  return ~sum & 0xffff;
}

/**
 * Returns the bytes of an address. A host name, which an operator may set for this node, becomes the
 * unspecified address.
 */
function addressBytes(address: string, isV6: boolean): Buffer {
  const v4 = isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : undefined;
  if (!isV6) return v4 ?? Buffer.alloc(4);
  // RFC 4291 §2.5.5.2: beside an IPv6 address, an IPv4 address is written as IPv4-mapped.
  if (v4 !== undefined) return Buffer.concat([Buffer.alloc(10), Buffer.from([0xff, 0xff]), v4]);
  return isIPv6(address) ? ipv6Bytes(address) : Buffer.alloc(16);
}

function ipv6Bytes(address: string): Buffer {
  const withoutZone = address.split("%", 1)[0] ?? "";
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(withoutZone);
  const hex = (high = "0", low = "0"): string => ((Number(high) << 8) | Number(low)).toString(16);
  const plain =
    dotted === null ? withoutZone : `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`;
  const [head = "", tail] = plain.split("::");
  const groupsOf = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => "0");
  const bytes = Buffer.alloc(16);
  [...before, ...zeros, ...after].slice(0, 8).forEach((group, index) => {
    bytes.writeUInt16BE(Number.parseInt(group, 16), 2 * index);
  });
  return bytes;
}
