import {
  medianPitch,
  type MonoAudio,
  type PitchPoint,
  Resampler,
  speechRate,
  trackPitch,
} from "@parley/audio";

/** Sample rate of the measured sound, and length of the windows of voice activity detection. */
export const MEASURED_RATE_HZ = 16_000;
export const WINDOW_SAMPLES = 512;

const SPEECH_PROBABILITY = 0.5;
const PAUSE_PROBABILITY = 0.1;
/** Windows beside speech, in which it may begin or fade. */
const MARGIN_WINDOWS = 3;
/** Fewer pauses do not show the noise; the quietest windows are taken instead. */
const MIN_PAUSE_WINDOWS = 10;
const QUIETEST_SHARE = 0.05;
const CLIPPED_LEVEL = 0.98;
/** Power of 16-bit silence with dither. */
const SILENT_POWER = 1e-9;

/** What is known about the recording of a voice. */
export interface SampleMeasures {
  /** Of the file. */
  sampleRateHz: number;
  seconds: number;
  speechSeconds: number;
  /** Level of the speech without pauses, in dBFS; −90 without speech. */
  speechLevelDb: number;
  /** Level of the speech above that of the pauses. */
  signalToNoiseDb: number;
  /** Share of the samples that are at the limit of the scale. */
  clippedShare: number;
  /** Median; `undefined` without voiced speech. */
  pitchHz: number | undefined;
  syllablesPerSecond: number;
  /** Pitches of two groups of phrases that differ as those of two speakers do; `undefined` for one group. */
  speakerPitchesHz: readonly [number, number] | undefined;
}

/**
 * @param sound As decoded.
 * @param pcm The same at `MEASURED_RATE_HZ`.
 * @param probabilities Of speech, one per window of `pcm`.
 */
export function measureSample(
  sound: MonoAudio,
  pcm: Int16Array,
  probabilities: readonly number[],
): SampleMeasures {
  const powers = probabilities.map((_, window) => powerOf(pcm, window));
  const isSpeech = probabilities.map((probability) => probability >= SPEECH_PROBABILITY);
  const speech = powers.filter((_, window) => isSpeech[window]);
  const speechPower = mean(speech);
  const noisePower = noiseOf(powers, probabilities, isSpeech);
  const spoken = onlySpeech(pcm, isSpeech);
  const pitches = trackPitch(pcm, MEASURED_RATE_HZ);
  const clipped = sound.samples.reduce(
    (count, sample) => (Math.abs(sample) >= CLIPPED_LEVEL ? count + 1 : count),
    0,
  );
  return {
    sampleRateHz: sound.sampleRateHz,
    seconds: sound.samples.length / sound.sampleRateHz,
    speechSeconds: (speech.length * WINDOW_SAMPLES) / MEASURED_RATE_HZ,
    speechLevelDb: toDb(speechPower),
    signalToNoiseDb: toDb(Math.max(SILENT_POWER, speechPower - noisePower)) - toDb(noisePower),
    clippedShare: clipped / Math.max(1, sound.samples.length),
    pitchHz: medianPitch(pitches),
    syllablesPerSecond: speechRate(
      Float32Array.from(spoken, (sample) => sample / 32_768),
      MEASURED_RATE_HZ,
    ),
    speakerPitchesHz: findSpeakers(pitches),
  };
}

function powerOf(pcm: Int16Array, window: number): number {
  let sum = 0;
  for (let at = window * WINDOW_SAMPLES; at < (window + 1) * WINDOW_SAMPLES; at++)
    sum += ((pcm[at] ?? 0) / 32_768) ** 2;
  return sum / WINDOW_SAMPLES;
}

