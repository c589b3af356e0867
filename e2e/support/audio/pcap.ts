import { writeFile } from "node:fs/promises";

/** One RTP packet of a capture: its time and its contents. */
export interface CapturedPacket {
  atMs: number;
  rtp: Uint8Array;
}

const LINKTYPE_ETHERNET = 1;
const ETHERNET_BYTES = 14;
const IPV4_BYTES = 20;
const UDP_BYTES = 8;

/** Writes a capture file (libpcap's format) that SIPp plays. SIPp replaces the addresses in it. */
export async function writePcap(file: string, packets: readonly CapturedPacket[]): Promise<void> {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(LINKTYPE_ETHERNET, 20);
  await writeFile(file, Buffer.concat([header, ...packets.map(captureRecord)]));
}

function captureRecord({ atMs, rtp }: CapturedPacket): Buffer {
  const frame = udpFrame(rtp);
  const header = Buffer.alloc(16);
  header.writeUInt32LE(Math.floor(atMs / 1000), 0);
  header.writeUInt32LE(Math.round((atMs % 1000) * 1000), 4);
  header.writeUInt32LE(frame.length, 8);
  header.writeUInt32LE(frame.length, 12);
  return Buffer.concat([header, frame]);
}

function udpFrame(payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES + payload.length);
  frame.writeUInt16BE(0x0800, 12);
  const ip = ETHERNET_BYTES;
  frame[ip] = 0x45;
  frame.writeUInt16BE(IPV4_BYTES + UDP_BYTES + payload.length, ip + 2);
  frame[ip + 8] = 64;
  frame[ip + 9] = 17;
  frame.set([127, 0, 0, 1, 127, 0, 0, 1], ip + 12);
  const udp = ip + IPV4_BYTES;
  frame.writeUInt16BE(6000, udp);
  frame.writeUInt16BE(6000, udp + 2);
  frame.writeUInt16BE(UDP_BYTES + payload.length, udp + 4);
  frame.set(payload, udp + UDP_BYTES);
  return frame;
}

export interface Impairment {
  /** Share of lost packets, 0–1. */
  loss: number;
  /** Maximum delay added to a packet. If it exceeds the packet interval, packets are reordered. */
  jitterMs: number;
  /** Numbers in [0, 1), seeded so that a failing run can be repeated. */
  random: () => number;
}

/** Simulates a bad network: packets are lost, late and out of order. */
export function impair(
  packets: readonly CapturedPacket[],
  { loss, jitterMs, random }: Impairment,
): CapturedPacket[] {
  return packets
    .filter(() => random() >= loss)
    .map(({ atMs, rtp }) => ({ atMs: atMs + random() * jitterMs, rtp }))
    .sort((a, b) => a.atMs - b.atMs);
}
