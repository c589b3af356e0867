/** All telephone codecs at 64 kbit/s: one byte is one tick of their 8 kHz clock, also for G.722 (RFC 3551 §4.5.2). */
const BYTES_PER_MS = 8;

export interface AudioPacket {
  /** Valid until the next call. */
  payload: Uint8Array;
  /** Timestamp of the first byte. */
  timestamp: number;
  marker: boolean;
}

/** Splits an encoded 64 kbit/s stream, which arrives in frames of any length, into packets of one length. */
export class AudioPacketizer {
  readonly #send: (packet: AudioPacket) => void;
  #packetBytes: number;
  #pending = new Uint8Array(0);
  #filled = 0;
  /** Timestamp of the first pending byte. */
  #timestamp = 0;
  #isMarked = false;

  /** @param ptimeMs length of the packets in milliseconds. */
  constructor(ptimeMs: number, send: (packet: AudioPacket) => void) {
    this.#send = send;
    this.#packetBytes = ptimeMs * BYTES_PER_MS;
  }

  /** Changes the packet length; a change drops pending bytes. */
  set ptimeMs(ptimeMs: number) {
    const packetBytes = ptimeMs * BYTES_PER_MS;
    if (packetBytes !== this.#packetBytes) this.clear();
    this.#packetBytes = packetBytes;
  }

  /** Drops pending bytes. */
  clear(): void {
    this.#filled = 0;
    this.#isMarked = false;
  }

  /**
   * Adds a frame, and sends the packets that it completes.
   *
   * @param timestamp timestamp of the frame's first byte. If it does not follow the previous frame, pending bytes
   * are dropped.
   * @param marker true if a talk spurt begins with the frame (RFC 3551 §4.1).
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
