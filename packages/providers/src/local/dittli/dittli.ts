import { readFile } from "node:fs/promises";
import path from "node:path";
import type * as Ort from "onnxruntime-node";
import type { InferenceSession } from "onnxruntime-node";
import type { Lexicon } from "../phonemes/lexicon.ts";
import { pronounceText } from "../phonemes/pronounce.ts";
import type { EngineVoice, SpeechEngine } from "../synthesis/engine.ts";
import { phrasePauseMs, splitPhrases } from "../synthesis/phrases.ts";
import { shapePhrase } from "../synthesis/shape-phrase.ts";
import { dittliInput, type DittliInput, type DittliMetadata } from "./symbols.ts";

export interface LoadDittliOptions {
  /** What `ensureModels` returned: reads `dittli/model.onnx` and `dittli/metadata.json` there. */
  modelsDir: string;
  lexicon: Lexicon;
  /** Default 1: the model is so small that a second thread gains little. */
  threads?: number;
}

const SAMPLE_RATE_HZ = 44_100;
const VOICE = "male";
/** Fast enough that a long phrase, which sounds better, is worth its wait. */
const PHRASE_LIMITS = { minFirstPhones: 20, minPhones: 40, maxPhones: 200 };
/** Variation of sound and of durations: the values the model is published with. */
const NOISE_SCALE = 0.667;
const DURATION_NOISE_SCALE = 0.8;
/** Text features that the English voice was trained to do without; all zero. */
const BERT_WIDTH = 1024;
const JA_BERT_WIDTH = 768;

class Dittli implements SpeechEngine {
  readonly name = "local/dittli";
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly voices = [VOICE];
  readonly #ort: typeof Ort;
  readonly #session: InferenceSession;
  readonly #metadata: DittliMetadata;
  readonly #lexicon: Lexicon;
  #isClosed = false;

  constructor(ort: typeof Ort, session: InferenceSession, metadata: DittliMetadata, lexicon: Lexicon) {
    this.#ort = ort;
    this.#session = session;
    this.#metadata = metadata;
    this.#lexicon = lexicon;
  }

  async *synthesize(text: string, voice: EngineVoice, signal: AbortSignal): AsyncGenerator<Float32Array> {
    if (voice.voice !== VOICE) {
      throw new RangeError(`no voice ${voice.voice}`);
    }
    for (const phrase of splitPhrases(pronounceText(text, this.#lexicon), PHRASE_LIMITS)) {
      signal.throwIfAborted();
      const samples = await this.#run(dittliInput(phrase.tokens, this.#metadata), voice.speed);
      const shaped = shapePhrase(samples, SAMPLE_RATE_HZ, phrasePauseMs(phrase));
      if (shaped.length > 0) {
        yield shaped;
      }
    }
  }

  async warmUp(): Promise<void> {
    await Array.fromAsync(
      this.synthesize("Hello.", { voice: VOICE, speed: 1 }, new AbortController().signal),
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    await this.#session.release();
  }

  async #run(input: DittliInput, speed: number): Promise<Float32Array> {
    const { Tensor } = this.#ort;
    const length = input.symbols.length;
    const integers = (values: readonly number[], shape: readonly number[]): Ort.Tensor =>
      new Tensor("int64", BigInt64Array.from(values, BigInt), shape);
    const scalar = (value: number): Ort.Tensor => new Tensor("float32", Float32Array.of(value), [1]);
    const zeros = (width: number): Ort.Tensor =>
      new Tensor("float32", new Float32Array(width * length), [1, width, length]);
    const { audio } = await this.#session.run({
      x: integers(input.symbols, [1, length]),
      x_lengths: integers([length], [1]),
      sid: integers([0], [1]),
      tone: integers(input.tones, [1, length]),
      language: integers(input.languages, [1, length]),
      bert: zeros(BERT_WIDTH),
      ja_bert: zeros(JA_BERT_WIDTH),
      noise_scale: scalar(NOISE_SCALE),
      noise_scale_w: scalar(DURATION_NOISE_SCALE),
      length_scale: scalar(1 / speed),
    });
    if (audio?.data instanceof Float32Array) {
      return audio.data;
    }
    throw new TypeError("the model has no float32 output audio");
  }
}

function readMetadata(json: string): DittliMetadata {
  const raw: unknown = JSON.parse(json);
  const fields = typeof raw === "object" && raw !== null ? raw : {};
  if (
    "language_id" in fields &&
    typeof fields.language_id === "number" &&
    "tone_offset" in fields &&
    typeof fields.tone_offset === "number" &&
    "sample_rate" in fields &&
    fields.sample_rate === SAMPLE_RATE_HZ &&
    "symbols" in fields &&
    Array.isArray(fields.symbols)
  ) {
    return {
      languageId: fields.language_id,
      toneOffset: fields.tone_offset,
      symbols: fields.symbols.map(String),
    };
  }
  throw new TypeError("dittli/metadata.json is not what the model was published with");
}

/**
 * Loads DittliTTS English (Apache-2.0, github.com/dittlihq/dittli-tts): one voice, some ten times faster than
 * Kokoro and harder to understand, for many calls at once.
 *
 * @throws when a file is missing or is another model.
 */
export async function loadDittli(options: LoadDittliOptions): Promise<SpeechEngine> {
  const ort = await import("onnxruntime-node");
  const folder = path.join(options.modelsDir, "dittli");
  const metadata = readMetadata(await readFile(path.join(folder, "metadata.json"), "utf8"));
  const session = await ort.InferenceSession.create(path.join(folder, "model.onnx"), {
    intraOpNumThreads: options.threads ?? 1,
    enableMemPattern: false,
    logSeverityLevel: 3,
  });
  return new Dittli(ort, session, metadata, options.lexicon);
}
