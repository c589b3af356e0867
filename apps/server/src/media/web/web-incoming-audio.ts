import type { OpusDecoder } from "@parley/audio";
import { JitterBuffer, type JitterBufferCounters, type RtpPacket } from "@parley/rtp";
import { isQuiet } from "../phone/incoming-audio.ts";
import type { CallAudioTap } from "../recording/recording-spool.ts";
import { FRAME_UNITS, OPUS_CLOCK_RATE_HZ, opusSamplesIn, WEB_SAMPLE_RATE_HZ } from "./web-opus.ts";

const CLOCK_PER_SAMPLE = OPUS_CLOCK_RATE_HZ / WEB_SAMPLE_RATE_HZ;
const NO_AUDIO = new Int16Array(0);

/** Decodes the Opus packets of a browser into an even stream of frames. */
export class WebIncomingAudio {
  readonly #decoder: OpusDecoder;
  readonly #tap: CallAudioTap | undefined;
  readonly #jitter: JitterBuffer;
  #payloadType = -1;
  /** The rest of a packet that is longer than a frame. */
  #pending: Int16Array = NO_AUDIO;
  #isQuiet = true;

  /**
   * @param decoder Mono, at `WEB_SAMPLE_RATE_HZ`. The caller frees it.
   * @param tap Receives the payloads as they arrived.
   */
  constructor(decoder: OpusDecoder, tap: CallAudioTap | undefined) {
    this.#decoder = decoder;
    this.#tap = tap;
    this.#jitter = new JitterBuffer({
      clockRateHz: OPUS_CLOCK_RATE_HZ,
      samplesIn: (payload, payloadType) =>
        payloadType === this.#payloadType ? (opusSamplesIn(payload) ?? 0) : 0,
    });
  }

  get counters(): JitterBufferCounters {
    return this.#jitter.counters;
  }

  /** @param payloadType RTP payload type of Opus from now on. */
  connect(payloadType: number): void {
    this.#payloadType = payloadType;
  }

  push(packet: RtpPacket, arrivalMs: number): void {
    this.#jitter.push(packet, arrivalMs);
  }

  /**
   * Fills the next frame, with silence if nothing is to be heard.
   *
   * @param index Number of the frame in the call.
   */
  read(frame: Int16Array, nowMs: number, index: number): void {
    let filled = 0;
    while (filled < frame.length) {
      const at = index * FRAME_UNITS + filled * CLOCK_PER_SAMPLE;
      if (this.#pending.length === 0) this.#pending = this.#next(nowMs, at);
      const taken = this.#pending.subarray(0, frame.length - filled);
      if (taken.length === 0) {
        frame.fill(0, filled);
        break;
      }
      frame.set(taken, filled);
      filled += taken.length;
      this.#pending = this.#pending.subarray(taken.length);
    }
    this.#isQuiet = isQuiet(frame);
  }

  /** Returns an empty array if no audio is expected: the sender is silent (DTX) or gone. */
  #next(nowMs: number, at: number): Int16Array {
    const next = this.#jitter.pull(nowMs, this.#isQuiet);
    switch (next.kind) {
      case "frame":
        this.#tap?.caller("opus", next.payload, at);
        return this.#decode(next.payload);
      case "lost":
        this.#tap?.lost(next.samples, at);
        return this.#recover(next.samples / CLOCK_PER_SAMPLE, next.following);
      case "idle":
        return NO_AUDIO;
    }
  }

  #decode(payload: Uint8Array): Int16Array {
    try {
      return this.#decoder.decode(payload);
    } catch {
      // A payload that is not Opus counts as lost.
      return this.#recover((opusSamplesIn(payload) ?? 0) / CLOCK_PER_SAMPLE, undefined);
    }
  }

  /** Restores lost audio from the packet after it if that carries a copy (RFC 6716 §2.1.7), else conceals the loss. */
  #recover(samples: number, following: Uint8Array | undefined): Int16Array {
    try {
      return following === undefined
        ? this.#decoder.decodePacketLoss(samples)
        : this.#decoder.decode(following, { decodeFec: true, frameSize: samples });
    } catch {
      // Opus conceals only multiples of 2.5 ms.
      return new Int16Array(samples);
    }
  }
}
