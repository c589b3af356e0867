import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type * as Ort from "onnxruntime-node";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { Lexicon } from "../phonemes/lexicon.ts";
import { pronounceText } from "../phonemes/pronounce.ts";
import type { EngineVoice, SpeechEngine, SpeechPiece } from "../synthesis/engine.ts";
import { engineVersion } from "../synthesis/engine-version.ts";
import { phrasePauseMs, splitPhrases } from "../synthesis/phrases.ts";
import { shapePhrase } from "../synthesis/shape-phrase.ts";
import { openPreparedModel } from "../onnx/prepared-model.ts";
import { CUT_VERSION, type Cut, cutModel, type FloatTensor } from "./onnx-graph.ts";
import { type FrameRange, partFrames, speechFrames, wordEnds } from "./frames.ts";
import { kokoroIds, kokoroSymbols, PAD_ID, SPACE_ID } from "./symbols.ts";

export interface LoadKokoroOptions {
  /** Folder returned by `ensureModels`, with `kokoro/model_fp16.onnx` and `kokoro/voices/*.bin`. */
  modelsDir: string;
  lexicon: Lexicon;
  /** Default 2, which takes half the time of 1. */
  threads?: number;
}

const MODEL_FILE = "model_fp16.onnx";
const SAMPLE_RATE_HZ = 24_000;
/** Length of a style vector; a voice has one per number of symbols, from 0. */
const STYLE_WIDTH = 256;
const MAX_SYMBOLS = 509;
/** A phrase sounds whole from half a second on; 150 phones stay well below `MAX_SYMBOLS`. */
const PHRASE_LIMITS = { minFirstPhones: 6, minPhones: 20, maxPhones: 150 };

// Tensors at which the model is split in two: content and prosody (cheap), and the sound itself (nearly all the time).
const content: FloatTensor = { name: "/encoder/MatMul_1_output_0", shape: [1, 512, "frames"] };
const pitch: FloatTensor = { name: "/encoder/Reshape_output_0", shape: [1, "half_frames"] };
const energy: FloatTensor = { name: "/encoder/Reshape_1_output_0", shape: [1, "half_frames"] };
/** Frames of 25 ms for every token. */
const durations: FloatTensor = { name: "/encoder/Clip_output_0", shape: [1, "tokens"] };
const waveform: FloatTensor = { name: "waveform", shape: [1, "samples"] };

/** Samples per frame. */
const FRAME_SAMPLES = 600;
const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1000;
const FRAME_MS = FRAME_SAMPLES / SAMPLES_PER_MS;
const CONTENT_ROWS = 512;
/** Frames beyond a part that are decoded with it and dropped, because sound depends on its neighbors. */
const CONTEXT_FRAMES = 8;
/** Length of the crossfade between two parts: 10 ms. */
const SEAM_SAMPLES = 240;
/** Enough for all allocations, without the time of a word. */
const WARM_UP_FRAMES = 8;

/** The content of a phrase before its sound is decoded. */
interface EncodedPhrase {
  style: Tensor;
  contents: Float32Array;
  pitches: Float32Array;
  energies: Float32Array;
  durations: Float32Array;
}

function readFloat32(tensor: Tensor | undefined, name: string): Float32Array {
  if (tensor?.data instanceof Float32Array) {
    return tensor.data;
  }
  throw new TypeError(`the model has no float32 output ${name}`);
}

/** The columns `[from, to)` of a tensor of `rows` rows. */
function columns(values: Float32Array, rows: number, from: number, to: number): Float32Array {
  const width = values.length / rows;
  const kept = new Float32Array(rows * (to - from));
  for (let row = 0; row < rows; row++) {
    kept.set(values.subarray(row * width + from, row * width + to), row * (to - from));
  }
  return kept;
}

/** Crossfades from the end of one part to the beginning of the next, which contains the same moment. */
function blend(ending: Float32Array, beginning: Float32Array): void {
  for (const [at, sample] of ending.entries()) {
    const share = (at + 1) / (ending.length + 1);
    beginning[at] = (beginning[at] ?? 0) * share + sample * (1 - share);
  }
}

