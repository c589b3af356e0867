/**
 * G.722 at 64 kbit/s (ITU-T Rec. G.722, 11/88): speech at 16 kHz, split into two bands of 8 kHz by quadrature
 * mirror filters, each coded by adaptive differential PCM; six bits of the lower and two of the upper band form a
 * byte. Tables and adaptation steps have the Recommendation's names (clauses 5 and 6). Integer arithmetic is
 * exact, so that our codec and the one of another vendor adapt in the same way.
 */

/** Half of the mirror filter's 24 coefficients (Table 4); the other half is the reverse. */
const QMF = Int32Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11);
const QMF_TAPS = 24;
const QMF_HISTORY = QMF_TAPS - 2;

/** Decision levels of the lower band's quantizer; a sample above all thirty gets the last code. */
const Q6 = Int32Array.of(
  0,
  35,
  72,
  110,
  150,
  190,
  233,
  276,
  323,
  370,
  422,
  473,
  530,
  587,
  650,
  714,
  786,
  858,
  940,
  1023,
  1121,
  1219,
  1339,
  1458,
  1612,
  1765,
  1980,
  2195,
  2557,
  2919,
);
const Q6_LEVELS = Q6.length;
/** Outputs of the inverse quantizers of six, four and two bits. */
const QM6 = Int32Array.of(
  -136,
  -136,
  -136,
  -136,
  -24808,
  -21904,
  -19008,
  -16704,
  -14984,
  -13512,
  -12280,
  -11192,
  -10232,
  -9360,
  -8576,
  -7856,
  -7192,
  -6576,
  -6000,
  -5456,
  -4944,
  -4464,
  -4008,
  -3576,
  -3168,
  -2776,
  -2400,
  -2032,
  -1688,
  -1360,
  -1040,
  -728,
  24808,
  21904,
  19008,
  16704,
  14984,
  13512,
  12280,
  11192,
  10232,
  9360,
  8576,
  7856,
  7192,
  6576,
  6000,
  5456,
  4944,
  4464,
  4008,
  3576,
  3168,
  2776,
  2400,
  2032,
  1688,
  1360,
  1040,
  728,
  432,
  136,
  -432,
  -136,
);
const QM4 = Int32Array.of(
  0,
  -20456,
  -12896,
  -8968,
  -6288,
  -4240,
  -2584,
  -1200,
  20456,
  12896,
  8968,
  6288,
  4240,
  2584,
  1200,
  0,
);
const QM2 = Int32Array.of(-7408, -1616, 7408, 1616);
/** Decision level of the upper band's quantizer. */
const Q2 = 564;
/** Multipliers of the logarithmic scale factors, by code. */
const W4 = Int32Array.of(-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60);
const W2 = Int32Array.of(798, -214, 798, -214);
/** Antilogarithm: 2^(11 + i/32). */
const ILB = Int32Array.from({ length: 32 }, (_, i) => Math.round(2 ** (11 + i / 32)));

interface BandSettings {
  /** The initial scale factor. */
  firstScale: number;
  maxLogScale: number;
  scaleShift: number;
}

const LOWER: BandSettings = { firstScale: 32, maxLogScale: 18_432, scaleShift: 8 };
const UPPER: BandSettings = { firstScale: 8, maxLogScale: 22_528, scaleShift: 10 };

const ZEROS = 6;

/** The state that a band's encoder and decoder share: the predictor and the scale of the quantizer. */
class Band {
  /** Predicted value of the next sample. */
  prediction = 0;
  /** Scale factor of the quantizer. */
  scale: number;
  readonly #settings: BandSettings;
  #logScale = 0;
  /** The part of the prediction from the zeros. */
  #zeroPrediction = 0;
  /** Poles and zeros of the predictor. */
  #pole1 = 0;
  #pole2 = 0;
  readonly #zeros = new Int32Array(ZEROS);
  /** The last reconstructed values, partly reconstructed values, and quantized differences. */
  #reconstructed = 0;
  #partial1 = 0;
  #partial2 = 0;
  readonly #differences = new Int32Array(ZEROS);

  constructor(settings: BandSettings) {
    this.#settings = settings;
    this.scale = settings.firstScale;
  }

