import { writeRtp } from "@parley/rtp";
import { flipped } from "../../../packages/sip/src/testing/mutate.ts";
import { writeRtcp } from "../../../packages/rtp/src/rtcp/rtcp-packet.ts";
import type { Random } from "../random.ts";

const SSRC = 0x66_75_7a_7a;
const FRAME_BYTES = 160;
/** More than an Ethernet frame, and sometimes more than a buffer of 64 KiB minus the header. */
const MAX_BYTES = 65_000;
const rtcpTypes = [200, 201, 202, 203, 204, 205, 206, 207, 192, 223];

/**
 * RTP of the call's own stream with optional header parts: extensions, sources and padding, present or
 * missing.
 */
export function rtpInputs(random: Random): () => Buffer {
  let count = 0;
  return () => {
    const index = count++;
    const kind = random.next();
    if (kind < 0.05) return random.bytes(random.length(MAX_BYTES));
    const isJump = random.chance(0.1);
    const packet = Buffer.from(
      writeRtp({
        marker: random.chance(0.1),
        payloadType: random.chance(0.8) ? 0 : random.pick([8, 9, 13, 101, 111, random.below(128)]),
        sequenceNumber: isJump ? random.below(2 ** 16) : index,
        timestamp: isJump ? random.below(2 ** 32) : index * FRAME_BYTES,
        ssrc: random.chance(0.9) ? SSRC : random.below(2 ** 32),
        payload: random.bytes(random.chance(0.7) ? FRAME_BYTES : random.length(MAX_BYTES)),
      }),
    );
    if (kind < 0.3) return packet;
    if (kind < 0.4) return packet.subarray(0, random.below(packet.length));
    // Flags for padding, extension and sources, with or without the data that they announce.
    packet[0] = 0x80 | random.below(64);
    if (random.chance(0.3)) packet[packet.length - 1] = random.below(256);
    if (random.chance(0.3) && packet.length > 16) packet.writeUInt16BE(random.below(2 ** 16), 14);
    return kind < 0.7 ? packet : flipped(packet, random.below);
  };
}

/** Compound RTCP whose counts and lengths are too large or too small for its contents. */
export function rtcpInputs(random: Random): () => Buffer {
  const reportOf = (): Buffer =>
    Buffer.from(
      writeRtcp(
        {
          ssrc: random.chance(0.7) ? SSRC : random.below(2 ** 32),
          sender: random.chance(0.5)
            ? {
                ntpSeconds: random.below(2 ** 32),
                ntpFraction: random.below(2 ** 32),
                rtpTimestamp: random.below(2 ** 32),
                packets: random.below(2 ** 32),
                octets: random.below(2 ** 32),
              }
            : undefined,
          reports: Array.from({ length: random.below(32) }, () => ({
            ssrc: random.below(2 ** 32),
            fractionLost: random.next(),
            cumulativeLost: random.below(2 ** 24) - 2 ** 23,
            highestSequence: random.below(2 ** 32),
            jitter: random.below(2 ** 32),
            lastSenderReport: random.below(2 ** 32),
            delaySinceLastSenderReport: random.below(2 ** 32),
          })),
        },
        "f".repeat(random.below(256)),
        random.chance(0.2),
      ),
    );
  const part = (): Buffer => {
    const body = random.bytes(4 * random.below(40));
    const header = Buffer.from([0x80 | random.below(64), random.pick(rtcpTypes), 0, 0]);
    header.writeUInt16BE(random.chance(0.7) ? body.length / 4 : random.below(2 ** 16), 2);
    return Buffer.concat([header, body]);
  };
  return () => {
    const kind = random.next();
    if (kind < 0.05) return random.bytes(random.length(MAX_BYTES));
    const parts = [reportOf(), ...Array.from({ length: random.below(4) }, part)];
    // Many small packets in one datagram: each is parsed.
    if (kind < 0.1)
      parts.push(...Array.from({ length: random.length(10_000) }, () => Buffer.from([0x80, 203, 0, 0])));
    const compound = Buffer.concat(parts).subarray(0, MAX_BYTES);
    if (kind < 0.4) return compound;
    if (kind < 0.5) return compound.subarray(0, random.below(compound.length));
    return flipped(compound, random.below);
  };
}
