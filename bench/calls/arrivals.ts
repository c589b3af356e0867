import type { RtpPacket } from "../../packages/rtp/src/index.ts";

/** Arrival times of the packets of one or more streams. */
export interface Arrivals {
  packets: number;
  /** Lost packets, by sequence number. */
  lost: number;
  /** Lateness of each packet against the sender's RTP clock; the earliest packet of a stream counts as on time. */
  latenessMs: number[];
  /** Time between consecutive packets. */
  spacingMs: number[];
}

/** Records the arrivals of one stream. */
export class ArrivalRecorder {
  readonly #unitsPerMs: number;
  readonly #transitsMs: number[] = [];
  readonly #spacingMs: number[] = [];
  #last: { arrivalMs: number; timestamp: number; sequenceNumber: number } | undefined;
  /** Units since the first packet: a timestamp that does not wrap. */
  #position = 0;
  #lost = 0;

  /** @param unitsPerMs Units of the stream's RTP clock per millisecond. */
  constructor(unitsPerMs: number) {
    this.#unitsPerMs = unitsPerMs;
  }

  record({ timestamp, sequenceNumber }: RtpPacket, arrivalMs: number): void {
    if (this.#last !== undefined) {
      // RFC 3550 §5.1: both wrap at their width.
      this.#position += (timestamp - this.#last.timestamp) | 0;
      this.#lost += ((sequenceNumber - this.#last.sequenceNumber + 0x1_8000) & 0xffff) - 0x8000 - 1;
      this.#spacingMs.push(arrivalMs - this.#last.arrivalMs);
    }
    this.#transitsMs.push(arrivalMs - this.#position / this.#unitsPerMs);
    this.#last = { arrivalMs, timestamp, sequenceNumber };
  }

  get arrivals(): Arrivals {
    const earliestMs = this.#transitsMs.reduce((a, b) => Math.min(a, b), Infinity);
    return {
      packets: this.#transitsMs.length,
      lost: this.#lost,
      latenessMs: this.#transitsMs.map((transitMs) => transitMs - earliestMs),
      spacingMs: this.#spacingMs,
    };
  }
}

export function mergeArrivals(streams: readonly Arrivals[]): Arrivals {
  return {
    packets: streams.reduce((sum, { packets }) => sum + packets, 0),
    lost: streams.reduce((sum, { lost }) => sum + lost, 0),
    latenessMs: streams.flatMap(({ latenessMs }) => latenessMs),
    spacingMs: streams.flatMap(({ spacingMs }) => spacingMs),
  };
}
