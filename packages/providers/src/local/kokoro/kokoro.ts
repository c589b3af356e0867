import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type * as Ort from "onnxruntime-node";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { Lexicon } from "../phonemes/lexicon.ts";
import { pronounceText } from "../phonemes/pronounce.ts";
import type { EngineVoice, SpeechEngine } from "../synthesis/engine.ts";
import { phrasePauseMs, splitPhrases } from "../synthesis/phrases.ts";
import { shapePhrase } from "../synthesis/shape-phrase.ts";
import { openPreparedModel } from "../onnx/prepared-model.ts";
import { CUT_VERSION, type Cut, cutModel, type FloatTensor } from "./onnx-graph.ts";
import { kokoroIds, kokoroSymbols, PAD_ID } from "./symbols.ts";

export interface LoadKokoroOptions {
  /** What `ensureModels` returned: reads `kokoro/model_fp16.onnx` and `kokoro/voices/*.bin` there. */
  modelsDir: string;
  lexicon: Lexicon;
  /** Default 2, which halves the time of 1. */
  threads?: number;
}

const MODEL_FILE = "model_fp16.onnx";
const SAMPLE_RATE_HZ = 24_000;
/** A voice is one style vector of this length for every count of symbols from 0. */
const STYLE_WIDTH = 256;
const MAX_SYMBOLS = 509;
/** From half a second on a phrase sounds whole; 150 phones stay well below `MAX_SYMBOLS`. */
const PHRASE_LIMITS = { minFirstPhones: 6, minPhones: 20, maxPhones: 150 };

// Where the model is cut in two: what is said and how (cheap), and the sound itself (nearly all the time).
const content: FloatTensor = { name: "/encoder/MatMul_1_output_0", shape: [1, 512, "frames"] };
const pitch: FloatTensor = { name: "/encoder/Reshape_output_0", shape: [1, "half_frames"] };
const energy: FloatTensor = { name: "/encoder/Reshape_1_output_0", shape: [1, "half_frames"] };
/** Frames of 25 ms for every token. */
const durations: FloatTensor = { name: "/encoder/Clip_output_0", shape: [1, "tokens"] };
const waveform: FloatTensor = { name: "waveform", shape: [1, "samples"] };

/** Frames kept before the first sound, which begins up to two frames early. */
const LEAD_FRAMES = 4;
/** The last sound is given the silence after it too; so many frames of it are sound. */
const LAST_SOUND_FRAMES = 10;

function float32Of(tensor: Tensor | undefined, name: string): Float32Array {
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

/**
 * The frames worth making into sound. The model spends near half of a short phrase on the silence round it, and
 * that silence takes as long to make as speech.
 */
function speechFrames(frames: Float32Array, total: number, hasMark: boolean): { from: number; to: number } {
  const closing = hasMark ? 2 : 1;
  const silentEnd = frames.subarray(frames.length - closing).reduce((sum, count) => sum + count, 0);
  const lastSound = frames.at(-closing - 1) ?? 0;
  const from = Math.max(0, (frames[0] ?? 0) - LEAD_FRAMES);
  const to = total - silentEnd - Math.max(0, lastSound - LAST_SOUND_FRAMES);
  return to > from ? { from, to } : { from: 0, to: total };
}

class Kokoro implements SpeechEngine {
  readonly name = "local/kokoro";
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly voices: readonly string[];
  readonly #ort: typeof Ort;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #styles: ReadonlyMap<string, Float32Array>;
  readonly #lexicon: Lexicon;
  #isClosed = false;

  constructor(
    ort: typeof Ort,
    encoder: InferenceSession,
    decoder: InferenceSession,
    styles: ReadonlyMap<string, Float32Array>,
    lexicon: Lexicon,
  ) {
    this.#ort = ort;
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#styles = styles;
    this.#lexicon = lexicon;
    this.voices = [...styles.keys()];
  }

  async *synthesize(text: string, voice: EngineVoice, signal: AbortSignal): AsyncGenerator<Float32Array> {
    const styles = this.#styles.get(voice.voice);
    if (styles === undefined) {
      throw new RangeError(`no voice ${voice.voice}`);
    }
    for (const phrase of splitPhrases(pronounceText(text, this.#lexicon), PHRASE_LIMITS)) {
      signal.throwIfAborted();
      const ids = kokoroIds(kokoroSymbols(phrase.tokens)).slice(0, MAX_SYMBOLS);
      const style = styles.slice(ids.length * STYLE_WIDTH, (ids.length + 1) * STYLE_WIDTH);
      const samples = await this.#run(ids, style, voice.speed, phrase.mark !== undefined, signal);
      const shaped = shapePhrase(samples, SAMPLE_RATE_HZ, phrasePauseMs(phrase));
      if (shaped.length > 0) {
        yield shaped;
      }
    }
  }

  async warmUp(): Promise<void> {
    const [voice = ""] = this.voices;
    const pieces = this.synthesize("Hello.", { voice, speed: 1 }, new AbortController().signal);
    await Array.fromAsync(pieces);
  }

  async close(): Promise<void> {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    await Promise.all([this.#encoder.release(), this.#decoder.release()]);
  }

  async #run(
    ids: readonly number[],
    style: Float32Array,
    speed: number,
    hasMark: boolean,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const { Tensor } = this.#ort;
    const padded = BigInt64Array.from([PAD_ID, ...ids, PAD_ID], BigInt);
    const styleTensor = new Tensor("float32", style, [1, STYLE_WIDTH]);
    const encoded = await this.#encoder.run({
      input_ids: new Tensor("int64", padded, [1, padded.length]),
      style: styleTensor,
      speed: new Tensor("float32", Float32Array.of(speed), [1]),
    });
    signal.throwIfAborted();
    const contents = float32Of(encoded[content.name], content.name);
    const rows = 512;
    const frames = float32Of(encoded[durations.name], durations.name);
    const { from, to } = speechFrames(frames, contents.length / rows, hasMark);
    const width = to - from;
    // Pitch and energy have two values for each frame.
    const curve = (tensor: FloatTensor): Tensor => {
      const values = float32Of(encoded[tensor.name], tensor.name);
      return new Tensor("float32", columns(values, 1, 2 * from, 2 * to), [1, 2 * width]);
    };
    const decoded = await this.#decoder.run({
      style: styleTensor,
      [content.name]: new Tensor("float32", columns(contents, rows, from, to), [1, rows, width]),
      [pitch.name]: curve(pitch),
      [energy.name]: curve(energy),
    });
    return float32Of(decoded[waveform.name], waveform.name);
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
 * Loads Kokoro-82M (Apache-2.0, huggingface.co/hexgrad/Kokoro-82M). The float16 model gives NaN for some voices
 * and texts, so it runs in float32, which takes no longer on a CPU.
 *
 * @throws when a file is missing or is another model.
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
        // Every text has another length, for which a memory plan would be made anew.
        enableMemPattern: false,
        logSeverityLevel: 3,
      },
    });
  const encoder = await open("encoder", { inputs: [], outputs: [content, pitch, energy, durations] });
  const decoder = await open("decoder", { inputs: [content, pitch, energy], outputs: [waveform] });
  const styles = await loadStyles(path.join(folder, "voices"));
  return new Kokoro(ort, encoder, decoder, styles, options.lexicon);
}
