import type { OpusDecoder } from "@parley/audio";
import { JitterBuffer, type JitterBufferCounters, type RtpPacket } from "@parley/rtp";
import { isQuiet } from "../phone/incoming-audio.ts";
import type { CallAudioTap } from "../recording/recording-spool.ts";
import { FRAME_UNITS, OPUS_CLOCK_RATE_HZ, opusSamplesIn, WEB_SAMPLE_RATE_HZ } from "./web-opus.ts";

const CLOCK_PER_SAMPLE = OPUS_CLOCK_RATE_HZ / WEB_SAMPLE_RATE_HZ;
const NO_AUDIO = new Int16Array(0);

/** What a call in the browser hears: packets of Opus in, an even stream of sound out. */
export class WebIncomingAudio {
  readonly #decoder: OpusDecoder;
  readonly #tap: CallAudioTap | undefined;
  readonly #jitter: JitterBuffer;
  #payloadType = -1;
  /** Sound that is not heard yet: what a packet longer than a frame leaves over. */
  #pending: Int16Array = NO_AUDIO;
  #isQuiet = true;

  /**
   * @param decoder Of `WEB_SAMPLE_RATE_HZ`, one channel; its owner frees it.
   * @param tap Gets what is heard, as it came.
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

  /** @param payloadType The one that means Opus from now on. */
  connect(payloadType: number): void {
    this.#payloadType = payloadType;
  }

  push(packet: RtpPacket, arrivalMs: number): void {
    this.#jitter.push(packet, arrivalMs);
  }

  /**
   * Fills a frame with what is to be heard next, silence where there is nothing.
   *
   * @param index Of the frame in the call.
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

  /** Empty where nothing is to be expected: the sender is silent (DTX), or gone. */
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
      // What is no Opus after all sounds like a loss.
      return this.#recover((opusSamplesIn(payload) ?? 0) / CLOCK_PER_SAMPLE, undefined);
    }
  }

  /** What was lost: out of the packet after it where that carries it (RFC 6716 §2.1.7), else concealed. */
  #recover(samples: number, following: Uint8Array | undefined): Int16Array {
    try {
      return following === undefined
        ? this.#decoder.decodePacketLoss(samples)
        : this.#decoder.decode(following, { decodeFec: true, frameSize: samples });
    } catch {
      // Opus conceals in steps of 2.5 ms only.
      return new Int16Array(samples);
    }
  }
}
