import { decodePcma, decodePcmu, encodePcma, encodePcmu, G722Decoder, G722Encoder } from "@parley/audio";

export type CodecName = "PCMU" | "PCMA" | "G722";

/**
 * One direction or both of a stream in one codec. All of them make eight bytes of a millisecond, and count their RTP
 * timestamps in these (RFC 3551 §4.5.2 has G.722 do so, against its sample rate).
 */
export interface AudioCodec {
  readonly sampleRateHz: 8000 | 16000;
  encode: (pcm: Int16Array, out: Uint8Array) => Uint8Array;
  /** @param out As long as what `bytes` decode to. */
  decode: (bytes: Uint8Array, out: Int16Array) => Int16Array;
}

export const RTP_CLOCK_RATE_HZ = 8000;

/** RFC 3551 §6: these numbers mean the same in every session, so that a peer who sends one unasked is understood. */
export const staticPayloadTypes: ReadonlyMap<number, CodecName> = new Map([
  [0, "PCMU"],
  [8, "PCMA"],
  [9, "G722"],
]);
/** RFC 3389. */
export const COMFORT_NOISE_PAYLOAD_TYPE = 13;

const pcmu: AudioCodec = { sampleRateHz: 8000, encode: encodePcmu, decode: decodePcmu };
const pcma: AudioCodec = { sampleRateHz: 8000, encode: encodePcma, decode: decodePcma };

/** G.722 remembers what came before: each direction of each call needs its own. */
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