class Kokoro implements SpeechEngine {
  readonly name = "local/kokoro";
  readonly version: string;
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly voices: readonly string[];
  readonly #ort: typeof Ort;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #styles: ReadonlyMap<string, Float32Array>;
  readonly #lexicon: Lexicon;
  #isClosed = false;

  constructor(
    version: string,
    ort: typeof Ort,
    encoder: InferenceSession,
    decoder: InferenceSession,
    styles: ReadonlyMap<string, Float32Array>,
    lexicon: Lexicon,
  ) {
    this.version = version;
    this.#ort = ort;
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#styles = styles;
    this.#lexicon = lexicon;
    this.voices = [...styles.keys()];
  }

  async *synthesize(text: string, voice: EngineVoice, signal: AbortSignal): AsyncGenerator<SpeechPiece> {
    const styles = this.#styles.get(voice.voice);
    if (styles === undefined) {
      throw new RangeError(`no voice ${voice.voice}`);
    }
    for (const [index, phrase] of splitPhrases(pronounceText(text, this.#lexicon), PHRASE_LIMITS).entries()) {
      signal.throwIfAborted();
      const ids = kokoroIds(kokoroSymbols(phrase.tokens)).slice(0, MAX_SYMBOLS);
      const style = styles.slice(ids.length * STYLE_WIDTH, (ids.length + 1) * STYLE_WIDTH);
      const encoded = await this.#encode(ids, style, voice.speed);
      const frames = encoded.contents.length / CONTENT_ROWS;
      const whole = speechFrames(encoded.durations, frames, phrase.mark !== undefined);
      const isParted = voice.isUrgent === true && index === 0;
      const ends = wordEnds(encoded.durations, ids, SPACE_ID);
      const parts = isParted ? partFrames(whole, ends) : [whole];
      let overlap = new Float32Array(0);
      for (const part of parts) {
        signal.throwIfAborted();
        const decoded = await this.#decodePart(encoded, part, whole);
        blend(overlap, decoded);
        const isLast = part.to === whole.to;
        const held = isLast ? 0 : SEAM_SAMPLES;
        overlap = decoded.slice(decoded.length - held);
        const { samples, cutSamples } = shapePhrase(
          decoded.subarray(0, decoded.length - held),
          SAMPLE_RATE_HZ,
          {
            pauseMs: isLast ? phrasePauseMs(phrase) : 0,
            hasStart: part.from === whole.from,
            hasEnd: isLast,
          },
        );
        if (samples.length > 0) {
          const endFrames = isLast ? [...ends, whole.to] : ends;
          const inPart = endFrames.filter((frame) => frame > part.from && frame <= part.to);
          const toMs = (frame: number): number =>
            (frame - part.from) * FRAME_MS - cutSamples / SAMPLES_PER_MS;
          const endsPhrase = isLast && phrase.mark !== undefined;
          yield { samples, wordEndsMs: inPart.map(toMs), endsPhrase };
        }
      }
    }
  }

  async warmUp(): Promise<void> {
    const style = this.#styles.values().next().value ?? new Float32Array(STYLE_WIDTH);
    const encoded = await this.#encode([PAD_ID, PAD_ID], style.slice(0, STYLE_WIDTH), 1);
    const frames = encoded.contents.length / CONTENT_ROWS;
    await this.#decode(encoded, { from: 0, to: Math.min(WARM_UP_FRAMES, frames) });
  }

  async close(): Promise<void> {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    await Promise.all([this.#encoder.release(), this.#decoder.release()]);
  }

  async #encode(ids: readonly number[], style: Float32Array, speed: number): Promise<EncodedPhrase> {
    const { Tensor } = this.#ort;
    const padded = BigInt64Array.from([PAD_ID, ...ids, PAD_ID], BigInt);
    const styleTensor = new Tensor("float32", style, [1, STYLE_WIDTH]);
    const encoded = await this.#encoder.run({
      input_ids: new Tensor("int64", padded, [1, padded.length]),
      style: styleTensor,
      speed: new Tensor("float32", Float32Array.of(speed), [1]),
    });
    const readValues = ({ name }: FloatTensor): Float32Array => readFloat32(encoded[name], name);
    return {
      style: styleTensor,
      contents: readValues(content),
      pitches: readValues(pitch),
      energies: readValues(energy),
      durations: readValues(durations),
    };
  }

  /** Decodes the sound of a part with some context around it. */
  async #decodePart(encoded: EncodedPhrase, part: FrameRange, whole: FrameRange): Promise<Float32Array> {
    const from = Math.max(whole.from, part.from - CONTEXT_FRAMES);
    const to = Math.min(whole.to, part.to + CONTEXT_FRAMES);
    const samples = await this.#decode(encoded, { from, to });
    // The model rounds the length of its sound up; the last part includes the excess.
    const end = part.to === whole.to ? samples.length : (part.to - from) * FRAME_SAMPLES;
    const seam = part.from === whole.from ? 0 : SEAM_SAMPLES;
    return samples.subarray((part.from - from) * FRAME_SAMPLES - seam, end);
  }

