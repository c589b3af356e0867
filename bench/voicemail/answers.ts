import { createHash } from "node:crypto";
import { decodePcma, decodePcmu, encodePcma, encodePcmu } from "@parley/audio";
import { seededRandom } from "@parley/testing";
import { addInto, babble, roomNoise, SAMPLE_RATE_HZ, SAMPLES_PER_MS, scaled } from "../turns/sounds.ts";
import type { Clip } from "./corpus.ts";
import type { SetName } from "./texts.ts";

export type AnswerKind = "human" | "machine" | "screening" | "fax" | "silence";

/** The callee's side of a call, from the answer on, as it arrives over G.711. */
export interface Answer {
  id: string;
  set: SetName;
  kind: AnswerKind;
  pcm: Int16Array;
  /** Start and end of the callee's speech or tone. */
  fromMs: number;
  toMs: number;
}

/** Calls made of each clip, with different pitch, pace, noise, level, codec, beep and delay of the first word. */
const CALLS_EACH = { human: 3, machine: 4, screening: 3 } as const;
const OTHERS_EACH = 20;
/** Time after the speech in which the other side waits for the agent. */
const TAIL_MS = 4_000;

type Random = () => number;

/** The calls of a set, each made from the same seed in every run. */
export function buildAnswers(set: SetName, clips: readonly Clip[]): Answer[] {
  const own = clips.filter((clip) => clip.set === set);
  const voices = own.filter(({ by }) => by === "human").map(({ pcm }) => pcm);
  const spoken = own.flatMap((clip) =>
    Array.from({ length: CALLS_EACH[clip.by] }, (_, take) =>
      buildSpoken(clip, take, voices, seededBy(`${clip.voice} ${clip.text} ${take}`)),
    ),
  );
  const others = Array.from({ length: OTHERS_EACH }, (_, index) => [
    buildFax(set, index, seededBy(`${set} fax ${index}`)),
    buildSilence(set, index, voices, seededBy(`${set} silence ${index}`)),
  ]).flat();
  return [...spoken, ...others];
}

function seededBy(name: string): Random {
  return seededRandom(createHash("sha256").update(name).digest().readUInt32LE());
}

function buildSpoken(clip: Clip, take: number, voices: readonly Int16Array[], random: Random): Answer {
  const speech = resampled(clip.pcm, 0.88 + random() * 0.26);
  // People answer while they lift the telephone; mailboxes begin later.
  const fromMs = clip.by === "human" ? 150 + random() * 900 : 250 + random() * 1_000;
  const beep = clip.by === "machine" && take % 2 === 0 ? beepOf(random) : new Int16Array();
  const gapMs = 150 + random() * 700;
  const toMs = fromMs + speech.length / SAMPLES_PER_MS;
  const lengthMs = toMs + gapMs + beep.length / SAMPLES_PER_MS + TAIL_MS;
  const pcm = new Int16Array(Math.round(lengthMs * SAMPLES_PER_MS));
  addInto(pcm, Math.round(fromMs * SAMPLES_PER_MS), scaled(speech, 0.4 + random() * 1.2));
  addInto(pcm, Math.round((toMs + gapMs) * SAMPLES_PER_MS), beep);
  const id = `${clip.set} ${clip.by} ${clip.voice} ${take}: ${clip.text}`;
  return { id, set: clip.set, kind: clip.by, pcm: overLine(pcm, voices, random), fromMs, toMs };
}

function buildFax(set: SetName, index: number, random: Random): Answer {
  const fromMs = 300 + random() * 1_500;
  const durationMs = 2_600 + random() * 1_400;
  const pcm = new Int16Array(Math.round((fromMs + durationMs + TAIL_MS) * SAMPLES_PER_MS));
  addInto(
    pcm,
    Math.round(fromMs * SAMPLES_PER_MS),
    sine(2_100, durationMs, 2_500 + random() * 6_000, index % 2 === 1),
  );
  return {
    id: `${set} fax ${index}`,
    set,
    kind: "fax",
    pcm: overLine(pcm, [], random),
    fromMs,
    toMs: fromMs + durationMs,
  };
}

function buildSilence(set: SetName, index: number, voices: readonly Int16Array[], random: Random): Answer {
  const pcm = overLine(new Int16Array(8_000 * SAMPLES_PER_MS), voices, random);
  return { id: `${set} silence ${index}`, set, kind: "silence", pcm, fromMs: 0, toMs: 0 };
}

/** Noise of the room or of other people, and G.711. */
function overLine(clean: Int16Array, voices: readonly Int16Array[], random: Random): Int16Array {
  const pcm = clean.slice();
  const place = random();
  if (place < 0.35) addInto(pcm, 0, roomNoise(pcm.length, 15 + random() * 40, random));
  else if (place < 0.75) addInto(pcm, 0, roomNoise(pcm.length, 80 + random() * 300, random));
  else if (voices.length > 0) addInto(pcm, 0, babble(pcm.length, 40 + random() * 110, voices, random));
  return random() < 0.5 ? decodePcmu(encodePcmu(pcm)) : decodePcma(encodePcma(pcm));
}

function beepOf(random: Random): Int16Array {
  const frequencies = [440, 620, 800, 1_000, 1_000, 1_400, 1_850];
  const frequencyHz = frequencies[Math.floor(random() * frequencies.length)] ?? 1_000;
  return sine(frequencyHz, 180 + random() * 900, 1_500 + random() * 6_000, false);
}

/** A tone; with phase reversals every 450 ms, as fax machines send them (ITU-T V.25). */
function sine(frequencyHz: number, durationMs: number, amplitude: number, isReversed: boolean): Int16Array {
  return Int16Array.from({ length: Math.round(durationMs * SAMPLES_PER_MS) }, (_, at) => {
    const sign = isReversed && Math.floor(at / SAMPLES_PER_MS / 450) % 2 === 1 ? -1 : 1;
    return sign * amplitude * Math.sin((2 * Math.PI * frequencyHz * at) / SAMPLE_RATE_HZ);
  });
}

/** The same speech faster and higher (`factor` above 1), or slower and lower. */
function resampled(pcm: Int16Array, factor: number): Int16Array {
  return Int16Array.from({ length: Math.floor((pcm.length - 1) / factor) }, (_, at) => {
    const place = at * factor;
    const before = Math.floor(place);
    const share = place - before;
    return (pcm[before] ?? 0) * (1 - share) + (pcm[before + 1] ?? 0) * share;
  });
}
