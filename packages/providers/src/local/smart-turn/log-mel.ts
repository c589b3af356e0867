import { Fourier } from "./fourier.ts";

/** What the model was trained on: the last 8 s of a turn at 16 kHz, as Whisper's mel bands over frames of 10 ms. */
const featureSamples = 128_000;
export const bands = 80;
export const frames = 800;
const sampleRateHz = 16_000;
const windowSamples = 400;
const hopSamples = 160;
const bins = windowSamples / 2 + 1;
const leastPower = 1e-10;
const leastVariance = 1e-7;
/** Decades under the loudest band of all in which there is still something to hear. */
const rangeDecades = 8;

const fourier = new Fourier(windowSamples);
/** Hann's, periodic. */
const window = Float64Array.from(
  { length: windowSamples },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / windowSamples),
);

/** The bins that a band hears, and how well. */
interface Band {
  firstBin: number;
  weights: Float64Array;
}

const NO_BAND: Band = { firstBin: 0, weights: new Float64Array(0) };

/** Slaney's scale: linear up to 1 kHz, which is mel 15, logarithmic above. */
function hertzOf(mel: number): number {
  return mel < 15 ? (mel * 200) / 3 : 1000 * 6.4 ** ((mel - 15) / 27);
}

/** Triangles of the same area, as wide as the distance to the middle of the neighbours. */
const melBands: readonly Band[] = (() => {
  const topMel = 15 + (27 * Math.log(sampleRateHz / 2 / 1000)) / Math.log(6.4);
  const edgesHz = Array.from({ length: bands + 2 }, (_, at) => hertzOf((topMel * at) / (bands + 1)));
  return Array.from({ length: bands }, (_, band): Band => {
    const [low = 0, middle = 0, high = 0] = edgesHz.slice(band, band + 3);
    const weights = Array.from({ length: bins }, (__, bin) => {
      const hz = (bin * sampleRateHz) / windowSamples;
      const height = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle));
      return (2 * Math.max(0, height)) / (high - low);
    });
    const firstBin = weights.findIndex((weight) => weight > 0);
    const endBin = weights.findLastIndex((weight) => weight > 0) + 1;
    return { firstBin, weights: Float64Array.from(weights.slice(firstBin, endBin)) };
  });
})();

/**
 * The model's input for the end of a turn: log-mel energies of its last 8 s, band by band (80 × 800). A shorter turn
 * lies at the end; the silence before it costs one frame's work.
 *
 * @param pcm mono, 16 kHz.
 */
export function logMelFeatures(pcm: Int16Array): Float32Array {
  const samples = normalised(pcm.subarray(Math.max(0, pcm.length - featureSamples)));
  const silentFrames = Math.max(
    0,
    Math.floor((featureSamples - pcm.length - windowSamples / 2) / hopSamples) + 1,
  );
  const features = new Float32Array(bands * frames);
  // Frames before the turn are all alike: the second of a pair of them stands for the rest.
  for (let frame = Math.max(0, silentFrames - 1); frame < frames; frame += 2) {
    addPair(features, samples, frame);
  }
  for (let band = 0; band < bands; band++) {
    const row = features.subarray(band * frames, (band + 1) * frames);
    if (silentFrames > 1) row.fill(row[silentFrames - 1] ?? 0, 0, silentFrames - 1);
  }
  let loudest = -Infinity;
  for (const value of features) if (value > loudest) loudest = value;
  return features.map((value) => (Math.max(value, loudest - rangeDecades) + 4) / 4);
}

/** Mean 0 and variance 1 over the 8 s, the silence before the turn included. */
function normalised(pcm: Int16Array): Float64Array {
  let sum = 0;
  let squares = 0;
  for (const sample of pcm) {
    sum += sample / 32_768;
    squares += (sample / 32_768) ** 2;
  }
  const mean = sum / featureSamples;
  const deviation = Math.sqrt(squares / featureSamples - mean ** 2 + leastVariance);
  const samples = new Float64Array(featureSamples).fill(-mean / deviation);
  for (let at = 0; at < pcm.length; at++) {
    samples[featureSamples - pcm.length + at] = ((pcm[at] ?? 0) / 32_768 - mean) / deviation;
  }
  return samples;
}

const first = new Float64Array(windowSamples);
const second = new Float64Array(windowSamples);
const firstPower = new Float64Array(bins);
const secondPower = new Float64Array(bins);

/** Two real frames go through one complex transform: their spectra are its even and odd parts. */
function addPair(features: Float32Array, samples: Float64Array, frame: number): void {
  cutFrame(first, samples, frame);
  cutFrame(second, samples, frame + 1);
  const { re, im } = fourier.transform(first, second);
  for (let bin = 0; bin < bins; bin++) {
    const mirror = (windowSamples - bin) % windowSamples;
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

/** The frame lies round its moment; beyond the ends the samples are mirrored. */
function cutFrame(target: Float64Array, samples: Float64Array, frame: number): void {
  const start = frame * hopSamples - windowSamples / 2;
  const last = samples.length - 1;
  for (let at = 0; at < windowSamples; at++) {
    const place = Math.abs(start + at);
    target[at] = (samples[place > last ? 2 * last - place : place] ?? 0) * (window[at] ?? 0);
  }
}

function addBands(features: Float32Array, power: Float64Array, frame: number): void {
  for (let band = 0; band < bands; band++) {
    const { firstBin, weights } = melBands[band] ?? NO_BAND;
    let energy = 0;
    for (let at = 0; at < weights.length; at++) energy += (weights[at] ?? 0) * (power[firstBin + at] ?? 0);
    features[band * frames + frame] = Math.log10(Math.max(leastPower, energy));
  }
}
