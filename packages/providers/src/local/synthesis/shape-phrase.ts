/** Length of the windows in which sound is told from silence. */
const WINDOW_MS = 5;
/** Threshold of sound relative to the loudest window (−36 dB), above any noise floor (−60 dBFS). */
const RELATIVE_THRESHOLD = 0.016;
const ABSOLUTE_THRESHOLD = 0.001;
const LEAD_MS = 30;
/** Time in which a word's last sound decays. */
const TAIL_MS = 60;
const FADE_MS = 5;

function windowLevels(samples: Float32Array, windowSamples: number): Float32Array {
  const levels = new Float32Array(Math.ceil(samples.length / windowSamples));
  for (let index = 0; index < levels.length; index++) {
    let energy = 0;
    const end = Math.min(samples.length, (index + 1) * windowSamples);
    for (let at = index * windowSamples; at < end; at++) {
      energy += (samples[at] ?? 0) ** 2;
    }
    levels[index] = Math.sqrt(energy / windowSamples);
  }
  return levels;
}

function fadeEdges(samples: Float32Array, fadeSamples: number, hasStart: boolean, hasEnd: boolean): void {
  const length = Math.min(fadeSamples, Math.floor(samples.length / 2));
  for (let at = 0; at < length; at++) {
    const gain = at / length;
    const mirrored = samples.length - 1 - at;
    if (hasStart) samples[at] = (samples[at] ?? 0) * gain;
    if (hasEnd) samples[mirrored] = (samples[mirrored] ?? 0) * gain;
  }
}

export interface PhraseShape {
  /** Silence after the phrase. */
  pauseMs: number;
  /** False for a part of a phrase after the first. Default true. */
  hasStart?: boolean;
  /** False for a part of a phrase before the last. Default true. */
  hasEnd?: boolean;
}

export interface ShapedPhrase {
  samples: Float32Array;
  /** Number of samples removed at the start. */
  cutSamples: number;
}

/**
 * Brings the audio of all models into one form: silence before and after the phrase is cut to 30 and 60 ms, edges are
 * faded, and the pause is added. Empty without sound.
 */
export function shapePhrase(
  samples: Float32Array,
  sampleRateHz: number,
  { pauseMs, hasStart = true, hasEnd = true }: PhraseShape,
): ShapedPhrase {
  const inSamples = (ms: number): number => Math.round((ms * sampleRateHz) / 1000);
  const windowSamples = inSamples(WINDOW_MS);
  const levels = windowLevels(samples, windowSamples);
  const loudest = levels.reduce((most, level) => Math.max(most, level), 0);
  const threshold = Math.max(ABSOLUTE_THRESHOLD, loudest * RELATIVE_THRESHOLD);
  const first = levels.findIndex((level) => level >= threshold);
  if (first < 0) {
    return { samples: new Float32Array(0), cutSamples: 0 };
  }
  const last = levels.findLastIndex((level) => level >= threshold);
  const start = hasStart ? Math.max(0, first * windowSamples - inSamples(LEAD_MS)) : 0;
  const end = hasEnd
    ? Math.min(samples.length, (last + 1) * windowSamples + inSamples(TAIL_MS))
    : samples.length;
  const shaped = new Float32Array(end - start + inSamples(pauseMs));
  const speech = shaped.subarray(0, end - start);
  speech.set(samples.subarray(start, end));
  fadeEdges(speech, inSamples(FADE_MS), hasStart, hasEnd);
  return { samples: shaped, cutSamples: start };
}
