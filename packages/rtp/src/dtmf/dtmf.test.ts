import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDtmf, writeDtmf } from "./dtmf-event.ts";
import { DtmfReceiver, type DtmfDigit } from "./dtmf-receiver.ts";
import { dtmfDurationMs, DtmfSender } from "./dtmf-sender.ts";
import type { RtpPacket } from "../packet.ts";

const FRAME = 160;

interface TimedPacket {
  packet: RtpPacket;
  atMs: number;
}

/** The packets of a string of keys, one frame per 20 ms, starting near the wrap of the counters. */
function packetsOf(digits: string): TimedPacket[] {
  const sender = new DtmfSender({ digits, clockRateHz: 8000 });
  const packets: TimedPacket[] = [];
  for (let frame = 0; !sender.isDone; frame++) {
    const next = sender.next(frame * FRAME, FRAME);
    if (next !== undefined) {
      const packet = {
        ...next,
        timestamp: (0xffffff00 + next.timestamp) >>> 0,
        payloadType: 101,
        sequenceNumber: (0xfffe + packets.length) & 0xffff,
        ssrc: 1,
      };
      packets.push({ packet, atMs: frame * 20 });
    }
  }
  return packets;
}

function receive(packets: readonly TimedPacket[]): DtmfDigit[] {
  const digits: DtmfDigit[] = [];
  const receiver = new DtmfReceiver({ clockRateHz: 8000, onDigit: (digit) => digits.push(digit) });
  for (const { packet, atMs } of packets) {
    receiver.receive(packet, atMs);
  }
  receiver.expire((packets.at(-1)?.atMs ?? 0) + 1000);
  return digits;
}

function text(digits: readonly DtmfDigit[]): string {
  return digits.map(({ digit }) => digit).join("");
}

interface Scripted {
  digit?: string;
  timestamp: number;
  duration: number;
  isEnd?: boolean;
  marker?: boolean;
  atMs?: number;
}

function script(steps: readonly Scripted[]): TimedPacket[] {
  return steps.map(({ digit = "5", timestamp, duration, isEnd = false, marker = false, atMs }, i) => ({
    atMs: atMs ?? i * 20,
    packet: {
      payload: writeDtmf({ digit, duration, isEnd }),
      marker,
      timestamp,
      payloadType: 101,
      sequenceNumber: i,
      ssrc: 1,
    },
  }));
}

test("a key is sent with one marker, one timestamp, growing duration and three equal end packets", () => {
  const sent = packetsOf("5").map(({ packet }) => ({
    marker: packet.marker,
    timestamp: packet.timestamp,
    ...parseDtmf(packet.payload),
  }));
  const timestamp = 0xffffff00;
  assert.deepEqual(sent, [
    { marker: true, timestamp, digit: "5", isEnd: false, duration: 160 },
    { marker: false, timestamp, digit: "5", isEnd: false, duration: 320 },
    { marker: false, timestamp, digit: "5", isEnd: false, duration: 480 },
    { marker: false, timestamp, digit: "5", isEnd: false, duration: 640 },
    { marker: false, timestamp, digit: "5", isEnd: true, duration: 800 },
    { marker: false, timestamp, digit: "5", isEnd: true, duration: 800 },
    { marker: false, timestamp, digit: "5", isEnd: true, duration: 800 },
  ]);
});

test("keys are 200 ms apart, tone and pause", () => {
  const starts = packetsOf("12").filter(({ packet }) => packet.marker);
  assert.deepEqual(
    starts.map(({ atMs }) => atMs),
    [0, 200],
  );
});

test("a wait before, between and after keys takes half a second", () => {
  const starts = packetsOf("w1ww2w").filter(({ packet }) => packet.marker);
  assert.deepEqual(
    starts.map(({ atMs }) => atMs),
    [500, 500 + 200 + 1000],
  );
  assert.equal(dtmfDurationMs("w1ww2w"), 4 * 500 + 2 * 200);
  const sender = new DtmfSender({ digits: "w", clockRateHz: 8000 });
  for (let frame = 0; frame < 30; frame++) assert.equal(sender.next(frame * FRAME, FRAME), undefined);
  assert.ok(sender.isDone);
});

