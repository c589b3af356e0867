import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { createOpusEncoder, readWav, Resampler } from "@parley/audio";
import { createAudioCodec } from "../audio-codec.ts";
import { encodeRecording } from "./recording-encoder.ts";
import { type RecordingRateHz, type SpoolCodec } from "./recording-format.ts";
import { type RecordingSpool, RecordingSpools } from "./recording-spool.ts";

const RATE_HZ = 8000;
const FRAME = RATE_HZ / 50;
const FRAME_AT = 960;
/** Start of the agent's speech, in frames. */
const AGENT_FROM = 60;
/** A second in which the caller puts the agent on hold: nothing passes. */
const HOLD = { from: 150, to: 200 };

const isInstalled = spawnSync("ffmpeg", ["-version"]).status === 0;

/** Packets of one voice as they would pass, by frames of 20 ms. */
type Packets = readonly Uint8Array[];

describe("a recording made from a spool", { skip: isInstalled ? false : "ffmpeg is not installed" }, () => {
  let folder: string;
  let speech: { caller: Int16Array; agent: Int16Array };
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "parley-recording-"));
    speech = {
      caller: await readSpeech("sense-and-sensibility-0870.wav"),
      agent: await readSpeech("go-forward.wav"),
    };
  });
  after(async () => await rm(folder, { recursive: true }));

  /** Writes both sides frame by frame, as a call does. The caller's seventh packet of every fifty is lost. */
  async function record(
    name: string,
    sampleRateHz: RecordingRateHz,
    packets: Record<"caller" | "agent", { codec: SpoolCodec; packets: Packets }>,
  ): Promise<string> {
    const spools = new RecordingSpools({ folder, onError: (error) => assert.fail(String(error)) });
    const spool: RecordingSpool = spools.open(name, sampleRateHz);
    const { caller, agent } = packets;
    const frames = Math.max(caller.packets.length, AGENT_FROM + agent.packets.length);
    for (let frame = 0; frame < frames; frame++) {
      if (frame >= HOLD.from && frame < HOLD.to) continue;
      const at = frame * FRAME_AT;
      const heard = caller.packets[frame];
      if (heard !== undefined && frame % 50 === 7) spool.lost(FRAME_AT, at);
      else if (heard !== undefined) spool.caller(caller.codec, heard, at);
      const said = agent.packets[frame - AGENT_FROM];
      if (said !== undefined) spool.agent(agent.codec, said, at);
    }
    await spools.close();
    return path.join(folder, `${name}.ended`);
  }

  /** Left and right at 8 kHz. */
  function decode(file: string): { left: Int16Array; right: Int16Array } {
    const { stdout, stderr } = spawnSync(
      "ffmpeg",
      ["-v", "warning", "-i", file, "-f", "s16le", "-ar", "8000", "-"],
      {
        maxBuffer: 2 ** 26,
      },
    );
    assert.equal(String(stderr), "");
    const samples = new Int16Array(new Uint8Array(stdout).buffer);
    return {
      left: samples.filter((_, index) => index % 2 === 0),
      right: samples.filter((_, index) => index % 2 === 1),
    };
  }

  function assertHolds(file: string, what: string): void {
    const { left, right } = decode(file);
    const { caller, agent } = speech;
    for (const [from, to] of [
      [0, 140],
      [210, 340],
    ] as const) {
      const part = caller.subarray(from * FRAME, to * FRAME);
      const { likeness, lag } = bestMatch(part, left, from * FRAME);
      assert.ok(likeness > 0.85, `${what}: caller ${likeness}`);
      assert.ok(Math.abs(lag) <= 32, `${what}: caller moved by ${lag} samples`);
    }
    const part = agent.subarray(0, 85 * FRAME);
    const { likeness, lag } = bestMatch(part, right, AGENT_FROM * FRAME);
    assert.ok(likeness > 0.85, `${what}: agent ${likeness}`);
    assert.ok(Math.abs(lag) <= 32, `${what}: agent moved by ${lag} samples`);
    // Each side for itself: before the agent's first word its side is still.
    assert.ok(energy(right, 0, AGENT_FROM - 2) < energy(left, 0, AGENT_FROM - 2) / 1000, what);
    assert.ok(energy(left, HOLD.from + 5, HOLD.to - 5) < 100, `${what}: silence on hold`);
  }

  test("has both voices of a phone call at their times, over losses and a hold", async () => {
    const spool = await record("phone", 8000, {
      caller: { codec: "PCMA", packets: phonePackets("PCMA", speech.caller) },
      agent: { codec: "PCMU", packets: phonePackets("PCMU", speech.agent) },
    });
    const file = path.join(folder, "phone.opus");
    const durationMs = await encodeRecording(spool, file);
    const frames = Math.max(speech.caller.length, AGENT_FROM * FRAME + speech.agent.length) / FRAME;
    assert.ok(Math.abs((durationMs ?? 0) - frames * 20) <= 20, `${durationMs}`);
    assertHolds(file, "G.711");
    const probe = spawnSync("ffprobe", [
      "-v",
      "error",
      "-show_entries",
      "format=duration",
      "-of",
      "csv=p=0",
      file,
    ]);
    assert.ok(Math.abs(Number(String(probe.stdout)) * 1000 - (durationMs ?? 0)) < 10);
  });

  test("supports G.722 and Opus, with a codec for each side", async () => {
    const opus = await createOpusEncoder({ sampleRate: 8000, channels: 1, bitrate: 24_000 });
    // What the codec delays has been left out by the sender.
    const agent = framesOf(speech.agent).map((frame) => opus.encode(frame));
    opus.free();
    const spool = await record("mixed", 48_000, {
      caller: { codec: "G722", packets: phonePackets("G722", speech.caller) },
      agent: { codec: "opus", packets: agent },
    });
    const file = path.join(folder, "mixed.opus");
    assert.ok((await encodeRecording(spool, file)) !== undefined);
    const { left, right } = decode(file);
    assert.ok(bestMatch(speech.caller.subarray(0, 140 * FRAME), left, 0, 200).likeness > 0.85);
    assert.ok(
      bestMatch(speech.agent.subarray(0, 85 * FRAME), right, AGENT_FROM * FRAME, 200).likeness > 0.85,
    );
  });

  test("of a truncated spool contains everything up to the cut", async () => {
    const bytes = await readFile(path.join(folder, "phone.ended"));
    const cut = path.join(folder, "cut.spool");
    await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length / 2)));
    const file = path.join(folder, "cut.opus");
    const durationMs = await encodeRecording(cut, file);
    assert.ok(durationMs !== undefined && durationMs > 1_000);
    const { likeness } = bestMatch(speech.caller.subarray(0, 100 * FRAME), decode(file).left, 0);
    assert.ok(likeness > 0.85, `${likeness}`);
  });

  test("ignores invalid packets", async () => {
    const noise = Array.from({ length: 100 }, (_, index) =>
      new Uint8Array(1 + ((index * 37) % 90)).fill(index * 91),
    );
    const spool = await record("noise", 48_000, {
      caller: { codec: "opus", packets: noise },
      agent: { codec: "G722", packets: noise },
    });
    assert.ok((await encodeRecording(spool, path.join(folder, "noise.opus"))) !== undefined);
  });

  test("is not made from a file that is not a spool", async () => {
    const file = path.join(folder, "other.spool");
    await writeFile(file, "short");
    assert.equal(await encodeRecording(file, path.join(folder, "other.opus")), undefined);
    assert.equal(existsSync(path.join(folder, "other.opus")), false);
  });
});

