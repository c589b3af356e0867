import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
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

test("the RTP clock keeps up with the time over a stall in which packets were dropped", async () => {
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
  const media = await PhoneMedia.open({
    address: "127.0.0.1",
    ports: new PortPool({ first: 34_600, last: 34_699 }),
    wheel,
    conversation: driver.conversation,
    sampleRateHz: 8000,
    timeoutMs: Infinity,
    onTimeout: () => assert.fail("a timeout"),
  });
  media.connect(pathTo(peer));
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

  media.close();
  wheel.close();
  driver.conversation.close();
  peer.close();
  const [first, last] = [packets[0], packets.at(-1)];
  assert.ok(first !== undefined && last !== undefined);
  assert.ok(wheel.droppedTicks > 0);
  const elapsedMs = 1000 + 9 * FRAME_MS;
  assert.equal((last.timestamp - first.timestamp) >>> 0, elapsedMs * SAMPLES_PER_MS);
});