  async #decode(encoded: EncodedPhrase, { from, to }: FrameRange): Promise<Float32Array> {
    const { Tensor } = this.#ort;
    const width = to - from;
    const contents = columns(encoded.contents, CONTENT_ROWS, from, to);
    // Pitch and energy have two values for each frame.
    const curve = (values: Float32Array): Tensor =>
      new Tensor("float32", values.slice(2 * from, 2 * to), [1, 2 * width]);
    const decoded = await this.#decoder.run({
      style: encoded.style,
      [content.name]: new Tensor("float32", contents, [1, CONTENT_ROWS, width]),
      [pitch.name]: curve(encoded.pitches),
      [energy.name]: curve(encoded.energies),
    });
    return readFloat32(decoded[waveform.name], waveform.name);
  }
}

async function loadStyles(folder: string): Promise<Map<string, Float32Array>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".bin")).sort();
  const styles = await Promise.all(
    files.map(async (file) => {
      const bytes = new Uint8Array(await readFile(path.join(folder, file)));
      return [path.basename(file, ".bin"), new Float32Array(bytes.buffer)] as const;
    }),
  );
  return new Map(styles);
}

/**
 * Loads Kokoro-82M (Apache-2.0, huggingface.co/hexgrad/Kokoro-82M). The float16 model returns NaN for some voices and
 * texts, so it runs in float32, which takes no longer on a CPU.
 *
 * @throws Error if a file is missing or belongs to another model.
 */
export async function loadKokoro(options: LoadKokoroOptions): Promise<SpeechEngine> {
  const ort = await import("onnxruntime-node");
  const folder = path.join(options.modelsDir, "kokoro");
  const open = async (part: string, cut: Cut): Promise<InferenceSession> =>
    await openPreparedModel({
      modelsDir: options.modelsDir,
      name: `kokoro-${part}`,
      source: path.join("kokoro", MODEL_FILE),
      recipe: JSON.stringify([CUT_VERSION, cut]),
      make: async () => cutModel(await readFile(path.join(folder, MODEL_FILE)), cut),
      session: {
        intraOpNumThreads: options.threads ?? 2,
        // Every text has another length, which would need a new memory plan each time.
        enableMemPattern: false,
        logSeverityLevel: 3,
      },
    });
  const encoder = await open("encoder", { inputs: [], outputs: [content, pitch, energy, durations] });
  const decoder = await open("decoder", { inputs: [content, pitch, energy], outputs: [waveform] });
  const styles = await loadStyles(path.join(folder, "voices"));
  return new Kokoro(engineVersion("kokoro"), ort, encoder, decoder, styles, options.lexicon);
}