  /** Adapts to a quantized difference: LOGSCL, SCALEL and their counterparts, then block 4. */
  adapt(difference: number, multiplier: number): void {
    this.#adaptScale(multiplier);
    const partial = saturate(this.#zeroPrediction + difference);
    const reconstructed = saturate(this.prediction + difference);
    this.#adaptPoles(partial);
    this.#adaptZeros(difference);
    // FILTEP, FILTEZ and PREDIC; the value before the last is still available here.
    const last = saturate(reconstructed << 1);
    const beforeLast = saturate(this.#reconstructed << 1);
    const polePrediction = saturate(((this.#pole1 * last) >> 15) + ((this.#pole2 * beforeLast) >> 15));
    this.#zeroPrediction = this.#predictFromZeros();
    this.prediction = saturate(polePrediction + this.#zeroPrediction);
    this.#reconstructed = reconstructed;
    this.#partial2 = this.#partial1;
    this.#partial1 = partial;
  }

  #adaptScale(multiplier: number): void {
    const { maxLogScale, scaleShift } = this.#settings;
    const logScale = ((this.#logScale * 127) >> 7) + multiplier;
    this.#logScale = logScale < 0 ? 0 : logScale > maxLogScale ? maxLogScale : logScale;
    const antilog = ILB[(this.#logScale >> 6) & 31] ?? 0;
    const shift = scaleShift - (this.#logScale >> 11);
    this.scale = (shift < 0 ? antilog << -shift : antilog >> shift) << 2;
  }

  /** UPPOL2 and UPPOL1. */
  #adaptPoles(partial: number): void {
    const isLastAlike = partial < 0 === this.#partial1 < 0;
    const isBeforeLastAlike = partial < 0 === this.#partial2 < 0;
    const quarter = saturate(this.#pole1 << 2);
    const pull = saturate(isLastAlike ? -quarter : quarter) >> 7;
    const pole2 = pull + (isBeforeLastAlike ? 128 : -128) + ((this.#pole2 * 32_512) >> 15);
    this.#pole2 = pole2 > 12_288 ? 12_288 : pole2 < -12_288 ? -12_288 : pole2;
    const pole1 = saturate((isLastAlike ? 192 : -192) + ((this.#pole1 * 32_640) >> 15));
    const limit = saturate(15_360 - this.#pole2);
    this.#pole1 = pole1 > limit ? limit : pole1 < -limit ? -limit : pole1;
  }

  /** UPZERO, and the delay of the differences. */
  #adaptZeros(difference: number): void {
    const zeros = this.#zeros;
    const differences = this.#differences;
    const step = difference === 0 ? 0 : 128;
    for (let i = 0; i < ZEROS; i++) {
      const isAlike = (differences[i] ?? 0) < 0 === difference < 0;
      zeros[i] = saturate((isAlike ? step : -step) + (((zeros[i] ?? 0) * 32_640) >> 15));
    }
    for (let i = ZEROS - 1; i > 0; i--) differences[i] = differences[i - 1] ?? 0;
    differences[0] = difference;
  }

  #predictFromZeros(): number {
    let sum = 0;
    for (let i = 0; i < ZEROS; i++)
      sum += ((this.#zeros[i] ?? 0) * saturate((this.#differences[i] ?? 0) << 1)) >> 15;
    return saturate(sum);
  }
}

function saturate(value: number): number {
  return value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value;
}

/** Encodes one stream. */
export class G722Encoder {
  readonly #lower = new Band(LOWER);
  readonly #upper = new Band(UPPER);
  /** The last samples, for the mirror filter. */
  readonly #history = new Int16Array(QMF_HISTORY);
  #line = new Int16Array(0);

  /**
   * Encodes the next part of the stream, two samples to a byte.
   *
   * @param pcm samples at 16 kHz; an even number.
   * @param out optional buffer for the bytes, at least half as long as `pcm`; it is also the return value.
   */
  encode(pcm: Int16Array, out: Uint8Array = new Uint8Array(pcm.length >> 1)): Uint8Array {
    if (this.#line.length < QMF_HISTORY + pcm.length) this.#line = new Int16Array(QMF_HISTORY + pcm.length);
    const line = this.#line;
    line.set(this.#history);
    line.set(pcm, QMF_HISTORY);
    for (let i = 0; i + 1 < pcm.length; i += 2) {
      let odd = 0;
      let even = 0;
      for (let tap = 0; tap < QMF.length; tap++) {
        odd += (line[i + 2 * tap] ?? 0) * (QMF[tap] ?? 0);
        even += (line[i + 2 * tap + 1] ?? 0) * (QMF[QMF.length - 1 - tap] ?? 0);
      }
      const upper = encodeUpper(this.#upper, (even - odd) >> 14);
      out[i >> 1] = (upper << 6) | encodeLower(this.#lower, (even + odd) >> 14);
    }
    this.#history.set(line.subarray(pcm.length, pcm.length + QMF_HISTORY));
    return out;
  }
}

function encodeLower(band: Band, sample: number): number {
  const difference = saturate(sample - band.prediction);
  const magnitude = difference < 0 ? ~difference : difference;
  let level = 1;
  while (level < Q6_LEVELS && magnitude >= ((Q6[level] ?? 0) * band.scale) >> 12) level++;
  // Codes decrease from the middle; the two smallest negative ones are separate.
  const code = difference >= 0 ? 62 - level : level < 3 ? 64 - level : 34 - level;
  const coarse = code >> 2;
  band.adapt((band.scale * (QM4[coarse] ?? 0)) >> 15, W4[coarse] ?? 0);
  return code;
}

function encodeUpper(band: Band, sample: number): number {
  const difference = saturate(sample - band.prediction);
  const magnitude = difference < 0 ? ~difference : difference;
  const isLarge = magnitude >= (Q2 * band.scale) >> 12;
  const code = (difference < 0 ? 0 : 2) + (isLarge ? 0 : 1);
  band.adapt((band.scale * (QM2[code] ?? 0)) >> 15, W2[code] ?? 0);
  return code;
}

/** Decodes one stream. */
export class G722Decoder {
  readonly #lower = new Band(LOWER);
  readonly #upper = new Band(UPPER);
  /** Sums and differences of the bands' last values, for the mirror filter. */
  readonly #history = new Int32Array(QMF_HISTORY);
  #line = new Int32Array(0);

  /**
   * Decodes the next part of the stream to samples at 16 kHz, two per byte.
   *
   * @param out optional buffer for the samples, at least twice as long as `bytes`; it is also the return value.
   */
  decode(bytes: Uint8Array, out: Int16Array = new Int16Array(2 * bytes.length)): Int16Array {
    const samples = 2 * bytes.length;
    if (this.#line.length < QMF_HISTORY + samples) this.#line = new Int32Array(QMF_HISTORY + samples);
    const line = this.#line;
    line.set(this.#history);
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      const low = decodeLower(this.#lower, byte & 0x3f);
      const high = decodeUpper(this.#upper, byte >> 6);
      line[QMF_HISTORY + 2 * i] = low + high;
      line[QMF_HISTORY + 2 * i + 1] = low - high;
    }
    for (let i = 0; i < samples; i += 2) {
      let first = 0;
      let second = 0;
      for (let tap = 0; tap < QMF.length; tap++) {
        second += (line[i + 2 * tap] ?? 0) * (QMF[tap] ?? 0);
        first += (line[i + 2 * tap + 1] ?? 0) * (QMF[QMF.length - 1 - tap] ?? 0);
      }
      out[i] = saturate(first >> 11);
      out[i + 1] = saturate(second >> 11);
    }
    this.#history.set(line.subarray(samples, samples + QMF_HISTORY));
    return out;
  }
}

/** Limits a band's values to 15 bits, so that their sums fit. */
function limit(value: number): number {
  return value > 16_383 ? 16_383 : value < -16_384 ? -16_384 : value;
}

function decodeLower(band: Band, code: number): number {
  const value = limit(band.prediction + ((band.scale * (QM6[code] ?? 0)) >> 15));
  // Adaptation uses only four bits, so that the other two may be lost or carry data.
  const coarse = code >> 2;
  band.adapt((band.scale * (QM4[coarse] ?? 0)) >> 15, W4[coarse] ?? 0);
  return value;
}

function decodeUpper(band: Band, code: number): number {
  const difference = (band.scale * (QM2[code] ?? 0)) >> 15;
  const value = limit(band.prediction + difference);
  band.adapt(difference, W2[code] ?? 0);
  return value;
}
