import { Fourier } from "@parley/audio";

/** The model's training input: the last 8 s of a turn at 16 kHz, as Whisper's mel bands over frames of 10 ms. */
const FEATURE_SAMPLES = 128_000;
export const bands = 80;
export const frames = 800;
const SAMPLE_RATE_HZ = 16_000;
const WINDOW_SAMPLES = 400;
const HOP_SAMPLES = 160;
const BINS = WINDOW_SAMPLES / 2 + 1;
const MIN_POWER = 1e-10;
const MIN_VARIANCE = 1e-7;
/** Dynamic range below the loudest band, in decades. */
const RANGE_DECADES = 8;

const fourier = new Fourier(WINDOW_SAMPLES);
/** Periodic Hann window. */
const window = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW_SAMPLES),
);

/** The bins of a band with their weights. */
interface Band {
  firstBin: number;
  weights: Float64Array;
}

const NO_BAND: Band = { firstBin: 0, weights: new Float64Array(0) };

/** Slaney's scale: linear up to 1 kHz, which is mel 15, and logarithmic above. */
function toHertz(mel: number): number {
  return mel < 15 ? (mel * 200) / 3 : 1000 * 6.4 ** ((mel - 15) / 27);
}

/** Triangles of equal area, each extending to the middle of its neighbors. */
const melBands: readonly Band[] = (() => {
  const topMel = 15 + (27 * Math.log(SAMPLE_RATE_HZ / 2 / 1000)) / Math.log(6.4);
  const edgesHz = Array.from({ length: bands + 2 }, (_, at) => toHertz((topMel * at) / (bands + 1)));
  return Array.from({ length: bands }, (_, band): Band => {
    const [low = 0, middle = 0, high = 0] = edgesHz.slice(band, band + 3);
    const weights = Array.from({ length: BINS }, (__, bin) => {
      const hz = (bin * SAMPLE_RATE_HZ) / WINDOW_SAMPLES;
      const height = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle));
      return (2 * Math.max(0, height)) / (high - low);
    });
    const firstBin = weights.findIndex((weight) => weight > 0);
    const endBin = weights.findLastIndex((weight) => weight > 0) + 1;
    return { firstBin, weights: Float64Array.from(weights.slice(firstBin, endBin)) };
  });
})();

/**
 * The model's input for the end of a turn: log-mel energies of its last 8 s, band by band (80 × 800). A shorter turn is
 * aligned to the end; the silence before it takes the work of one frame.
 *
 * @param pcm Mono, 16 kHz.
 */
export function logMelFeatures(pcm: Int16Array): Float32Array {
  const samples = normalized(pcm.subarray(Math.max(0, pcm.length - FEATURE_SAMPLES)));
  const silentFrames = Math.max(
    0,
    Math.floor((FEATURE_SAMPLES - pcm.length - WINDOW_SAMPLES / 2) / HOP_SAMPLES) + 1,
  );
  const features = new Float32Array(bands * frames);
  // Frames before the turn are all alike: the second of a pair of them represents the rest.
  for (let frame = Math.max(0, silentFrames - 1); frame < frames; frame += 2) {
    addPair(features, samples, frame);
  }
  for (let band = 0; band < bands; band++) {
    const row = features.subarray(band * frames, (band + 1) * frames);
    if (silentFrames > 1) row.fill(row[silentFrames - 1] ?? 0, 0, silentFrames - 1);
  }
  let loudest = -Infinity;
  for (const value of features) if (value > loudest) loudest = value;
  return features.map((value) => (Math.max(value, loudest - RANGE_DECADES) + 4) / 4);
}

/** Normalizes to mean 0 and variance 1 over the 8 s, including the silence before the turn. */
function normalized(pcm: Int16Array): Float64Array {
  let sum = 0;
  let squares = 0;
  for (const sample of pcm) {
    sum += sample / 32_768;
    squares += (sample / 32_768) ** 2;
  }
  const mean = sum / FEATURE_SAMPLES;
  const deviation = Math.sqrt(squares / FEATURE_SAMPLES - mean ** 2 + MIN_VARIANCE);
  const samples = new Float64Array(FEATURE_SAMPLES).fill(-mean / deviation);
  for (let at = 0; at < pcm.length; at++) {
    samples[FEATURE_SAMPLES - pcm.length + at] = ((pcm[at] ?? 0) / 32_768 - mean) / deviation;
  }
  return samples;
}

const first = new Float64Array(WINDOW_SAMPLES);
const second = new Float64Array(WINDOW_SAMPLES);
const firstPower = new Float64Array(BINS);
const secondPower = new Float64Array(BINS);

/** Transforms two real frames with one complex transform: their spectra are its even and odd parts. */
function addPair(features: Float32Array, samples: Float64Array, frame: number): void {
  cutFrame(first, samples, frame);
  cutFrame(second, samples, frame + 1);
  const { re, im } = fourier.transform(first, second);
  for (let bin = 0; bin < BINS; bin++) {
    const mirror = (WINDOW_SAMPLES - bin) % WINDOW_SAMPLES;
    const x = re[bin] ?? 0;
    const y = im[bin] ?? 0;
    const mirrorX = re[mirror] ?? 0;
    const mirrorY = im[mirror] ?? 0;
    firstPower[bin] = ((x + mirrorX) ** 2 + (y - mirrorY) ** 2) / 4;
    secondPower[bin] = ((y + mirrorY) ** 2 + (mirrorX - x) ** 2) / 4;
  }
  addBands(features, firstPower, frame);
  if (frame + 1 < frames) addBands(features, secondPower, frame + 1);
}

/** Cuts the frame centered at its moment; samples beyond the ends are mirrored. */
function cutFrame(target: Float64Array, samples: Float64Array, frame: number): void {
  const start = frame * HOP_SAMPLES - WINDOW_SAMPLES / 2;
  const last = samples.length - 1;
  for (let at = 0; at < WINDOW_SAMPLES; at++) {
    const place = Math.abs(start + at);
    target[at] = (samples[place > last ? 2 * last - place : place] ?? 0) * (window[at] ?? 0);
  }
}

function addBands(features: Float32Array, power: Float64Array, frame: number): void {
  for (let band = 0; band < bands; band++) {
    const { firstBin, weights } = melBands[band] ?? NO_BAND;
    let energy = 0;
    for (let at = 0; at < weights.length; at++) energy += (weights[at] ?? 0) * (power[firstBin + at] ?? 0);
    features[band * frames + frame] = Math.log10(Math.max(MIN_POWER, energy));
  }
}
