import { createHmac, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { writeStun } from "../../../apps/server/src/media/web/ice/stun-message.ts";
import { flipped } from "../../../packages/sip/src/testing/mutate.ts";
import { Strangers } from "../datagrams.ts";
import { endOwnWebCall, offeredIce, type OwnWebCall, startOwnWebCall } from "../own-web-call.ts";
import type { Random } from "../random.ts";
import type { Target } from "../target.ts";

/**
 * The first byte of an input: sent unchanged, or as attributes of a request with the credentials of the
 * fuzzer's own call.
 */
const form = { bare: 0, authentic: 1 } as const;
const STRANGERS = 8;
const MAGIC_COOKIE = 0x2112a442;
const FINGERPRINT_XOR = 0x5354554e;
const HEADER_BYTES = 20;
const MAX_BYTES = 60_000;
const attributeTypes = [
  0x0001, 0x0006, 0x0008, 0x0009, 0x000a, 0x0014, 0x0015, 0x0020, 0x0024, 0x0025, 0x7fff, 0x8022, 0x8028,
  0x8029, 0x802a, 0xffff,
];

function attribute(type: number, value: Uint8Array, length = value.length): Buffer {
  const bytes = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  bytes.writeUInt16BE(type, 0);
  bytes.writeUInt16BE(length & 0xffff, 2);
  bytes.set(value, 4);
  return bytes;
}

function attributes(random: Random): Buffer {
  const count = random.chance(0.1) ? random.length(3000) : random.below(6);
  const each = Array.from({ length: count }, () => {
    const value = random.bytes(random.chance(0.8) ? random.pick([0, 4, 8, 20]) : random.length(2000));
    return attribute(
      random.pick(attributeTypes),
      value,
      random.chance(0.8) ? value.length : random.below(65_536),
    );
  });
  return Buffer.concat(each).subarray(0, MAX_BYTES);
}

function bare(random: Random): Buffer {
  const kind = random.next();
  // The protocols that share the port (RFC 7983 §7): DTLS, TURN channels, RTP, RTCP.
  const first = random.pick([0, 1, 2, 3, 16, 20, 21, 22, 23, 63, 64, 79, 128, 144, 191, 255]);
  if (kind < 0.2) return Buffer.concat([Buffer.from([first]), random.bytes(random.length(3000))]);
  if (kind < 0.4) {
    const record = Buffer.from([first >= 20 ? first : 22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const handshake = random.bytes(random.length(1400));
    record.writeUInt16BE(random.chance(0.7) ? handshake.length : random.below(65_536), 11);
    return Buffer.concat([record, handshake]);
  }
  const message = writeStun(
    {
      class: random.pick(["request", "indication", "success", "error"] as const),
      transactionId: random.bytes(12),
      username: random.pick(["", "a", ":", "a:b", "u".repeat(600)]),
      priority: random.below(2 ** 32),
      controlling: BigInt(random.below(2 ** 32)),
    },
    "wrong",
  );
  if (kind < 0.6) return message;
  return kind < 0.7 ? message.subarray(0, random.below(message.length)) : flipped(message, random.below);
}

function stunInputs(random: Random): () => Buffer {
  return () =>
    random.chance(0.5)
      ? Buffer.concat([Buffer.from([form.bare]), bare(random)])
      : Buffer.concat([Buffer.from([form.authentic]), attributes(random)]);
}

/**
 * Returns a Binding request with these attributes, after USERNAME and before MESSAGE-INTEGRITY and
 * FINGERPRINT.
 */
function authentic(given: Buffer, { ice }: OwnWebCall): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(0x0001, 0);
  header.writeUInt32BE(MAGIC_COOKIE, 4);
  randomBytes(12).copy(header, 8);
  const username = attribute(0x0006, Buffer.from(`${ice.ufrag}:${offeredIce.ufrag}`));
  let message = Buffer.concat([header, username, given]);
  const withLength = (further: number): Buffer => {
    message.writeUInt16BE((message.length - HEADER_BYTES + further) & 0xffff, 2);
    return message;
  };
  const integrity = createHmac("sha1", ice.pwd).update(withLength(24)).digest();
  message = Buffer.concat([message, attribute(0x0008, integrity)]);
  const fingerprint = Buffer.alloc(4);
  fingerprint.writeUInt32BE((crc32(withLength(8)) ^ FINGERPRINT_XOR) >>> 0);
  return Buffer.concat([message, attribute(0x8028, fingerprint)]);
}

/** The WebRTC port, which the bystander's web call also uses. */
export const stun: Target = {
  name: "stun",
  concurrency: 8,
  pauseMs: 10,
  inputs: stunInputs,
  open: async (node, onAnswer) => {
    const strangers = await Strangers.open(STRANGERS, (datagram) => {
      const isStun = (datagram[0] ?? 255) < 2;
      onAnswer(
        isStun ? `STUN ${datagram[0] === 1 && (datagram[1] ?? 0) >= 0x10 ? "error" : "answer"}` : "other",
      );
    });
    const call = await startOwnWebCall(node, true);
    return {
      send: async (input) => {
        const rest = input.subarray(1);
        const datagram = input[0] === form.authentic ? authentic(rest, call) : rest;
        strangers.next().send(datagram, node.webRtcPort, "127.0.0.1");
      },
      close: async () => {
        await endOwnWebCall(node, call);
        strangers.close();
      },
    };
  },
};
