import type { OpusEncoder } from "@parley/audio";
import type { CallAudioTap } from "../recording/recording-spool.ts";
import { emptyOpusPacket, FRAME_SAMPLES, FRAME_UNITS } from "./web-opus.ts";

/** Frames of silence that are encoded, so that the decoder settles on silence. After them only DTX packets are sent. */
const CODED_SILENCE_FRAMES = 10;
const DTX_INTERVAL_FRAMES = 20;
/** Below this loss, forward error correction costs more quality than it restores. */
const MIN_FEC_LOSS_PERCENT = 2;
const MAX_LOSS_PERCENT = 30;

export interface OpusPacket {
  payload: Uint8Array;
  /** In units of the RTP clock. */
  timestamp: number;
  marker: boolean;
}

/** Encodes 20 ms frames into Opus packets, and sends few packets while the agent is silent (DTX). */
export class WebOutgoingAudio {
  readonly #encoder: OpusEncoder;
  readonly #send: (packet: OpusPacket) => void;
  readonly #tap: CallAudioTap | undefined;
  readonly #silence = new Int16Array(FRAME_SAMPLES);
  #silentFrames = 0;
  #empty: Uint8Array = Uint8Array.of(0);
  #lossPercent = 0;

  /**
   * @param encoder Mono, for 20 ms frames at `WEB_SAMPLE_RATE_HZ`. The caller frees it.
   * @param tap Receives the payloads as they are sent.
   */
  constructor(encoder: OpusEncoder, send: (packet: OpusPacket) => void, tap: CallAudioTap | undefined) {
    this.#encoder = encoder;
    this.#send = send;
    this.#tap = tap;
  }

  /**
   * @param pcm 20 ms of audio; `undefined` for silence.
   * @param frame Number of frames since the first.
   */
  write(pcm: Int16Array | undefined, frame: number): void {
    const timestamp = frame * FRAME_UNITS;
    const wasSilent = this.#silentFrames > 0;
    this.#silentFrames = pcm === undefined ? this.#silentFrames + 1 : 0;
    if (this.#silentFrames <= CODED_SILENCE_FRAMES) {
      const payload = this.#encoder.encode(pcm ?? this.#silence);
      this.#empty = emptyOpusPacket(payload);
      this.#tap?.agent("opus", payload, timestamp);
      // RFC 3551 §4.1: the marker bit denotes the first packet of a talk spurt.
      this.#send({ payload, timestamp, marker: pcm !== undefined && wasSilent });
    } else if ((this.#silentFrames - CODED_SILENCE_FRAMES) % DTX_INTERVAL_FRAMES === 1) {
      this.#send({ payload: this.#empty, timestamp, marker: false });
    }
  }

  /** @param fraction Share of sent packets that the browser reports as lost, 0 to 1. */
  expectLoss(fraction: number): void {
    const percent = Math.min(MAX_LOSS_PERCENT, Math.round(100 * fraction));
    if (percent === this.#lossPercent) return;
    this.#lossPercent = percent;
    this.#encoder.setPacketLossPercent(percent);
    this.#encoder.setFec(percent >= MIN_FEC_LOSS_PERCENT);
  }
}
