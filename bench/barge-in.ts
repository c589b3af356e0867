/**
 * Time until the agent falls silent when the caller interrupts: `npm run bench -- barge-in [--json]`.
 *
 * A whole platform with its local models; one call for each barge-in, at a seeded moment of a long greeting, with
 * recordings of people. Measured at the caller's socket, detection included: from the packet with the first sample of
 * speech (by energy) to the agent's last packet that is not silent. Omits calls in which the agent would have paused at
 * that moment anyway. `--json` ends with the figures as JSON on the last line. Goal: p50 ≤ 300 ms, p95 ≤ 500 ms.
 */
import { createAgent } from "../e2e/support/platform/agents.ts";
import { Platform } from "../e2e/support/platform/platform.ts";
import { seededRandom } from "@parley/testing";
import { FRAME_SAMPLES, readRecording } from "../e2e/support/audio/recordings.ts";
import { type HeardPacket, TestCaller } from "../e2e/support/phone/test-caller.ts";
import { percentile, rounded, sumOf } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const BARGE_INS = 20;
const MAX_ATTEMPTS = 50;
const SEED = 7;
const FRAME_MS = 20;
/**
 * Speech begins in the first 10 ms whose power reaches this share (−17 dB) of the loudest: breath and noise come
 * before.
 */
const ONSET_SHARE = 0.02;
const ONSET_WINDOW_SAMPLES = 80;
/** Peak of packets that count as silent: about −58 dBFS. */
const SILENT_PEAK = 40;
/** Longer than the agent's pauses, shorter than any of these recordings with the wait for an answer. */
const STOPPED_MS = 1_000;

const GREETING_DEADLINE_MS = 60_000;

const recordings = ["go-forward.wav", "go-somewhere.wav", "digits.wav", "sense-and-sensibility-0880.wav"];
const greeting =
  "Welcome to the model railway club. Our club house stands behind the old station, ten meters to the left. " +
  "We are open on Saturday from nine to one, and children are always welcome to drive the trains. " +
  "Every first Saturday of the month we run the great steam engine in the yard, whatever the weather may be. " +
  "Visitors are asked to leave their bags at the door and to keep their hands away from the rails.";

interface BargeIn {
  recording: string;
  intoSpeechMs: number;
  /** Time from the caller's first sample of speech to the agent's last packet that is not silent. */
  stopMs: number;
}

function onsetMs(pcm: Int16Array): number {
  const powers: number[] = [];
  for (let at = 0; at + ONSET_WINDOW_SAMPLES <= pcm.length; at += ONSET_WINDOW_SAMPLES) {
    powers.push(sumOf(Array.from(pcm.subarray(at, at + ONSET_WINDOW_SAMPLES), (sample) => sample ** 2)));
  }
  const loudest = Math.max(...powers);
  const window = powers.findIndex((power) => power >= ONSET_SHARE * loudest);
  return Math.floor((window * ONSET_WINDOW_SAMPLES) / FRAME_SAMPLES) * FRAME_MS;
}

function isSilent(pcm: Int16Array): boolean {
  return pcm.every((sample) => Math.abs(sample) <= SILENT_PEAK);
}

/** Last packet of the utterance in progress at that moment; sound after a long silence is the answer. */
function lastBeforeStop(heard: readonly HeardPacket[], atMs: number): HeardPacket | undefined {
  let last: HeardPacket | undefined;
  for (const packet of heard) {
    if (isSilent(packet.pcm)) continue;
    if (last !== undefined && packet.atMs > atMs && packet.atMs - last.atMs > STOPPED_MS) return last;
    last = packet;
  }
  return last;
}

/** Indexes of the greeting's packets, from its first sound, that are not silent. */
async function hearGreeting(platform: Platform, number: string): Promise<boolean[]> {
  const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550800000" });
  try {
    await caller.agentToFinish({ silenceMs: STOPPED_MS, deadlineMs: GREETING_DEADLINE_MS });
    const sounds = caller.heard.map(({ pcm }) => !isSilent(pcm));
    return sounds.slice(sounds.indexOf(true));
  } finally {
    await caller.hangUp();
  }
}

/**
 * `undefined` if the agent would have paused at this moment anyway, because the time of its stop cannot be measured
 * then.
 */
async function bargeIn(
  platform: Platform,
  { number, sounds }: { number: string; sounds: readonly boolean[] },
  { recording, intoSpeechMs }: Pick<BargeIn, "recording" | "intoSpeechMs">,
): Promise<BargeIn | undefined> {
  const pcm = await readRecording(recording);
  const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550800001" });
  try {
    await caller.agentToSpeak({ ms: intoSpeechMs });
    const { startedAtMs } = await caller.say(pcm);
    const spokeAtMs = startedAtMs + onsetMs(pcm);
    const last = lastBeforeStop(caller.heard, spokeAtMs);
    if (last === undefined) return undefined;
    const first = caller.heard.findIndex((packet) => !isSilent(packet.pcm));
    const wouldGoOn = sounds[caller.heard.indexOf(last) - first + 1] === true;
    return wouldGoOn ? { recording, intoSpeechMs, stopMs: last.atMs - spokeAtMs } : undefined;
  } finally {
    await caller.hangUp();
  }
}

async function main(): Promise<void> {
  const yardstick = new Yardstick();
  const random = seededRandom(SEED);
  const platform = await Platform.start();
  const results: BargeIn[] = [];
  try {
    const { number } = await createAgent(platform, { firstMessage: greeting, voiceId: null });
    const greetingHeard = { number, sounds: await hearGreeting(platform, number) };
    for (let attempt = 0; attempt < MAX_ATTEMPTS && results.length < BARGE_INS; attempt++) {
      const recording = recordings[Math.floor(random() * recordings.length)] ?? "";
      const result = await bargeIn(platform, greetingHeard, {
        recording,
        intoSpeechMs: Math.round(500 + random() * 3500),
      });
      if (result === undefined) continue;
      results.push(result);
      console.log(
        `${String(Math.round(result.stopMs)).padStart(5)} ms   ${result.recording.padEnd(32)} ${result.intoSpeechMs} ms into the speech`,
      );
    }
  } finally {
    await platform.stop();
  }
  const stops = results.map(({ stopMs }) => stopMs);
  const figures = {
    bargeIns: stops.length,
    p50Ms: rounded(percentile(stops, 0.5), 0),
    p95Ms: rounded(percentile(stops, 0.95), 0),
    largestMs: rounded(Math.max(...stops), 0),
  };
  console.log(
    `\n${figures.bargeIns} barge-ins: p50 ${figures.p50Ms} ms (goal 300), p95 ${figures.p95Ms} ms (goal 500), largest ${figures.largestMs} ms`,
  );
  const report = yardstick.finish({ "barge-in p50": figures.p50Ms, "barge-in p95": figures.p95Ms });
  if (process.argv.includes("--json")) console.log(JSON.stringify({ ...figures, ...report }));
}

await main();
