import { decodePcma, decodePcmu, encodePcma, encodePcmu, G722Decoder, G722Encoder } from "@parley/audio";

export type CodecName = "PCMU" | "PCMA" | "G722";

/**
 * Codec state of one stream, for one direction or both. All codecs here use eight bytes per millisecond and count RTP
 * timestamps in bytes (for G.722 despite its sample rate, RFC 3551 §4.5.2).
 */
export interface AudioCodec {
  readonly sampleRateHz: 8000 | 16000;
  encode: (pcm: Int16Array, out: Uint8Array) => Uint8Array;
  /** @param out Has the length of the decoded audio. */
  decode: (bytes: Uint8Array, out: Int16Array) => Int16Array;
}

export const RTP_CLOCK_RATE_HZ = 8000;

/** Static payload types (RFC 3551 §6). They are accepted even if they were not negotiated. */
export const staticPayloadTypes: ReadonlyMap<number, CodecName> = new Map([
  [0, "PCMU"],
  [8, "PCMA"],
  [9, "G722"],
]);
/** Comfort noise (RFC 3389). */
export const COMFORT_NOISE_PAYLOAD_TYPE = 13;

const pcmu: AudioCodec = { sampleRateHz: 8000, encode: encodePcmu, decode: decodePcmu };
const pcma: AudioCodec = { sampleRateHz: 8000, encode: encodePcma, decode: decodePcma };

/** Creates a codec. G.722 has state: each direction of each call needs its own instance. */
export function createAudioCodec(name: CodecName): AudioCodec {
  switch (name) {
    case "PCMU":
      return pcmu;
    case "PCMA":
      return pcma;
    case "G722": {
      const [encoder, decoder] = [new G722Encoder(), new G722Decoder()];
      return {
        sampleRateHz: 16_000,
        encode: (pcm, out) => encoder.encode(pcm, out),
        decode: (bytes, out) => decoder.decode(bytes, out),
      };
    }
  }
}
