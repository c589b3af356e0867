/** Sample rates of speech: telephony, WebRTC, speech synthesizers and recorders. */
export const RESAMPLER_RATES_HZ = [
  8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000,
] as const;

export type ResamplerRateHz = (typeof RESAMPLER_RATES_HZ)[number];

/** Zero crossings of the sinc on each side, at the lower of the two rates. */
const ZERO_CROSSINGS = 16;
/** Kaiser window: attenuates by more than 50 dB outside the pass band, far below the noise of G.711. */
const KAISER_BETA = 5;
/**
 * Middle of the transition band as a fraction of the lower rate's Nyquist frequency. With the window above, the
 * pass band is flat up to 0.8 (3.2 kHz at 8 kHz, nearly the bandwidth of a telephone) and closed at Nyquist.
 */
const CUTOFF = 0.91;
/** Input samples per block, so that the delay line stays in the cache for every input length. */
const BLOCK_SAMPLES = 960;

interface PolyphaseFilter {
  /** Output samples per `decimation` input samples. */
  interpolation: number;
  decimation: number;
  tapsPerPhase: number;
  /** One row of `tapsPerPhase` per phase, oldest input first. */
  rows: Float64Array;
}

/** Modified Bessel function of the first kind and order zero, by its power series. */
function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function designFilter(fromHz: number, toHz: number): PolyphaseFilter {
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const interpolation = toHz / divisor;
  const decimation = fromHz / divisor;
  const inputsPerCrossing = Math.max(1, fromHz / toHz);
  // A multiple of four suits the unrolled loop and makes the delay a whole number of input samples.
  const tapsPerPhase = 4 * Math.ceil((ZERO_CROSSINGS * inputsPerCrossing) / 2);
  const half = tapsPerPhase / 2;
  const bandwidth = CUTOFF / inputsPerCrossing;
  const rows = new Float64Array(interpolation * tapsPerPhase);
  for (let phase = 0; phase < interpolation; phase++) {
    const row = rows.subarray(phase * tapsPerPhase, (phase + 1) * tapsPerPhase);
    let sum = 0;
    for (let tap = 0; tap < tapsPerPhase; tap++) {
      // Distance, in input samples, of this tap's input from the output's position on the delayed input.
      const distance = tap - half + 1 - phase / interpolation;
      const window = besselI0(KAISER_BETA * Math.sqrt(Math.max(0, 1 - (distance / half) ** 2)));
      const angle = Math.PI * bandwidth * distance;
      const coefficient = (angle === 0 ? 1 : Math.sin(angle) / angle) * window;
      row[tap] = coefficient;
      sum += coefficient;
    }
    // Every phase passes a constant unchanged, so that differences between phases do not become a tone.
    for (let tap = 0; tap < tapsPerPhase; tap++) {
      row[tap] = (row[tap] ?? 0) / sum;
    }
  }
  return { interpolation, decimation, tapsPerPhase, rows };
}

/** Filters by pair of rates, shared by all calls. */
const filters = new Map<string, PolyphaseFilter>();

function filterFor(fromHz: number, toHz: number): PolyphaseFilter {
  const key = `${fromHz}/${toHz}`;
  let filter = filters.get(key);
  if (filter === undefined) {
    filter = designFilter(fromHz, toHz);
    filters.set(key, filter);
  }
  return filter;
}

function toSample(value: number): number {
  return value > 32767 ? 32767 : value < -32768 ? -32768 : Math.round(value);
}

/**
 * Changes the sample rate of one mono stream: a polyphase filter with a Kaiser-windowed sinc (A. Oppenheim,
 * R. Schafer, "Discrete-Time Signal Processing", 4.7).
 *
 * Output keeps pace with input: after n input samples there are exactly ⌈n·to/from⌉ output samples. So 20 ms of
 * input give 20 ms of output for every chunk size. The sound is delayed by `delayMs`: 2 ms if the lower rate is
 * 8 kHz, 1 ms if it is 16 kHz.
 */
export class Resampler {
  /** Delay of the output. */
  readonly delayMs: number;
  readonly #filter: PolyphaseFilter | undefined;
  /** The last `tapsPerPhase - 1` input samples, then the current block. */
  readonly #line: Float64Array;
  /** Position of the next output, in 1/interpolation of an input, from the first input of the next block. */
  #position = 0;

  constructor(fromHz: ResamplerRateHz, toHz: ResamplerRateHz) {
    this.#filter = fromHz === toHz ? undefined : filterFor(fromHz, toHz);
    const tapsPerPhase = this.#filter?.tapsPerPhase ?? 0;
    this.#line = new Float64Array(Math.max(0, tapsPerPhase - 1 + BLOCK_SAMPLES));
    this.delayMs = (1000 * tapsPerPhase) / 2 / fromHz;
  }

  /** Resamples the next part of the stream. With equal rates `pcm` itself is returned. */
  process(pcm: Int16Array): Int16Array {
    const filter = this.#filter;
    if (filter === undefined) {
      return pcm;
    }
    const span = pcm.length * filter.interpolation - this.#position;
    const out = new Int16Array(Math.max(0, Math.ceil(span / filter.decimation)));
    let written = 0;
    for (let start = 0; start < pcm.length; start += BLOCK_SAMPLES) {
      written = this.#processBlock(filter, pcm.subarray(start, start + BLOCK_SAMPLES), out, written);
    }
    return out;
  }

  /** Returns the rest of the sound in the filter (`delayMs`) and starts a new stream. */
  flush(): Int16Array {
    const filter = this.#filter;
    if (filter === undefined) {
      return new Int16Array(0);
    }
    const tail = this.process(new Int16Array(filter.tapsPerPhase / 2));
    this.#line.fill(0);
    this.#position = 0;
    return tail;
  }

  #processBlock(filter: PolyphaseFilter, block: Int16Array, out: Int16Array, written: number): number {
    const { interpolation, decimation, tapsPerPhase, rows } = filter;
    const line = this.#line;
    const history = tapsPerPhase - 1;
    line.set(block, history);
    const end = block.length * interpolation;
    let position = this.#position;
    for (; position < end; position += decimation) {
      const input = Math.floor(position / interpolation);
      const row = (position - input * interpolation) * tapsPerPhase;
      // Several sums, so that an addition does not wait for the previous one.
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let tap = 0; tap < tapsPerPhase; tap += 4) {
        a += (rows[row + tap] ?? 0) * (line[input + tap] ?? 0);
        b += (rows[row + tap + 1] ?? 0) * (line[input + tap + 1] ?? 0);
        c += (rows[row + tap + 2] ?? 0) * (line[input + tap + 2] ?? 0);
        d += (rows[row + tap + 3] ?? 0) * (line[input + tap + 3] ?? 0);
      }
      out[written++] = toSample(a + b + c + d);
    }
    this.#position = position - end;
    line.copyWithin(0, block.length, block.length + history);
    return written;
  }
}
