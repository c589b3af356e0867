/** Opus both ways, as a call in the browser does it: the codec is WebAssembly, the network seeded. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createOpusDecoder, createOpusEncoder, OpusApplication, readWav } from "@parley/audio";
import { type OpusPacket, WebOutgoingAudio } from "./web-outgoing-audio.ts";
import { WebIncomingAudio } from "./web-incoming-audio.ts";
import { FRAME_MS, FRAME_SAMPLES, opusSamplesIn, WEB_SAMPLE_RATE_HZ } from "./web-opus.ts";

const recording = new URL("../../../../../bench/recordings/go-forward.wav", import.meta.url);
const { pcm: speech } = readWav(await readFile(recording));
const frames = Array.from({ length: Math.floor(speech.length / FRAME_SAMPLES) }, (_, index) =>
  speech.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES),
);

async function say(pcm: readonly (Int16Array | undefined)[], lossFraction = 0): Promise<OpusPacket[]> {
  const encoder = await createOpusEncoder({
    sampleRate: WEB_SAMPLE_RATE_HZ,
    channels: 1,
    application: OpusApplication.Voip,
    bitrate: 28_000,
    complexity: 0,
    frameSize: FRAME_SAMPLES,
  });
  const packets: OpusPacket[] = [];
  const outgoing = new WebOutgoingAudio(encoder, (packet) => packets.push(packet), undefined);
  outgoing.expectLoss(lossFraction);
  pcm.forEach((frame, index) => outgoing.write(frame, index));
  encoder.free();
  return packets;
}

/** Hears `packets`, of which `isLost` do not come. */
async function hear(packets: readonly OpusPacket[], isLost: (index: number) => boolean): Promise<Int16Array> {
  const decoder = await createOpusDecoder({ sampleRate: WEB_SAMPLE_RATE_HZ, channels: 1 });
  const incoming = new WebIncomingAudio(decoder, undefined);
  incoming.connect(111);
  const heard: number[] = [];
  const last = packets.at(-1)?.timestamp ?? 0;
  const arriving = packets.map((packet, index) => ({ ...packet, index }));
  const frame = new Int16Array(FRAME_SAMPLES);
  for (let nowMs = 0; nowMs <= last / 48 + 200; nowMs += FRAME_MS) {
    while (arriving[0] !== undefined && arriving[0].timestamp / 48 <= nowMs) {
      const { index, payload, timestamp, marker } = arriving.shift() ?? assert.fail();
      if (isLost(index)) continue;
      incoming.push({ payloadType: 111, sequenceNumber: index, ssrc: 1, payload, timestamp, marker }, nowMs);
    }
    incoming.read(frame, nowMs, nowMs / FRAME_MS);
    heard.push(...frame);
  }
  decoder.free();
  return Int16Array.from(heard);
}

const energyOf = (pcm: Int16Array): number => pcm.reduce((sum, sample) => sum + sample ** 2, 0) / pcm.length;

/** How well `heard` follows `original`, 0 to 1, at the delay that fits best. */
function likeness(original: Int16Array, heard: Int16Array): number {
  let best = 0;
  for (let delay = 0; delay < 2000; delay += 4) {
    let [product, a, b] = [0, 0, 0];
    for (let i = 0; i + delay < heard.length && i < original.length; i += 4) {
      const [x, y] = [original[i] ?? 0, heard[i + delay] ?? 0];
      product += x * y;
      a += x * x;
      b += y * y;
    }
    best = Math.max(best, product / Math.sqrt(a * b || 1));
  }
  return best;
}

test("speech arrives unchanged", async () => {
  const heard = await hear(await say(frames), () => false);
  assert.ok(likeness(speech, heard) > 0.8);
});

test("ten percent of lost packets are restored from the packets after them, better than by concealment alone", async () => {
  const isLost = (index: number): boolean => index % 10 === 7;
  const guarded = likeness(speech, await hear(await say(frames, 0.15), isLost));
  const unguarded = likeness(speech, await hear(await say(frames), isLost));
  assert.ok(guarded > 0.75, `${guarded}`);
  assert.ok(guarded > unguarded, `${guarded}, ${unguarded}`);
});

test("a silent agent sends a packet every 400 ms, and its next speech arrives from the first word", async () => {
  const silence = Array.from<undefined>({ length: 200 });
  const packets = await say([...frames, ...silence, ...frames]);
  const between = packets.filter(({ timestamp }) => {
    const index = timestamp / 960 - frames.length;
    return index >= 10 && index < 200;
  });
  assert.equal(between.length, 10);
  assert.ok(between.every(({ payload }) => payload.length === 1));
  assert.equal(packets.filter(({ marker }) => marker).length, 1);
  const heard = await hear(packets, () => false);
  const [first, second] = [heard.subarray(0, heard.length / 2), heard.subarray(heard.length / 2)];
  assert.ok(energyOf(second) > energyOf(first) / 2);
});

test("invalid Opus is ignored, and later packets are decoded", async () => {
  const packets = await say(frames);
  const broken = packets.map((packet, index) =>
    index % 9 === 4 ? { ...packet, payload: Uint8Array.of(0xff, index, 0xff) } : packet,
  );
  assert.ok(energyOf(await hear(broken, () => false)) > energyOf(speech) / 4);
});

test("the duration of a packet is read from its first byte", () => {
  assert.equal(opusSamplesIn(Uint8Array.of(0x08)), 960);
  assert.equal(opusSamplesIn(Uint8Array.of(0x78)), 960);
  assert.equal(opusSamplesIn(Uint8Array.of(0x83, 0x04)), 480);
  assert.equal(opusSamplesIn(Uint8Array.of(0x1b, 0x3f)), undefined);
  assert.equal(opusSamplesIn(new Uint8Array(0)), undefined);
});
