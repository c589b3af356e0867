import assert from "node:assert/strict";
import { test } from "node:test";
import type { RtpPacket } from "../packet.ts";
import { seededRandom } from "@parley/testing";
import { ReceptionStatistics } from "./reception-statistics.ts";
import { parseRtcp, type RtcpReport, writeRtcp } from "./rtcp-packet.ts";
import { RtcpReporter } from "./rtcp-reporter.ts";

const report: RtcpReport = {
  ssrc: 0xcafe_babe,
  sender: {
    ntpSeconds: 0xe9000001,
    ntpFraction: 0x80000000,
    rtpTimestamp: 0xffff_fff0,
    packets: 1000,
    octets: 160_000,
  },
  reports: [
    {
      ssrc: 0x1234_5678,
      fractionLost: 0.25,
      cumulativeLost: -3,
      highestSequence: 0x0001_0203,
      jitter: 44,
      lastSenderReport: 0x0001_8000,
      delaySinceLastSenderReport: 65_536,
    },
  ],
};

function packet(sequenceNumber: number, timestamp = sequenceNumber * 160, ssrc = 7): RtpPacket {
  return {
    marker: false,
    payloadType: 0,
    sequenceNumber: sequenceNumber & 0xffff,
    timestamp: timestamp >>> 0,
    ssrc,
    payload: new Uint8Array(160),
  };
}

test("a written packet is parsed to the same packet", () => {
  assert.deepEqual(parseRtcp(writeRtcp(report, "abcdefghijkl", false)), { reports: [report], leaving: [] });
  const receiver: RtcpReport = { ssrc: 5, sender: undefined, reports: [] };
  assert.deepEqual(parseRtcp(writeRtcp(receiver, "a", true)), { reports: [receiver], leaving: [5] });
});

test("a compound packet has the layout of RFC 3550 §6", () => {
  const bytes = Buffer.from(writeRtcp({ ssrc: 1, sender: undefined, reports: [] }, "ab", true));
  assert.equal(bytes.toString("hex"), "80c900010000000181ca000300000001010261620000000081cb000100000001");
});

test("compounds that fail the checks of RFC 3550 A.2 are rejected", () => {
  const whole = Buffer.from(writeRtcp(report, "abc", true));
  for (let length = 0; length < whole.length; length++) {
    const cut = parseRtcp(whole.subarray(0, length));
    // A cut at a packet's end leaves a shorter valid compound.
    assert.ok(cut === undefined || length === 52 || length === 68, `${length} bytes`);
  }
  const changed = (at: number, value: number): Uint8Array => {
    const copy = Buffer.from(whole);
    copy[at] = value;
    return copy;
  };
  assert.equal(parseRtcp(changed(0, 0x41)), undefined, "version");
  assert.equal(parseRtcp(changed(0, 0xa1)), undefined, "padding in the first packet");
  assert.equal(parseRtcp(changed(0, 0x9f)), undefined, "more reports than fit");
  assert.equal(parseRtcp(changed(1, 202)), undefined, "no report at the start");
});

test("random bytes never throw", () => {
  const random = seededRandom(9);
  for (let count = 0; count < 20_000; count++) {
    const bytes = Buffer.from(writeRtcp(report, "abc", true));
    for (let change = 0; change < 3; change++)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    parseRtcp(bytes.subarray(0, Math.floor(random() * (bytes.length + 1))));
  }
});

test("missing, late and duplicate packets are counted over the wrap of the sequence numbers", () => {
  const statistics = new ReceptionStatistics(packet(65_530), 8000);
  for (const number of [65_530, 65_531, 65_534, 65_533, 65_536, 65_536, 65_540])
    statistics.receive(packet(number), number * 20);
  assert.equal(statistics.expected, 11);
  assert.equal(statistics.received, 7);
  assert.equal(statistics.highestSequence, 65_540);
  assert.equal(statistics.takeFractionLost(), 4 / 11);
  statistics.receive(packet(65_541), 0);
  assert.equal(statistics.takeFractionLost(), 0);
});

