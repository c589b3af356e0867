/** Length of a segment. A pitch period of the deepest voices (12 ms) fits twice. */
const SEGMENT_MS = 30;
/** Segments overlap by half, where Hann windows add up to one. */
const OVERLAP = 2;
/** Distance within which the segment that continues best is searched. */
const SEARCH_MS = 10;

/**
 * Changes the speed of speech without its pitch (WSOLA: Verhelst and Roelands, ICASSP 1993): copies overlapping segments,
 * each from where the input continues the previous one most similarly.
 */
export class TimeStretcher {
  readonly #speed: number;
  readonly #segment: number;
  readonly #hop: number;
  readonly #search: number;
  readonly #window: Float32Array;
  /** Second half of the last segment, windowed. */
  readonly #tail: Float32Array;
  /** Input from `#inputStart` on. */
  #input = new Float32Array(0);
  #inputStart = 0;
  #taken = 0;
  #emitted = 0;
  /** Position in the input at which the last segment would go on; `undefined` before the first segment. */
  #next: number | undefined;

  /** @param speed Above 1 is faster; the output has `1 / speed` times the length of the input. */
  constructor(sampleRateHz: number, speed: number) {
    this.#speed = speed;
    this.#hop = Math.round((SEGMENT_MS * sampleRateHz) / 1000 / OVERLAP);
    this.#segment = this.#hop * OVERLAP;
    this.#search = Math.round((SEARCH_MS * sampleRateHz) / 1000);
    this.#window = Float32Array.from(
      { length: this.#segment },
      (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / this.#segment),
    );
    this.#tail = new Float32Array(this.#hop);
  }

  /** Takes mono samples and returns those that are ready, about 40 ms behind. */
  process(pcm: Int16Array): Int16Array {
    this.#append(pcm);
    return this.#stretch(this.#taken);
  }

  /** Returns the rest. The next samples begin anew. */
  flush(): Int16Array {
    const end = this.#taken;
    const left = Math.round(end / this.#speed) - this.#emitted;
    this.#append(new Int16Array(2 * this.#segment + 2 * this.#search + Math.ceil(this.#hop * this.#speed)));
    const rest = this.#stretch(this.#taken).slice(0, Math.max(0, left));
    this.#input = new Float32Array(0);
    this.#tail.fill(0);
    this.#inputStart = this.#taken = this.#emitted = 0;
    this.#next = undefined;
    return rest;
  }

  #append(pcm: Int16Array): void {
    const joined = new Float32Array(this.#input.length + pcm.length);
    joined.set(this.#input);
    joined.set(pcm, this.#input.length);
    this.#input = joined;
    this.#taken += pcm.length;
  }

  #stretch(available: number): Int16Array {
    const hops: Int16Array[] = [];
    for (;;) {
      const target = Math.round(this.#emitted * this.#speed);
      if (target + this.#search + this.#segment > available) break;
      hops.push(this.#addSegment(this.#next === undefined ? target : this.#findBest(target, this.#next)));
      this.#emitted += this.#hop;
    }
    this.#forget();
    const out = new Int16Array(hops.length * this.#hop);
    for (const [index, hop] of hops.entries()) out.set(hop, index * this.#hop);
    return out;
  }

  /** Position near `target` whose samples resemble most those at `next`, by normalized correlation. */
  #findBest(target: number, next: number): number {
    const from = Math.max(this.#inputStart, target - this.#search);
    let best = target;
    let bestScore = -Infinity;
    for (let at = from; at <= target + this.#search; at++) {
      let product = 0;
      let energy = 1;
      const [a, b] = [at - this.#inputStart, next - this.#inputStart];
      for (let index = 0; index < this.#hop; index++) {
        const sample = this.#input[a + index] ?? 0;
        product += sample * (this.#input[b + index] ?? 0);
        energy += sample * sample;
      }
      const score = product / Math.sqrt(energy);
      if (score <= bestScore) continue;
      bestScore = score;
      best = at;
    }
    return best;
  }

  /** Adds the segment at a position of the input to the tail of the last one; returns the hop that is complete. */
  #addSegment(position: number): Int16Array {
    const out = new Int16Array(this.#hop);
    const start = position - this.#inputStart;
    const isFirst = this.#next === undefined;
    for (let index = 0; index < this.#hop; index++) {
      // Nothing precedes the first segment, which therefore is not faded in.
      const rising = isFirst ? 1 : (this.#window[index] ?? 0);
      const sample = (this.#tail[index] ?? 0) + (this.#input[start + index] ?? 0) * rising;
      out[index] = Math.max(-32_768, Math.min(32_767, Math.round(sample)));
      const later = index + this.#hop;
      this.#tail[index] = (this.#input[start + later] ?? 0) * (this.#window[later] ?? 0);
    }
    this.#next = position + this.#hop;
    return out;
  }

  /** Drops input that no later segment can use. */
  #forget(): void {
    const target = Math.round(this.#emitted * this.#speed);
    const needed = Math.min(this.#next ?? 0, target - this.#search);
    const count = Math.max(0, needed - this.#inputStart);
    this.#input = this.#input.slice(count);
    this.#inputStart += count;
  }
}
