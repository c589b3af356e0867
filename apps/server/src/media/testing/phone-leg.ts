import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { CallDriver } from "@parley/conversation/testing";
import { MediaWheel, PortPool, type PortRange, type WheelScheduler } from "@parley/rtp";
import type { MediaPath } from "../media-protocol.ts";
import { CallScope } from "../../platform/call-scope.ts";
import { PhoneMedia } from "../phone/phone-media.ts";

const LOOPBACK = "127.0.0.1";
export const FRAME_MS = 20;

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

  /** Advances the time at once, as for a process that did not run in between. */
  jump(durationMs: number): void {
    this.#nowMs += durationMs;
    this.#callback?.();
  }
}

/** The media of a call by phone whose packets are real, on the loopback, and whose time is moved by hand. */
export interface PhoneLeg {
  driver: CallDriver;
  media: PhoneMedia;
  wheel: MediaWheel;
  scheduler: HandScheduler;
  peer: Socket;
  /** Path to the peer: PCMU, not encrypted, both ways. */
  path: MediaPath;
  close: () => void;
}

export interface PhoneLegOptions {
  /** Ports that no other test file uses, because files run at the same time. */
  ports: PortRange;
  driver?: CallDriver;
  timeoutMs?: number;
  onTimeout?: (silentMs: number) => void;
}

export async function openPhoneLeg({
  ports,
  driver = new CallDriver(),
  timeoutMs = Infinity,
  onTimeout = () => {},
}: PhoneLegOptions): Promise<PhoneLeg> {
  const peer = createSocket("udp4").bind(0, LOOPBACK);
  await once(peer, "listening");
  const scheduler = new HandScheduler();
  const wheel = new MediaWheel({ onError: (error) => assert.fail(String(error)), scheduler });
  const media = await PhoneMedia.open({
    address: LOOPBACK,
    ports: new PortPool(ports),
    wheel,
    scope: new CallScope((error) => assert.fail(String(error))),
    conversation: driver.conversation,
    sampleRateHz: 8000,
    timeoutMs,
    onTimeout,
  });
  const close = (): void => {
    media.close();
    wheel.close();
    driver.conversation.close();
    peer.close();
  };
  return { driver, media, wheel, scheduler, peer, path: pathTo(peer), close };
}

function pathTo(peer: Socket): MediaPath {
  const remote = { address: LOOPBACK, port: peer.address().port };
  return {
    remote,
    codec: "PCMU",
    payloadType: 0,
    telephoneEventPayloadType: undefined,
    ptimeMs: FRAME_MS,
    rtcp: remote,
    isRtcpMultiplexed: true,
    srtp: undefined,
    isSending: true,
    isReceiving: true,
  };
}
