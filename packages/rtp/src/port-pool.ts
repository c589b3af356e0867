/** UDP ports, both ends included. */
export interface PortRange {
  first: number;
  last: number;
}

/** The part of a range that the process `index` of `count` has to itself; parts begin at even ports. */
export function slicePortRange(range: PortRange, index: number, count: number): PortRange {
  const first = range.first + (range.first % 2);
  const pairs = Math.ceil((range.last - first + 1) / 2);
  const from = Math.floor((pairs * index) / count);
  const to = Math.floor((pairs * (index + 1)) / count);
  return { first: first + 2 * from, last: Math.min(range.last, first + 2 * to - 1) };
}

/**
 * Even ports for RTP; the odd one above each is left to RTCP (RFC 3550 §11). A port that was given back is given
 * out again after all others, so that packets still under way to the old call find nobody.
 */
export class PortPool {
  readonly #free: number[] = [];

  constructor({ first, last }: PortRange) {
    for (let port = first + (first % 2); port <= last; port += 2) {
      this.#free.push(port);
    }
  }

  get freeCount(): number {
    return this.#free.length;
  }

  /** A port, or undefined when all are taken. */
  take(): number | undefined {
    return this.#free.shift();
  }

  /** Gives a port back; once for each `take`. */
  release(port: number): void {
    this.#free.push(port);
  }
}