test("an invalid key is rejected", () => {
  assert.throws(() => new DtmfSender({ digits: "12x", clockRateHz: 8000 }), RangeError);
});

test("every sent key is received once, with its duration", () => {
  const digits = receive(packetsOf("0123456789*#ABCD11"));
  assert.equal(text(digits), "0123456789*#ABCD11");
  assert.ok(digits.every(({ durationMs }) => durationMs === 100));
});

test("keys are received once if the start, the ends, or all but one packet are lost", () => {
  const perDigit = 7;
  for (let kept = 1; kept < 2 ** perDigit; kept++) {
    const packets = packetsOf("1123").filter((_, i) => ((kept >> (i % perDigit)) & 1) === 1);
    assert.equal(text(receive(packets)), "1123", `kept ${kept.toString(2)}`);
  }
});

test("keys are received once if packets are duplicated or reordered", () => {
  const packets = packetsOf("4477").flatMap((timed) => [timed, timed]);
  for (let i = 3; i < packets.length; i += 5) {
    const [a, b] = [packets[i - 3], packets[i]];
    if (a !== undefined && b !== undefined) {
      packets[i] = a;
      packets[i - 3] = b;
    }
  }
  assert.equal(text(receive(packets)), "4477");
});

test("a key held longer than one packet can express continues in segments as one key", () => {
  const digits = receive(
    script([
      { timestamp: 1000, duration: 160, marker: true },
      { timestamp: 1000, duration: 0xffff },
      { timestamp: 1000 + 0xffff, duration: 161 },
      { timestamp: 1000 + 0xffff, duration: 321, isEnd: true },
      { timestamp: 1000 + 0xffff, duration: 321, isEnd: true },
    ]),
  );
  assert.deepEqual(digits, [{ digit: "5", durationMs: Math.round((0xffff + 321) / 8) }]);
});

test("a sender with one timestamp for all keys is supported", () => {
  const keys = ["1", "1", "2"].flatMap((digit) => [
    { digit, timestamp: 7, duration: 160, marker: true },
    { digit, timestamp: 7, duration: 320 },
    { digit, timestamp: 7, duration: 480, isEnd: true },
    { digit, timestamp: 7, duration: 480, isEnd: true },
  ]);
  assert.equal(text(receive(script(keys))), "112");
});

test("a sender that changes the timestamp with every packet is supported", () => {
  const keys = [0, 1600].flatMap((start) => [
    { timestamp: start, duration: 160, marker: true },
    { timestamp: start + 160, duration: 320 },
    { timestamp: start + 320, duration: 480 },
    { timestamp: start + 480, duration: 640, isEnd: true },
    { timestamp: start + 640, duration: 640, isEnd: true },
    { timestamp: start + 800, duration: 640, isEnd: true },
  ]);
  const digits = receive(script(keys));
  assert.deepEqual(digits, [
    { digit: "5", durationMs: 80 },
    { digit: "5", durationMs: 80 },
  ]);
});

test("a key without end packets is reported after 150 ms, and late packets do not repeat it", () => {
  const digits: DtmfDigit[] = [];
  const receiver = new DtmfReceiver({ clockRateHz: 8000, onDigit: (digit) => digits.push(digit) });
  const [first, second, late] = script([
    { timestamp: 0, duration: 160, marker: true },
    { timestamp: 0, duration: 320 },
    { timestamp: 0, duration: 480, isEnd: true },
  ]);
  assert.ok(first && second && late);
  receiver.receive(first.packet, 0);
  receiver.receive(second.packet, 20);
  receiver.expire(160);
  assert.equal(digits.length, 0);
  receiver.expire(171);
  assert.deepEqual(digits, [{ digit: "5", durationMs: 40 }]);
  receiver.receive(late.packet, 400);
  assert.equal(digits.length, 1);
});

test("other events and short payloads are ignored", () => {
  const [flash] = script([{ timestamp: 0, duration: 800, isEnd: true }]);
  assert.ok(flash);
  flash.packet.payload[0] = 16;
  assert.deepEqual(receive([flash]), []);
  flash.packet.payload = Uint8Array.of(5, 0x80, 1);
  assert.deepEqual(receive([flash]), []);
});