test("a sender that restarts its sequence numbers has no loss", () => {
  const statistics = new ReceptionStatistics(packet(100), 8000);
  for (const number of [100, 101, 30_000, 30_001, 30_002]) statistics.receive(packet(number), 0);
  assert.equal(statistics.received, 4);
  assert.equal(statistics.expected, 4);
});

test("jitter follows RFC 3550 A.8, and events with one timestamp do not raise it", () => {
  const statistics = new ReceptionStatistics(packet(0), 8000);
  for (let number = 0; number < 200; number++) {
    statistics.receive(packet(number), number * 20 + (number % 2 === 0 ? 0 : 10));
  }
  // Each transit time differs from the previous one by 10 ms.
  assert.ok(Math.abs(statistics.jitter - 80) < 1, String(statistics.jitter));
  for (let number = 200; number < 210; number++) {
    statistics.receive(packet(number, 200 * 160), number * 20);
  }
  assert.ok(statistics.jitter < 90);
});

function createReporter(ssrc: number): RtcpReporter {
  return new RtcpReporter({ ssrc, clockRateHz: 8000, random: () => 0.5 });
}

test("reports are due about every five seconds, the first after half of that", () => {
  const reporter = createReporter(1);
  const sentAt: number[] = [];
  for (let nowMs = 0; nowMs < 20_000; nowMs += 20) {
    if (reporter.takeReport(nowMs) !== undefined) sentAt.push(nowMs);
  }
  // 2.5 s and then 5 s over e - 3/2.
  assert.deepEqual(sentAt, [2060, 6180, 10_300, 14_420, 18_540]);
});

test("two participants measure the round trip, loss and jitter of each other's streams", () => {
  const [alice, bob] = [createReporter(1), createReporter(2)];
  const ONE_WAY_MS = 40;
  for (let i = 0; i < 500; i++) {
    const nowMs = i * 20;
    alice.sent(i * 160, 160, nowMs);
    if (i % 10 !== 0) bob.received(packet(i, i * 160, 1), nowMs + ONE_WAY_MS);
    const ours = alice.takeReport(nowMs);
    if (ours !== undefined) assert.ok(bob.receive(ours, nowMs + ONE_WAY_MS));
    const theirs = bob.takeReport(nowMs + 500);
    if (theirs !== undefined) assert.ok(alice.receive(theirs, nowMs + 500 + ONE_WAY_MS));
  }
  const { sent, roundTripMs, received } = alice.statistics;
  assert.ok(roundTripMs !== undefined && Math.abs(roundTripMs - 2 * ONE_WAY_MS) < 1, String(roundTripMs));
  assert.ok(sent !== undefined && sent.lost >= 30 && sent.lost <= 45);
  assert.deepEqual(received, { packets: 0, lost: 0, jitterMs: 0 });
  assert.equal(bob.statistics.received.packets, 450);
  assert.equal(bob.statistics.received.lost, 49);
  assert.equal(bob.statistics.roundTripMs, undefined);
});

test("the counts of earlier sources remain when the peer changes its SSRC", () => {
  const reporter = createReporter(1);
  for (const number of [1, 2, 4]) reporter.received(packet(number, undefined, 10), number * 20);
  for (const number of [9000, 9001]) reporter.received(packet(number, undefined, 11), number * 20);
  assert.deepEqual(reporter.statistics.received.packets, 5);
  assert.deepEqual(reporter.statistics.received.lost, 1);
});

test("senders send sender reports, receivers report on their sources, and the last packet is BYE", () => {
  const reporter = createReporter(1);
  const silent = parseRtcp(reporter.bye(0));
  assert.deepEqual(silent, { reports: [{ ssrc: 1, sender: undefined, reports: [] }], leaving: [1] });
  reporter.sent(160, 160, 1000);
  reporter.received(packet(5), 1000);
  const [both] = parseRtcp(reporter.bye(1020))?.reports ?? [];
  assert.equal(both?.sender?.rtpTimestamp, 160 + 160);
  assert.equal(both?.reports[0]?.ssrc, 7);
  const [later] = parseRtcp(reporter.bye(60_000))?.reports ?? [];
  assert.deepEqual([later?.sender, later?.reports], [undefined, []]);
});
