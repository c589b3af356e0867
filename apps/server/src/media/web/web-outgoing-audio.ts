import type { OpusEncoder } from "@parley/audio";
import type { CallAudioTap } from "../recording/recording-spool.ts";
import { emptyOpusPacket, FRAME_SAMPLES, FRAME_UNITS } from "./web-opus.ts";

/** Silence is coded for so long, so that what follows it is silence; then it is only announced, as encoders with DTX do. */
const CODED_SILENCE_FRAMES = 10;
const ANNOUNCEMENT_FRAMES = 20;
/** Below, forward error correction takes more from the sound than it gives. */
const LEAST_LOSS_PERCENT = 2;
const MOST_LOSS_PERCENT = 30;

export interface OpusPacket {
  payload: Uint8Array;
  /** Of the RTP clock. */
  timestamp: number;
  marker: boolean;
}

/** What a call in the browser says: frames of 20 ms in, packets of Opus out, few of them while the agent is silent. */
export class WebOutgoingAudio {
  readonly #encoder: OpusEncoder;
  readonly #send: (packet: OpusPacket) => void;
  readonly #tap: CallAudioTap | undefined;
  readonly #silence = new Int16Array(FRAME_SAMPLES);
  #silentFrames = 0;
  #empty: Uint8Array = Uint8Array.of(0);
  #lossPercent = 0;

  /**
   * @param encoder Of frames of 20 ms at `WEB_SAMPLE_RATE_HZ`, one channel; its owner frees it.
   * @param tap Gets what is said, as it is sent.
   */
  constructor(encoder: OpusEncoder, send: (packet: OpusPacket) => void, tap: CallAudioTap | undefined) {
    this.#encoder = encoder;
    this.#send = send;
    this.#tap = tap;
  }

  /**
   * @param pcm 20 ms; undefined: silence.
   * @param frame How many have passed since the first.
   */
  write(pcm: Int16Array | undefined, frame: number): void {
    const timestamp = frame * FRAME_UNITS;
    const wasSilent = this.#silentFrames > 0;
    this.#silentFrames = pcm === undefined ? this.#silentFrames + 1 : 0;
    if (this.#silentFrames <= CODED_SILENCE_FRAMES) {
      const payload = this.#encoder.encode(pcm ?? this.#silence);
      this.#empty = emptyOpusPacket(payload);
      this.#tap?.agent("opus", payload, timestamp);
      // RFC 3551 §4.1: the marker shows the first packet of a talk spurt.
      this.#send({ payload, timestamp, marker: pcm !== undefined && wasSilent });
    } else if ((this.#silentFrames - CODED_SILENCE_FRAMES) % ANNOUNCEMENT_FRAMES === 1) {
      this.#send({ payload: this.#empty, timestamp, marker: false });
    }
  }

  /** @param fraction Of our packets that the other side misses, 0 to 1. */
  expectLoss(fraction: number): void {
    const percent = Math.min(MOST_LOSS_PERCENT, Math.round(100 * fraction));
    if (percent === this.#lossPercent) return;
    this.#lossPercent = percent;
    this.#encoder.setPacketLossPercent(percent);
    this.#encoder.setFec(percent >= LEAST_LOSS_PERCENT);
  }
}
