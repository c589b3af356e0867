import assert from "node:assert/strict";
import type { Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, test } from "node:test";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { decodePcmu } from "@parley/audio";
import { parseRtp, type RtpPacket, writeRtp } from "@parley/rtp";
import { waitFor } from "@parley/testing";
import type { MediaPath } from "../media-protocol.ts";
import { FRAME_MS, openPhoneLeg, type PhoneLeg } from "../testing/phone-leg.ts";

const PORTS = { first: 34_600, last: 34_699 };
const SAMPLES_PER_MS = 8;

interface Rig extends PhoneLeg {
  /** RTP and RTCP that the peer has received. */
  packets: RtpPacket[];
  timeouts: number[];
  connect: (change?: Partial<MediaPath>) => void;
  /** Frames of time, each with its turn of the event loop. */
  pass: (ticks: number) => Promise<void>;
}

const opened: PhoneLeg[] = [];
afterEach(() => {
  for (const leg of opened.splice(0)) leg.close();
});

async function open({ timeoutMs = Infinity } = {}): Promise<Rig> {
  const timeouts: number[] = [];
  const onTimeout = (silentMs: number): void => void timeouts.push(silentMs);
  const leg = await openPhoneLeg({ ports: PORTS, timeoutMs, onTimeout });
  opened.push(leg);
  const packets: RtpPacket[] = [];
  leg.peer.on("message", (datagram) => {
    const packet = parseRtp(datagram);
    if (packet !== undefined) packets.push(packet);
  });
  return {
    ...leg,
    packets,
    timeouts,
    connect: (change) => leg.media.connect({ ...leg.path, ...change }),
    pass: async (ticks) => {
      for (let tick = 0; tick < ticks; tick++) leg.scheduler.jump(FRAME_MS);
      await readAll(leg.peer);
    },
  };
}

/** Resolves when the socket has read what was sent to it before: a datagram of this function comes last. */
async function readAll(socket: Socket): Promise<void> {
  // What was given to other sockets in this turn of the event loop has been sent in the next.
  await nextTurn();
  const last = Buffer.from(`last ${crypto.randomUUID()}`);
  const arrived = new Promise<void>((resolve) => {
    const onMessage = (datagram: Buffer): void => {
      if (!datagram.equals(last)) return;
      socket.off("message", onMessage);
      resolve();
    };
    socket.on("message", onMessage);
  });
  socket.send(last, socket.address().port, "127.0.0.1");
  await arrived;
}

test("the RTP timestamp follows the time over a stall in which packets were dropped", async () => {
  const { media, connect, peer, packets, scheduler, wheel } = await open();
  connect();
  media.start();
  const received = async (count: number): Promise<void> => {
    while (packets.length < count) await once(peer, "message");
  };

  for (let tick = 0; tick < 5; tick++) scheduler.jump(FRAME_MS);
  await received(5);
  scheduler.jump(1000);
  for (let tick = 0; tick < 5; tick++) scheduler.jump(FRAME_MS);
  // Three frames of the stall are made up for.
  await received(5 + 3 + 5);

  const [first, last] = [packets[0], packets.at(-1)];
  assert.ok(first !== undefined && last !== undefined);
  assert.ok(wheel.droppedTicks > 0);
  const elapsedMs = 1000 + 9 * FRAME_MS;
  assert.equal((last.timestamp - first.timestamp) >>> 0, elapsedMs * SAMPLES_PER_MS);
});

test("what the caller said while this process was stalled is heard after the stall", async (context) => {
  const { driver, media, connect, peer, scheduler } = await open();
  const hear = context.mock.method(driver.conversation, "hear", () => {});
  // Packets are stamped with real time.
  const keepUp = (): void => scheduler.jump(performance.now() - scheduler.now());
  let sent = 0;
  const say = (): void => {
    const position = { sequenceNumber: sent, timestamp: sent * 160 };
    const packet = { marker: sent === 0, payloadType: 0, ssrc: 1, ...position };
    // Each frame has a sound of its own, at its end: after concealment the beginning is blended.
    peer.send(writeRtp({ ...packet, payload: new Uint8Array(160).fill(sent) }), media.port, "127.0.0.1");
    sent++;
  };
  const heard = new Set<number>();
  hear.mock.mockImplementation((pcm: Int16Array) => void heard.add(pcm.at(-1) ?? 0));
  keepUp();
  connect();
  media.start();
  for (const isStalled of [false, true, false]) {
    for (let frame = 0; frame < 25; frame++) {
      say();
      await sleep(20);
      if (!isStalled) keepUp();
    }
  }
  for (let frame = 0; frame < 25; frame++) {
    await sleep(20);
    keepUp();
  }
  // The jitter buffer leaves out single frames to bring its delay down.
  const missing = Array.from({ length: 50 }, (_, code) => code).filter(
    (code) => !heard.has(decodePcmu(Uint8Array.of(code))[0] ?? 0),
  );
  assert.ok(missing.length <= 3, `not heard: ${missing.join()}`);
});