function noiseOf(
  powers: readonly number[],
  probabilities: readonly number[],
  isSpeech: readonly boolean[],
): number {
  const pauses = powers.filter((_, window) => {
    const near = isSpeech.slice(Math.max(0, window - MARGIN_WINDOWS), window + MARGIN_WINDOWS + 1);
    return (probabilities[window] ?? 0) < PAUSE_PROBABILITY && !near.includes(true);
  });
  if (pauses.length >= MIN_PAUSE_WINDOWS) return Math.max(SILENT_POWER, mean(pauses));
  const quietest = powers.toSorted((a, b) => a - b).slice(0, Math.ceil(powers.length * QUIETEST_SHARE));
  return Math.max(SILENT_POWER, mean(quietest));
}

function onlySpeech(pcm: Int16Array, isSpeech: readonly boolean[]): Int16Array {
  const spoken = new Int16Array(isSpeech.filter(Boolean).length * WINDOW_SAMPLES);
  let at = 0;
  for (const [window, is] of isSpeech.entries()) {
    if (!is) continue;
    spoken.set(pcm.subarray(window * WINDOW_SAMPLES, (window + 1) * WINDOW_SAMPLES), at);
    at += WINDOW_SAMPLES;
  }
  return spoken;
}

const PHRASE_GAP_SECONDS = 0.25;
const MIN_PHRASE_POINTS = 20;
/** Ratio of two speakers' pitches, such as those of a man and a woman. One speaker's phrases differ less. */
const MIN_SPEAKER_RATIO = 1.4;
/** Share of the speech of the one who says less. */
const MIN_SPEAKER_SHARE = 0.2;
/** Distance of the groups relative to their own spread. */
const MIN_SEPARATION = 3;

/**
 * Divides the phrases into a lower and a higher group. Only pitch is compared: two speakers of similar pitch are one
 * group.
 */
function findSpeakers(points: readonly PitchPoint[]): [number, number] | undefined {
  const phrases: PitchPoint[][] = [];
  for (const point of points) {
    const phrase = phrases.at(-1);
    const last = phrase?.at(-1);
    if (phrase === undefined || last === undefined || point.atSeconds - last.atSeconds > PHRASE_GAP_SECONDS)
      phrases.push([point]);
    else phrase.push(point);
  }
  const long = phrases.filter(({ length }) => length >= MIN_PHRASE_POINTS);
  const logs = long.map((phrase) => Math.log(medianPitch(phrase) ?? 1)).sort((a, b) => a - b);
  let found: [number, number] | undefined;
  let widest = Math.log(MIN_SPEAKER_RATIO);
  for (let split = 1; split < logs.length; split++) {
    const [low, high] = [logs.slice(0, split), logs.slice(split)];
    const distance = mean(high) - mean(low);
    const spread = Math.sqrt((variance(low) * low.length + variance(high) * high.length) / logs.length);
    const share = Math.min(low.length, high.length) / logs.length;
    if (distance < widest || share < MIN_SPEAKER_SHARE || distance < MIN_SEPARATION * spread) continue;
    widest = distance;
    found = [Math.exp(mean(low)), Math.exp(mean(high))];
  }
  return found;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: readonly number[]): number {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
}

const toDb = (power: number): number => 10 * Math.log10(Math.max(SILENT_POWER, power));

/** Level of stored samples: root mean square of the speech, without pauses. */
const STORED_LEVEL_DB = -20;
const MAX_PEAK = 0.89;
const STORED_RATE_HZ = 24_000;

/** The sound as it is stored: mono, 24 kHz, the speech at −20 dBFS unless its peaks would exceed −1 dBFS. */
export function normalizeSample(
  { samples, sampleRateHz }: MonoAudio,
  { speechLevelDb }: Pick<SampleMeasures, "speechLevelDb">,
): { pcm: Int16Array; sampleRateHz: number } {
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-4);
  const gain = Math.min(10 ** ((STORED_LEVEL_DB - speechLevelDb) / 20), MAX_PEAK / peak);
  const pcm = Int16Array.from(samples, (sample) => Math.round(sample * gain * 32_767));
  return { pcm: new Resampler(sampleRateHz, STORED_RATE_HZ).process(pcm), sampleRateHz: STORED_RATE_HZ };
}
