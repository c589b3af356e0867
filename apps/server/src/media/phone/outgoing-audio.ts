import { Resampler } from "@parley/audio";
import { type AudioPacket, AudioPacketizer } from "@parley/rtp";
import { type AudioCodec, type CodecName, createAudioCodec } from "../audio-codec.ts";
import { type CallAudioTap, toSpoolClock } from "../recording/recording-spool.ts";

const FRAME_MS = 20;
const FRAME_BYTES = 160;

/** Encodes 20 ms frames into packets of the duration that the peer requested (ptime). */
export class OutgoingAudio {
  readonly #sampleRateHz: 8000 | 16000;
  readonly #tap: CallAudioTap | undefined;
  readonly #silence: Int16Array;
  readonly #packetizer: AudioPacketizer;
  readonly #payload = new Uint8Array(FRAME_BYTES);
  #codecName: CodecName = "PCMU";
  #codec: AudioCodec = createAudioCodec(this.#codecName);
  #resampler: Resampler;
  #wasSpeaking = false;

  /**
   * @param sampleRateHz Sample rate of the frames.
   * @param tap Receives the payloads as they are sent.
   */
  constructor(sampleRateHz: 8000 | 16000, send: (packet: AudioPacket) => void, tap?: CallAudioTap) {
    this.#sampleRateHz = sampleRateHz;
    this.#tap = tap;
    this.#silence = new Int16Array((FRAME_MS * sampleRateHz) / 1000);
    this.#packetizer = new AudioPacketizer(FRAME_MS, send);
    this.#resampler = new Resampler(sampleRateHz, this.#codec.sampleRateHz);
  }

  connect(codec: CodecName, ptimeMs: number): void {
    this.#packetizer.ptimeMs = ptimeMs;
    if (codec === this.#codecName) return;
    this.#codecName = codec;
    this.#codec = createAudioCodec(codec);
    this.#resampler = new Resampler(this.#sampleRateHz, this.#codec.sampleRateHz);
  }

  /**
   * @param pcm 20 ms of audio; `undefined` for silence.
   * @param timestamp In units of the RTP clock.
   */
  write(pcm: Int16Array | undefined, timestamp: number): void {
    this.#codec.encode(this.#resampler.process(pcm ?? this.#silence), this.#payload);
    // RFC 3551 §4.1: the marker bit denotes the first packet of a talk spurt.
    const marker = pcm !== undefined && !this.#wasSpeaking;
    this.#wasSpeaking = pcm !== undefined;
    this.#tap?.agent(this.#codecName, this.#payload, toSpoolClock(timestamp));
    this.#packetizer.write(this.#payload, timestamp, marker);
  }
}
