/** The only Opus codec (docs/decisions/2026-11-21-opus.md); the creator of an encoder or decoder frees it. */
export {
  Application as OpusApplication,
  createDecoder as createOpusDecoder,
  createEncoder as createOpusEncoder,
  Signal as OpusSignal,
  type OpusDecoderHandle as OpusDecoder,
  type OpusEncoderHandle as OpusEncoder,
} from "libopus-wasm";
