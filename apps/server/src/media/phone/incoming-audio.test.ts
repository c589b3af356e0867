import assert from "node:assert/strict";
import { test } from "node:test";
import type { RtpPacket } from "@parley/rtp";
import { type CodecName, createAudioCodec } from "../audio-codec.ts";
import { IncomingAudio } from "./incoming-audio.ts";

const FRAME_MS = 20;
const TONE_HZ = 440;
const LOUDNESS = 8000;

/** A peer that sends one tone, packet by packet, in a given codec. */
class Peer {
  readonly #codecs: Record<CodecName, ReturnType<typeof createAudioCodec>> = {
    PCMU: createAudioCodec("PCMU"),
    PCMA: createAudioCodec("PCMA"),
    G722: createAudioCodec("G722"),
  };
  ssrc = 1;
  sequenceNumber = 100;
  #ms = 0;

  say(codec: CodecName, payloadType: number, ptimeMs: number): RtpPacket {
    const { sampleRateHz, encode } = this.#codecs[codec];
    const first = (this.#ms * sampleRateHz) / 1000;
    const pcm = Int16Array.from(
      { length: (ptimeMs * sampleRateHz) / 1000 },
      (_, i) => LOUDNESS * Math.sin((2 * Math.PI * TONE_HZ * (first + i)) / sampleRateHz),
    );
    return this.#packet(encode(pcm, new Uint8Array(8 * ptimeMs)), payloadType, ptimeMs);
  }

  describeSilence(level: number, forMs: number): RtpPacket {
    return this.#packet(Uint8Array.of(level), 13, forMs);
  }

  #packet(payload: Uint8Array, payloadType: number, ms: number): RtpPacket {
    const timestamp = 8 * this.#ms;
    this.#ms += ms;
    return {
      marker: false,
      payloadType,
      sequenceNumber: this.sequenceNumber++,
      timestamp,
      ssrc: this.ssrc,
      payload,
    };
  }
}

/** Hears packets that come on time, and gives the sound from when it began. */
function hear(audio: IncomingAudio, packets: readonly { atMs: number; packet: RtpPacket }[]): Int16Array {
  const heard: number[] = [];
  const endMs = (packets.at(-1)?.atMs ?? 0) + 40;
  const waiting = [...packets];
  const frame = new Int16Array(audio.sampleRateHz / 50);
  for (let nowMs = 0; nowMs < endMs; nowMs += FRAME_MS) {
    while ((waiting[0]?.atMs ?? Infinity) <= nowMs) {
      const next = waiting.shift();
      if (next !== undefined) audio.push(next.packet, next.atMs);
    }
    audio.read(frame, nowMs, 8 * nowMs);
    heard.push(...frame);
  }
  return Int16Array.from(heard.slice(heard.findIndex((sample) => Math.abs(sample) > LOUDNESS / 4)));
}

function levelOf(pcm: Int16Array): number {
  return Math.sqrt(pcm.reduce((sum, sample) => sum + sample ** 2, 0) / pcm.length);
}

/** The least and the largest level of its frames. */
function levels(pcm: Int16Array, frameSamples: number): [number, number] {
  const each: number[] = [];
  for (let start = 0; start + frameSamples <= pcm.length; start += frameSamples)
    each.push(levelOf(pcm.subarray(start, start + frameSamples)));
  return [Math.min(...each), Math.max(...each)];
}

function isEven(pcm: Int16Array, frameSamples: number): boolean {
  const [least, largest] = levels(pcm, frameSamples);
  return least > LOUDNESS * 0.55 && largest < LOUDNESS * 0.9;
}

for (const sampleRateHz of [8000, 16_000] as const) {
  for (const codec of ["PCMU", "PCMA", "G722"] as const) {
    test(`${codec} in packets of 10 to 60 ms is heard without a gap at ${sampleRateHz} Hz`, () => {
      for (const ptimeMs of [10, 20, 30, 40, 60]) {
        const audio = new IncomingAudio(sampleRateHz);
        audio.connect(codec, 96, 101);
        const peer = new Peer();
        const packets = Array.from({ length: 1200 / ptimeMs }, (_, i) => ({
          atMs: i * ptimeMs,
          packet: peer.say(codec, 96, ptimeMs),
        }));
        const heard = hear(audio, packets).subarray(0, sampleRateHz);
        assert.ok(
          isEven(heard, sampleRateHz / 50),
          `${ptimeMs} ms: ${levels(heard, sampleRateHz / 50).join()}`,
        );
      }
    });
  }
}

