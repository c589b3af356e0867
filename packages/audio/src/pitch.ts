import { Resampler, type ResamplerRateHz } from "./resampler.ts";

const RATE_HZ = 8000;
const FRAME_SAMPLES = 320;
const HOP_SAMPLES = 80;
/** Range of voices: a low man to a child. */
const MIN_PITCH_HZ = 60;
const MAX_PITCH_HZ = 420;
/** Least clarity of a voiced frame (0–1). */
const MIN_CLARITY = 0.7;
/** A peak that is nearly as high as the highest one, at a shorter lag, is the period. */
const PEAK_SHARE = 0.9;
/** Frames this far below the loudest (−30 dB) are pauses. */
const PAUSE_SHARE = 0.001;

/** Pitch of a voiced stretch of 10 ms. */
export interface PitchPoint {
  atSeconds: number;
  hz: number;
}

/**
 * Tracks the pitch of one voice by the normalized square difference (P. McLeod, G. Wyvill, "A smarter way to find pitch",
 * 2005). Unvoiced stretches have no points.
 */
export function trackPitch(pcm: Int16Array, sampleRateHz: ResamplerRateHz): PitchPoint[] {
  const samples = Float64Array.from(new Resampler(sampleRateHz, RATE_HZ).process(pcm));
  const frames = Math.max(0, Math.floor((samples.length - FRAME_SAMPLES) / HOP_SAMPLES) + 1);
  const frameAt = (frame: number): Float64Array =>
    samples.subarray(frame * HOP_SAMPLES, frame * HOP_SAMPLES + FRAME_SAMPLES);
  const energies = Float64Array.from({ length: frames }, (_, frame) =>
    frameAt(frame).reduce((sum, sample) => sum + sample * sample, 0),
  );
  const loudest = energies.reduce((most, energy) => Math.max(most, energy), 0);
  const points: PitchPoint[] = [];
  for (let frame = 0; frame < energies.length; frame++) {
    if ((energies[frame] ?? 0) <= loudest * PAUSE_SHARE) continue;
    const hz = findPitch(frameAt(frame));
    if (hz !== undefined) points.push({ atSeconds: (frame * HOP_SAMPLES) / RATE_HZ, hz });
  }
  return points;
}

/** The middle of all values; `undefined` if there are none. */
export function medianPitch(points: readonly PitchPoint[]): number | undefined {
  return points.map(({ hz }) => hz).sort((a, b) => a - b)[Math.floor(points.length / 2)];
}

function findPitch(frame: Float64Array): number | undefined {
  const first = Math.floor(RATE_HZ / MAX_PITCH_HZ);
  const last = Math.ceil(RATE_HZ / MIN_PITCH_HZ);
  const clarity = new Float64Array(last + 2);
  for (let lag = first - 1; lag < clarity.length; lag++) clarity[lag] = clarityAt(frame, lag);
  const peaks: number[] = [];
  for (let lag = first; lag <= last; lag++) {
    const [before = 0, here = 0, after = 0] = clarity.subarray(lag - 1, lag + 2);
    if (here >= before && here > after && here >= MIN_CLARITY) peaks.push(lag);
  }
  const highest = Math.max(...peaks.map((lag) => clarity[lag] ?? 0));
  const period = peaks.find((lag) => (clarity[lag] ?? 0) >= PEAK_SHARE * highest);
  return period && RATE_HZ / (period + parabolicOffset(clarity, period));
}

function clarityAt(frame: Float64Array, lag: number): number {
  let product = 0;
  let energy = 0;
  for (let at = 0; at + lag < frame.length; at++) {
    const [a, b] = [frame[at] ?? 0, frame[at + lag] ?? 0];
    product += a * b;
    energy += a * a + b * b;
  }
  return energy === 0 ? 0 : (2 * product) / energy;
}

/** Distance of a peak from its highest sample, by a parabola through it and its neighbors. */
function parabolicOffset(values: Float64Array, at: number): number {
  const [before = 0, here = 0, after = 0] = values.subarray(at - 1, at + 2);
  const bend = before - 2 * here + after;
  return bend === 0 ? 0 : (before - after) / (2 * bend);
}