test("nothing is sent before the answer, and then packets of the length that the peer requests", async () => {
  const { media, connect, packets, pass } = await open();
  connect({ ptimeMs: 40 });
  await pass(10);
  assert.equal(packets.length, 0);
  media.start();
  await pass(10);
  assert.deepEqual(
    packets.map(({ payload }) => payload.length),
    [320, 320, 320, 320, 320],
  );
  connect({ ptimeMs: 10, codec: "PCMA", payloadType: 8 });
  await pass(2);
  assert.deepEqual(
    packets.slice(5).map(({ payload, payloadType }) => [payload.length, payloadType]),
    [
      [80, 8],
      [80, 8],
      [80, 8],
      [80, 8],
    ],
  );
});

test("until the caller acknowledges the answer or sends a packet, 2 s of audio are sent, and the rest of the greeting waits", async () => {
  for (const show of ["ACK", "packet"] as const) {
    const { media, connect, packets, pass, peer } = await open();
    connect();
    media.start();
    await pass(300);
    assert.equal(packets.length, 100);
    if (show === "ACK") media.confirm();
    else {
      const packet = { marker: true, payloadType: 0, sequenceNumber: 1, timestamp: 0, ssrc: 1 };
      peer.send(writeRtp({ ...packet, payload: new Uint8Array(160) }), media.port, "127.0.0.1");
      await waitFor("the packet", () => media.statistics.received.packets > 0);
    }
    await pass(50);
    assert.equal(packets.length, 150);
    media.close();
  }
});

test("on hold nothing is sent, and afterwards the timestamps continue with the time", async () => {
  const { media, connect, packets, pass } = await open();
  connect();
  media.start();
  await pass(5);
  connect({ isSending: false, isReceiving: false });
  await pass(10);
  connect();
  await pass(5);
  // The first tick is at the very beginning.
  assert.equal(packets.length, 6 + 5);
  const [before, after] = [packets[5], packets[6]];
  assert.ok(before !== undefined && after !== undefined);
  assert.equal((after.timestamp - before.timestamp) >>> 0, 11 * FRAME_MS * SAMPLES_PER_MS);
  assert.equal((after.sequenceNumber - before.sequenceNumber) & 0xffff, 1);
});

test("a silent peer is reported once, after the configured time, and on hold after half an hour", async () => {
  const { media, connect, timeouts, pass } = await open({ timeoutMs: 10_000 });
  connect({ isSending: false });
  media.start();
  await pass(2000);
  assert.deepEqual(timeouts, []);
  connect();
  await pass(480);
  assert.deepEqual(timeouts, []);
  await pass(1000);
  assert.equal(timeouts.length, 1);
  assert.ok((timeouts[0] ?? 0) >= 10_000 && (timeouts[0] ?? 0) <= 11_000);
});

test("after a stall of this process the peer has the whole time again", async () => {
  const { media, connect, timeouts, pass, scheduler } = await open({ timeoutMs: 10_000 });
  connect();
  media.start();
  await pass(400);
  scheduler.jump(12_000);
  await pass(450);
  assert.deepEqual(timeouts, []);
  await pass(150);
  assert.equal(timeouts.length, 1);
});

test("a call that stays on hold is reported after half an hour", async () => {
  const { media, connect, timeouts, pass } = await open({ timeoutMs: 10_000 });
  connect({ isReceiving: false, isSending: false });
  media.start();
  await pass(30 * 60 * 50 - 100);
  assert.deepEqual(timeouts, []);
  await pass(200);
  assert.equal(timeouts.length, 1);
});

test("keys are sent with the negotiated payload type in place of audio, or as tones", async () => {
  const { media, connect, packets, pass } = await open();
  const { signal } = new AbortController();
  connect({ telephoneEventPayloadType: 101 });
  media.start();
  const events = media.press("5", signal);
  await pass(40);
  await events;
  const rtp = packets.filter(({ payloadType }) => payloadType === 101 || payloadType === 0);
  assert.equal(rtp.filter(({ payloadType }) => payloadType === 101).length, 7);
  const sequence = rtp.map(({ sequenceNumber }) => sequenceNumber);
  assert.deepEqual(
    sequence,
    sequence.map((_, index) => ((sequence[0] ?? 0) + index) & 0xffff),
  );
  connect();
  packets.length = 0;
  const tones = media.press("5", signal);
  await pass(40);
  await tones;
  assert.ok(packets.every(({ payloadType }) => payloadType !== 101));
  const audio = packets.filter(({ payloadType }) => payloadType === 0);
  const loud = audio.filter(({ payload }) => payload.some((byte) => (byte & 0x7f) < 0x30));
  assert.equal(loud.length, 5);
});
