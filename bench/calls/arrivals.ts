import type { RtpPacket } from "../../packages/rtp/src/index.ts";

/** How the packets of one or more streams arrived. */
export interface Arrivals {
  packets: number;
  /** By sequence number. */
  lost: number;
  /** Of each packet, against the sender's own RTP clock; the earliest packet of a stream counts as in time. */
  latenessMs: number[];
  /** From each packet to the next. */
  spacingMs: number[];
}

/** Watches one stream. */
export class ArrivalRecorder {
  readonly #unitsPerMs: number;
  readonly #transitsMs: number[] = [];
  readonly #spacingMs: number[] = [];
  #last: { arrivalMs: number; timestamp: number; sequenceNumber: number } | undefined;
  /** Since the first packet: a timestamp that does not wrap. */
  #position = 0;
  #lost = 0;

  /** @param unitsPerMs Of the stream's RTP clock. */
  constructor(unitsPerMs: number) {
    this.#unitsPerMs = unitsPerMs;
  }

  record({ timestamp, sequenceNumber }: RtpPacket, arrivalMs: number): void {
    if (this.#last !== undefined) {
      // RFC 3550 §5.1: both are counted modulo their width.
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
