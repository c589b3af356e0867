/** All codecs of telephones at 64 kbit/s: a byte is one unit of their 8 kHz clock, for G.722 too (RFC 3551 §4.5.2). */
const BYTES_PER_MS = 8;

export interface AudioPacket {
  /** Valid until the next call. */
  payload: Uint8Array;
  /** Of its first byte. */
  timestamp: number;
  marker: boolean;
}

/** Cuts an encoded stream of 64 kbit/s, which comes in frames of any length, into packets of one length. */
export class AudioPacketizer {
  readonly #send: (packet: AudioPacket) => void;
  #packetBytes: number;
  #pending = new Uint8Array(0);
  #filled = 0;
  /** Of the first byte that is pending. */
  #timestamp = 0;
  #isMarked = false;

  /** @param ptimeMs Length of the packets. */
  constructor(ptimeMs: number, send: (packet: AudioPacket) => void) {
    this.#send = send;
    this.#packetBytes = ptimeMs * BYTES_PER_MS;
  }

  /** What waits for its packet to be full is dropped where the length changes. */
  set ptimeMs(ptimeMs: number) {
    const packetBytes = ptimeMs * BYTES_PER_MS;
    if (packetBytes !== this.#packetBytes) this.clear();
    this.#packetBytes = packetBytes;
  }

  /** Forgets what waits for its packet to be full. */
  clear(): void {
    this.#filled = 0;
    this.#isMarked = false;
  }

  /**
   * Takes a frame, and sends the packets that it completes.
   *
   * @param timestamp Of the frame's beginning. Where it does not follow the frame before, what is left of that is dropped.
   * @param marker Whether a talk spurt begins with the frame (RFC 3551 §4.1).
   */
  write(frame: Uint8Array, timestamp: number, marker: boolean): void {
    if (this.#filled > 0 && this.#timestamp + this.#filled !== timestamp) this.clear();
    if (this.#filled === 0 && frame.length === this.#packetBytes) {
      this.#send({ payload: frame, timestamp, marker });
      return;
    }
    if (this.#filled === 0) this.#timestamp = timestamp;
    this.#isMarked ||= marker;
    this.#append(frame);
    let start = 0;
    for (; this.#filled - start >= this.#packetBytes; start += this.#packetBytes) {
      const payload = this.#pending.subarray(start, start + this.#packetBytes);
      this.#send({ payload, timestamp: this.#timestamp + start, marker: this.#isMarked });
      this.#isMarked = false;
    }
    this.#pending.copyWithin(0, start, this.#filled);
    this.#filled -= start;
    this.#timestamp += start;
  }

  #append(frame: Uint8Array): void {
    const filled = this.#filled + frame.length;
    if (filled > this.#pending.length) {
      const larger = new Uint8Array(filled);
      larger.set(this.#pending.subarray(0, this.#filled));
      this.#pending = larger;
    }
    this.#pending.set(frame, this.#filled);
    this.#filled = filled;
  }
}