test("a peer that changes to another static payload type during the call is still decoded", () => {
  const audio = new IncomingAudio(16_000);
  assert.deepEqual(audio.connect("PCMU", 0, 101), [0, 8, 9, 13, 101]);
  const peer = new Peer();
  const packets = Array.from({ length: 90 }, (_, i) => {
    const [codec, payloadType] =
      i < 30 ? (["PCMU", 0] as const) : i < 60 ? (["PCMA", 8] as const) : (["G722", 9] as const);
    return { atMs: i * FRAME_MS, packet: peer.say(codec, payloadType, FRAME_MS) };
  });
  const heard = hear(audio, packets).subarray(0, 1.6 * 16_000);
  const [least] = levels(heard, 320);
  assert.ok(least > LOUDNESS * 0.4, String(least));
});

test("packets of the negotiated telephone-event payload type are never decoded as audio", () => {
  const audio = new IncomingAudio(8000);
  assert.deepEqual(audio.connect("PCMU", 0, 9), [0, 8, 13, 9]);
  const peer = new Peer();
  const packets = Array.from({ length: 20 }, (_, i) => ({
    atMs: i * FRAME_MS,
    packet: peer.say("G722", 9, FRAME_MS),
  }));
  assert.equal(levelOf(hear(audio, packets)) || 0, 0);
});

test("a sender that restarts with another SSRC is still decoded", () => {
  const audio = new IncomingAudio(8000);
  audio.connect("PCMU", 0, undefined);
  const peer = new Peer();
  const packets = Array.from({ length: 100 }, (_, i) => {
    if (i === 50) [peer.ssrc, peer.sequenceNumber] = [2, 40_000];
    return { atMs: i * FRAME_MS, packet: peer.say("PCMU", 0, FRAME_MS) };
  });
  const heard = hear(audio, packets);
  assert.ok(isEven(heard.subarray(-30 * 160, -10 * 160), 160));
  assert.ok(isEven(heard.subarray(0, 40 * 160), 160));
});

test("comfort noise is played from the peer's description until it speaks again", () => {
  const audio = new IncomingAudio(8000);
  audio.connect("PCMU", 0, undefined);
  const peer = new Peer();
  const packets: { atMs: number; packet: RtpPacket }[] = [];
  for (let i = 0; i < 20; i++) packets.push({ atMs: i * FRAME_MS, packet: peer.say("PCMU", 0, FRAME_MS) });
  packets.push({ atMs: 400, packet: peer.describeSilence(40, 600) });
  for (let i = 0; i < 20; i++)
    packets.push({ atMs: 1000 + i * FRAME_MS, packet: peer.say("PCMU", 0, FRAME_MS) });
  const heard = hear(audio, packets);
  assert.ok(isEven(heard.subarray(0, 19 * 160), 160));
  const [least, largest] = levels(heard.subarray(22 * 160, 45 * 160), 160);
  const expected = 32_767 * 10 ** (-40 / 20);
  assert.ok(least > expected * 0.8 && largest < expected * 1.2, `${least} to ${largest}`);
  assert.ok(isEven(heard.subarray(55 * 160, 65 * 160), 160));
});

test("the tap receives each packet at its playout time, and losses", () => {
  const told: [string, number, number][] = [];
  const audio = new IncomingAudio(16_000, {
    caller: (codec, payload, at) => told.push([codec, payload.length, at]),
    lost: (samples, at) => told.push(["lost", samples, at]),
    agent: () => assert.fail("this is the caller's side"),
  });
  audio.connect("PCMU", 0, undefined);
  const peer = new Peer();
  const packets = Array.from({ length: 40 }, (_, index) => {
    const packet = index < 30 ? peer.say("PCMU", 0, 30) : peer.say("G722", 9, 30);
    return { atMs: 30 * index, packet };
  });
  hear(
    audio,
    packets.filter((_, index) => index !== 10),
  );
  const [first] = told;
  assert.ok(first !== undefined);
  // Thirty milliseconds each, without a gap.
  assert.deepEqual(
    told.map(([, , at]) => at),
    told.map((_, index) => first[2] + index * 30 * 48),
  );
  assert.deepEqual(told[10]?.slice(0, 2), ["lost", 30 * 48]);
  assert.deepEqual(told[9]?.slice(0, 2), ["PCMU", 240]);
  assert.deepEqual(told[30]?.slice(0, 2), ["G722", 240]);
});