async function readSpeech(name: string): Promise<Int16Array> {
  const wav = readWav(await readFile(new URL(`../../../../../bench/recordings/${name}`, import.meta.url)));
  assert.equal(wav.sampleRateHz, 16_000);
  return new Resampler(16_000, RATE_HZ).process(wav.pcm);
}

function framesOf(pcm: Int16Array, samples = FRAME): Int16Array[] {
  return Array.from({ length: Math.floor(pcm.length / samples) }, (_, index) =>
    pcm.slice(index * samples, (index + 1) * samples),
  );
}

function phonePackets(name: "PCMU" | "PCMA" | "G722", speech: Int16Array): Packets {
  const codec = createAudioCodec(name);
  const pcm = new Resampler(RATE_HZ, codec.sampleRateHz).process(speech);
  return framesOf(pcm, codec.sampleRateHz / 50).map((frame) => codec.encode(frame, new Uint8Array(FRAME)));
}

/** Normalized correlation at the best place within so many samples of the expected one. */
function bestMatch(
  expected: Int16Array,
  actual: Int16Array,
  from: number,
  reach = 80,
): { likeness: number; lag: number } {
  let best = { likeness: -1, lag: 0 };
  for (let lag = -reach; lag <= reach; lag++) {
    let [product, a, b] = [0, 0, 0];
    for (let index = 0; index < expected.length; index++) {
      const [x, y] = [expected[index] ?? 0, actual[from + lag + index] ?? 0];
      product += x * y;
      a += x * x;
      b += y * y;
    }
    const likeness = product / Math.sqrt(a * b);
    if (likeness > best.likeness) best = { likeness, lag };
  }
  return best;
}

/** Mean square over frames. */
function energy(pcm: Int16Array, from: number, to: number): number {
  const part = pcm.subarray(from * FRAME, to * FRAME);
  return part.reduce((sum, sample) => sum + sample * sample, 0) / part.length;
}
