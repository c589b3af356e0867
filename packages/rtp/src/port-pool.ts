/** UDP ports, inclusive. */
export interface PortRange {
  first: number;
  last: number;
}

/** The part of a range reserved for process `index` of `count`; parts begin at even ports. */
export function slicePortRange(range: PortRange, index: number, count: number): PortRange {
  const first = range.first + (range.first % 2);
  const pairs = Math.ceil((range.last - first + 1) / 2);
  const from = Math.floor((pairs * index) / count);
  const to = Math.floor((pairs * (index + 1)) / count);
  return { first: first + 2 * from, last: Math.min(range.last, first + 2 * to - 1) };
}

/**
 * Even ports for RTP; the odd port above each is for RTCP (RFC 3550 §11). A released port is used again only
 * after all others, so that late packets of the old call do not reach a new one.
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

  /** A port, or `undefined` if all are in use. */
  take(): number | undefined {
    return this.#free.shift();
  }

  /** Releases a port; call once per `take`. */
  release(port: number): void {
    this.#free.push(port);
  }
}
