import { LossConcealer, type OpusDecoder, Resampler } from "@parley/audio";
import { type AudioCodec, type CodecName, createAudioCodec, RTP_CLOCK_RATE_HZ } from "../audio-codec.ts";
import { type RecordingRateHz, SPOOL_RATE_HZ, type SpoolCodec } from "./recording-format.ts";

/** Longest packet (RFC 6716 §2.1.4). Frames are multiples of 2.5 ms. */
const MAX_OPUS_MS = 120;
const OPUS_STEPS_PER_SECOND = 400;
const NO_AUDIO = new Int16Array(0);

/** A telephone codec with the state of its loss concealment and its resampler. */
interface PhoneDecoder {
  name: CodecName;
  codec: AudioCodec;
  concealer: LossConcealer;
  resampler: Resampler;
}

/** Decodes one direction of a call to the recording's sample rate, across changes of codec. */
export class RecordingVoice {
  readonly #rateHz: RecordingRateHz;
  readonly #opus: OpusDecoder;
  /** `undefined` before the first packet and while the codec is Opus. */
  #phone: PhoneDecoder | undefined;

  /** @param opus Mono decoder at this rate. The caller frees it. */
  constructor(rateHz: RecordingRateHz, opus: OpusDecoder) {
    this.#rateHz = rateHz;
    this.#opus = opus;
  }

  /** Returns an empty array if the packet is malformed. */
  decode(codec: SpoolCodec, payload: Uint8Array): Int16Array {
    if (codec === "opus") {
      this.#phone = undefined;
      return this.#decodeOpus(payload);
    }
    if (this.#phone?.name !== codec) this.#phone = createPhoneDecoder(codec, this.#rateHz);
    const { codec: decoder, concealer, resampler } = this.#phone;
    const samples = (payload.length * decoder.sampleRateHz) / RTP_CLOCK_RATE_HZ;
    const pcm = decoder.decode(payload, new Int16Array(samples));
    concealer.good(pcm);
    return resampler.process(pcm);
  }

  /** @param samples Duration in samples at 48 kHz. */
  conceal(samples: number): Int16Array {
    if (this.#phone === undefined) return this.#concealOpus(samples);
    const { codec, concealer, resampler } = this.#phone;
    return resampler.process(concealer.conceal(Math.round((samples * codec.sampleRateHz) / SPOOL_RATE_HZ)));
  }

  #decodeOpus(payload: Uint8Array): Int16Array {
    try {
      return this.#opus.decode(payload);
    } catch {
      // Malformed by RFC 6716 §3.4.
      return NO_AUDIO;
    }
  }

  #concealOpus(samples: number): Int16Array {
    const step = this.#rateHz / OPUS_STEPS_PER_SECOND;
    const wanted = Math.round((samples * this.#rateHz) / SPOOL_RATE_HZ / step) * step;
    const frameSize = Math.min(wanted, (MAX_OPUS_MS * this.#rateHz) / 1000);
    return frameSize === 0 ? NO_AUDIO : this.#opus.decodePacketLoss(frameSize);
  }
}

function createPhoneDecoder(name: CodecName, rateHz: RecordingRateHz): PhoneDecoder {
  const codec = createAudioCodec(name);
  return {
    name,
    codec,
    concealer: new LossConcealer(codec.sampleRateHz),
    resampler: new Resampler(codec.sampleRateHz, rateHz),
  };
}
