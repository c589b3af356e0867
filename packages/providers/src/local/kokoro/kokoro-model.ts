import { ModelProcess } from "../onnx/model-process.ts";

/** Length of a style vector; a voice has one per number of symbols, from 0. */
export const STYLE_WIDTH = 256;
/** Rows of the content tensor. */
export const CONTENT_ROWS = 512;

/** The content of a phrase before its sound is decoded. */
export interface EncodedPhrase {
  /** `CONTENT_ROWS` rows with a value for each frame of 25 ms. */
  contents: Float32Array;
  /** Two values for each frame, as `energies`. */
  pitches: Float32Array;
  energies: Float32Array;
  /** Frames of each symbol, including the padding at both ends. */
  durations: Float32Array;
}

/** Symbols to content and prosody. */
export interface EncodeRequest {
  type: "encode";
  ids: readonly number[];
  style: Float32Array;
  /** 1 is the voice's own pace. */
  speed: number;
}

/** Frames of content and prosody to sound. */
export interface DecodeRequest extends Omit<EncodedPhrase, "durations"> {
  type: "decode";
  style: Float32Array;
}

export type KokoroRequest = EncodeRequest | DecodeRequest;
export type KokoroResult = EncodedPhrase | { samples: Float32Array };

/** The two parts of Kokoro, in a process of their own. */
export class KokoroModel extends ModelProcess<KokoroRequest, KokoroResult> {
  constructor(modelsDir: string, threads: number) {
    super({ entry: new URL("./kokoro-process.ts", import.meta.url), args: [modelsDir, String(threads)] });
  }

  async encode(request: Omit<EncodeRequest, "type">): Promise<EncodedPhrase> {
    const result = await this.run({ type: "encode", ...request });
    if ("samples" in result) throw new TypeError("the model returned sound for symbols");
    return result;
  }

  async decode(request: Omit<DecodeRequest, "type">): Promise<Float32Array> {
    const result = await this.run({ type: "decode", ...request });
    if ("samples" in result) return result.samples;
    throw new TypeError("the model returned no sound");
  }
}
