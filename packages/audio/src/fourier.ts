/** Possible factors of a transform's length. */
const RADICES = [5, 4, 3, 2] as const;

/**
 * The discrete Fourier transform of one length, which must be a product of 2, 3, 4 and 5: Stockham's form, whose output
 * is in order (C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", §1.7).
 */
export class Fourier {
  readonly length: number;
  readonly #factors: readonly number[];
  /** The `length`th roots of unity: cos and −sin of 2πk/length. */
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  #source: ComplexArray;
  #target: ComplexArray;

  constructor(length: number) {
    this.length = length;
    this.#factors = factorize(length);
    this.#cos = Float64Array.from({ length }, (_, k) => Math.cos((2 * Math.PI * k) / length));
    this.#sin = Float64Array.from({ length }, (_, k) => -Math.sin((2 * Math.PI * k) / length));
    this.#source = complexArray(length);
    this.#target = complexArray(length);
  }

  /** Transforms arrays of `length` values, which are not modified. The result is valid until the next call. */
  transform(re: Float64Array, im: Float64Array): ComplexArray {
    this.#source.re.set(re);
    this.#source.im.set(im);
    let done = 1;
    for (const radix of this.#factors) {
      this.#combine(done, radix);
      [this.#source, this.#target] = [this.#target, this.#source];
      done *= radix;
    }
    return this.#source;
  }

  /** Combines transforms of `done` values each into transforms of `done × radix`. */
  #combine(done: number, radix: number): void {
    const { length } = this;
    const cos = this.#cos;
    const sin = this.#sin;
    const { re, im } = this.#source;
    const { re: targetRe, im: targetIm } = this.#target;
    const longer = done * radix;
    const count = length / longer;
    const parts = length / radix;
    for (let k = 0; k < count; k++) {
      for (let j = 0; j < done; j++) {
        const from = k * done + j;
        for (let q = 0; q < radix; q++) {
          const at = j + q * done;
          // Turns by which the pth part is twiddled: p·at/longer.
          const step = at * count;
          let sumRe = re[from] ?? 0;
          let sumIm = im[from] ?? 0;
          let turn = 0;
          for (let part = from + parts; part < length; part += parts) {
            turn += step;
            if (turn >= length) turn -= length;
            const x = re[part] ?? 0;
            const y = im[part] ?? 0;
            const c = cos[turn] ?? 0;
            const s = sin[turn] ?? 0;
            sumRe += x * c - y * s;
            sumIm += x * s + y * c;
          }
          targetRe[k * longer + at] = sumRe;
          targetIm[k * longer + at] = sumIm;
        }
      }
    }
  }
}

export interface ComplexArray {
  re: Float64Array;
  im: Float64Array;
}

function complexArray(length: number): ComplexArray {
  return { re: new Float64Array(length), im: new Float64Array(length) };
}

function factorize(length: number): number[] {
  const factors: number[] = [];
  let rest = length;
  for (const radix of RADICES) {
    while (rest % radix === 0) {
      factors.push(radix);
      rest /= radix;
    }
  }
  if (rest !== 1) throw new RangeError(`no transform of ${length} values`);
  return factors;
}
