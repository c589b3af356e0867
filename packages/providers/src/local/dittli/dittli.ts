import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Lexicon } from "../phonemes/lexicon.ts";
import { pronounceText } from "../phonemes/pronounce.ts";
import type { EngineVoice, SpeechEngine, SpeechPiece } from "../synthesis/engine.ts";
import { engineVersion } from "../synthesis/engine-version.ts";
import { phrasePauseMs, splitPhrases } from "../synthesis/phrases.ts";
import { shapePhrase } from "../synthesis/shape-phrase.ts";
import { ModelProcess } from "../onnx/model-process.ts";
import { dittliInput, type DittliMetadata, type DittliRequest } from "./symbols.ts";

export interface LoadDittliOptions {
  /** Folder returned by `ensureModels`, with `dittli/model.onnx` and `dittli/metadata.json`. */
  modelsDir: string;
  lexicon: Lexicon;
  /** Default 1: the model is so small that a second thread gains little. */
  threads?: number;
}

const SAMPLE_RATE_HZ = 44_100;
const VOICE = "male";
/** The model is fast enough that a long phrase, which sounds better, is worth its wait. */
const PHRASE_LIMITS = { minFirstPhones: 20, minPhones: 40, maxPhones: 200 };

class Dittli implements SpeechEngine {
  readonly name = "local/dittli";
  readonly version = engineVersion("dittli");
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly voices = [VOICE];
  readonly #model: ModelProcess<DittliRequest, Float32Array>;
  readonly #metadata: DittliMetadata;
  readonly #lexicon: Lexicon;

  constructor(model: ModelProcess<DittliRequest, Float32Array>, metadata: DittliMetadata, lexicon: Lexicon) {
    this.#model = model;
    this.#metadata = metadata;
    this.#lexicon = lexicon;
  }

  get isOpen(): boolean {
    return this.#model.isRunning;
  }

  get processorMs(): number {
    return this.#model.processorMs;
  }

  async *synthesize(text: string, voice: EngineVoice, signal: AbortSignal): AsyncGenerator<SpeechPiece> {
    if (voice.voice !== VOICE) {
      throw new RangeError(`no voice ${voice.voice}`);
    }
    const phrases = splitPhrases(pronounceText(text, this.#lexicon), PHRASE_LIMITS);
    for (const [index, phrase] of phrases.entries()) {
      signal.throwIfAborted();
      const samples = await this.#model.run({
        input: dittliInput(phrase.tokens, this.#metadata),
        speed: voice.speed,
      });
      const shaped = shapePhrase(samples, SAMPLE_RATE_HZ, { pauseMs: phrasePauseMs(phrase) });
      if (shaped.samples.length > 0) {
        const endsPhrase = phrase.mark !== undefined;
        yield { samples: shaped.samples, wordEndsMs: [], endsPhrase, isLast: index + 1 === phrases.length };
      }
    }
  }

  async warmUp(): Promise<void> {
    await Array.fromAsync(
      this.synthesize("Hello.", { voice: VOICE, speed: 1 }, new AbortController().signal),
    );
  }

  async close(): Promise<void> {
    await this.#model.close();
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
 * Loads DittliTTS English (Apache-2.0, github.com/dittlihq/dittli-tts): one voice, about ten times faster than Kokoro
 * and harder to understand, for many concurrent calls. The model itself is opened, in a process of its own, by `warmUp`
 * or by the first words.
 *
 * @throws Error if its description is missing or belongs to another model.
 */
export async function loadDittli(options: LoadDittliOptions): Promise<SpeechEngine> {
  const metadata = await readFile(path.join(options.modelsDir, "dittli", "metadata.json"), "utf8");
  const model = new ModelProcess<DittliRequest, Float32Array>({
    entry: new URL("./dittli-process.ts", import.meta.url),
    args: [options.modelsDir, String(options.threads ?? 1)],
  });
  return new Dittli(model, readMetadata(metadata), options.lexicon);
}
