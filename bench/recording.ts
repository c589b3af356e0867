/**
 * `npm run bench -- recording`: the cost of recording. First the spools of many calls in one process, in real time:
 * processor time and bytes per call, and the longest block of the event loop. Then the encoding of a recording from a
 * spool.
 */
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { encodePcmu, readWav, Resampler } from "@parley/audio";
import { encodeRecording } from "../apps/server/src/media/recording/recording-encoder.ts";
import { type RecordingSpool, RecordingSpools } from "../apps/server/src/media/recording/recording-spool.ts";
import { Yardstick } from "./support/yardstick.ts";

const CALLS = 200;
const SECONDS = 20;
const FRAME_MS = 20;
const FRAME_AT = 960;
/** Length of the call whose recording is encoded. */
const CALL_SECONDS = 300;

const folder = await mkdtemp(path.join(tmpdir(), "parley-bench-recording-"));
try {
  const yardstick = new Yardstick();
  yardstick.finish({
    "spooling, a second of a call": await measureSpools(),
    "encoding, a second of a call": await measureEncoding(),
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

/**
 * Processor milliseconds per second of a call. The calls are distributed over the phases of 20 ms, like on the media
 * wheel.
 */
async function measureSpools(): Promise<number> {
  const failures: unknown[] = [];
  const spools = new RecordingSpools({ folder, onError: (error) => failures.push(error) });
  const calls = Array.from({ length: CALLS }, (_, index) => spools.open(`call-${index}`, 8000));
  const payload = new Uint8Array(160).fill(0x55);
  const pass = (call: RecordingSpool, at: number): void => {
    call.caller("PCMU", payload, at);
    call.agent("PCMU", payload, at);
  };
  const lag = monitorEventLoopDelay({ resolution: 1 });
  const startedAtMs = performance.now();
  const idleMs = await run(() => {});
  lag.enable();
  const busyMs = await run((phase, frame) => {
    for (let index = phase; index < CALLS; index += FRAME_MS) {
      const call = calls[index];
      if (call !== undefined) pass(call, frame * FRAME_AT);
    }
  });
  lag.disable();
  await spools.close();
  const { size } = await stat(path.join(folder, "call-0.ended"));
  const cost = (busyMs - idleMs) / CALLS / SECONDS;
  console.log(
    `spooling ${CALLS} calls (G.711, both sides) for ${SECONDS} s: ${((1000 * cost) / 50).toFixed(1)} µs of processor time per ` +
      `call and 20 ms (${(cost / 10).toFixed(3)} % of a core per call), ${(size / SECONDS / 1000).toFixed(1)} kB/s per call; ` +
      `event loop late by p99 ${(lag.percentile(99) / 1e6).toFixed(1)} ms, at most ${(lag.max / 1e6).toFixed(1)} ms; ` +
      `${failures.length} given up; ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`,
  );
  return cost;
}

/** Calls `onPhase` every millisecond with the phase and the frame; returns the processor time of all calls. */
async function run(onPhase: (phase: number, frame: number) => void): Promise<number> {
  const before = process.cpuUsage();
  const startMs = performance.now();
  for (let tick = 0; tick < SECONDS * 1000;) {
    const dueTick = Math.min(SECONDS * 1000, Math.floor(performance.now() - startMs));
    for (; tick < dueTick; tick++) onPhase(tick % FRAME_MS, Math.floor(tick / FRAME_MS));
    await sleep(1);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Processor milliseconds per second of a call. */
async function measureEncoding(): Promise<number> {
  const wav = readWav(
    await readFile(new URL("./recordings/sense-and-sensibility-0870.wav", import.meta.url)),
  );
  const speech = new Resampler(16_000, 8000).process(wav.pcm);
  const spools = new RecordingSpools({ folder, onError: (error) => console.error(error) });
  const call = spools.open("speech", 8000);
  // Both parties speak in turns.
  for (let frame = 0; frame < CALL_SECONDS * 50; frame++) {
    const start = (frame * 160) % (speech.length - 160);
    const [spoken, silence] = [
      encodePcmu(speech.subarray(start, start + 160)),
      new Uint8Array(160).fill(0xff),
    ];
    const isCaller = Math.floor(frame / 350) % 2 === 0;
    call.caller("PCMU", isCaller ? spoken : silence, frame * FRAME_AT);
    call.agent("PCMU", isCaller ? silence : spoken, frame * FRAME_AT);
    if (frame % 500 === 0) await sleep(1);
  }
  await spools.close();
  const file = path.join(folder, "speech.opus");
  const before = process.cpuUsage();
  await encodeRecording(path.join(folder, "speech.ended"), file);
  const { user, system } = process.cpuUsage(before);
  const { size } = await stat(file);
  const cost = (user + system) / (CALL_SECONDS * 50);
  console.log(
    `making a recording of ${CALL_SECONDS} s of speech: ${cost.toFixed(0)} µs of processor time per 20 ms ` +
      `(${(20_000 / cost).toFixed(0)} times as fast as it was said), ${((size * 8) / CALL_SECONDS / 1000).toFixed(1)} kbit/s`,
  );
  return (cost * 50) / 1000;
}
