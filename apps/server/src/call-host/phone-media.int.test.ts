import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CallDriver } from "@parley/conversation/testing";
import { MediaWheel, parseRtp, PortPool, type RtpPacket, type WheelScheduler } from "@parley/rtp";
import type { MediaPath } from "./media-protocol.ts";
import { PhoneMedia } from "./phone-media.ts";

const FRAME_MS = 20;
const SAMPLES_PER_MS = 8;

/** A wheel's time, moved by hand. */
class HandScheduler implements WheelScheduler {
  #nowMs = 0;
  #callback: (() => void) | undefined;

  now(): number {
    return this.#nowMs;
  }

  schedule(callback: () => void): () => void {
    this.#callback = callback;
    return () => (this.#callback = undefined);
  }

  /** To a later time at once, as for a process that did not run in between. */
  jump(durationMs: number): void {
    this.#nowMs += durationMs;
    this.#callback?.();
  }
}

function pathTo(peer: Socket, change: Partial<MediaPath> = {}): MediaPath {
  const { port } = peer.address();
  return {
    remote: { address: "127.0.0.1", port },
    codec: "PCMU",
    payloadType: 0,
    telephoneEventPayloadType: undefined,
    ptimeMs: FRAME_MS,
    rtcp: { address: "127.0.0.1", port },
    isRtcpMultiplexed: true,
    srtp: undefined,
    isSending: true,
    isReceiving: true,
    ...change,
  };
}

interface Rig {
  scheduler: HandScheduler;
  wheel: MediaWheel;
  media: PhoneMedia;
  peer: Socket;
  /** RTP and RTCP that the peer has received. */
  packets: RtpPacket[];
  timeouts: number[];
  connect: (change?: Partial<MediaPath>) => void;
  /** Frames of time, each with its turn of the event loop. */
  pass: (ticks: number) => Promise<void>;
}

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open({ timeoutMs = Infinity } = {}): Promise<Rig> {
  const peer = createSocket("udp4");
  peer.bind(0, "127.0.0.1");
  await once(peer, "listening");
  const packets: RtpPacket[] = [];
  peer.on("message", (datagram) => {
    const packet = parseRtp(datagram);
    if (packet !== undefined) packets.push(packet);
  });
  const scheduler = new HandScheduler();
  const wheel = new MediaWheel({ onError: (error) => assert.fail(String(error)), scheduler });
  const driver = new CallDriver();
  const timeouts: number[] = [];
  const media = await PhoneMedia.open({
    address: "127.0.0.1",
    ports: new PortPool({ first: 34_600, last: 34_699 }),
    wheel,
    conversation: driver.conversation,
    sampleRateHz: 8000,
    timeoutMs,
    onTimeout: (silentMs) => timeouts.push(silentMs),
  });
  opened.push(() => {
    media.close();
    wheel.close();
    driver.conversation.close();
    peer.close();
  });
  return {
    scheduler,
    wheel,
    media,
    peer,
    packets,
    timeouts,
    connect: (change) => media.connect(pathTo(peer, change)),
    pass: async (ticks) => {
      for (let tick = 0; tick < ticks; tick++) scheduler.jump(FRAME_MS);
      await sleep(20);
    },
  };
}

test("the RTP clock keeps up with the time over a stall in which packets were dropped", async () => {
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

test("nothing is sent before the answer, and then in packets of the length that the peer wants", async () => {
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

test("on hold nothing is sent, and afterwards the stream goes on with the time", async () => {
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

test("a peer that sends nothing is told of once, after the time that was set, and on hold only after half an hour", async () => {
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

test("a held call that is never resumed is given up", async () => {
  const { media, connect, timeouts, pass } = await open({ timeoutMs: 10_000 });
  connect({ isReceiving: false, isSending: false });
  media.start();
  await pass(30 * 60 * 50 - 100);
  assert.deepEqual(timeouts, []);
  await pass(200);
  assert.equal(timeouts.length, 1);
});

test("keys go out under the payload type that was agreed on, in place of audio, or as tones in it", async () => {
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
