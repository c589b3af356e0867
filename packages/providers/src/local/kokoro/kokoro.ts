import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Lexicon } from "../phonemes/lexicon.ts";
import { pronounceText } from "../phonemes/pronounce.ts";
import type { EngineVoice, SpeechEngine, SpeechPiece } from "../synthesis/engine.ts";
import { engineVersion } from "../synthesis/engine-version.ts";
import { phrasePauseMs, splitPhrases } from "../synthesis/phrases.ts";
import { shapePhrase } from "../synthesis/shape-phrase.ts";
import { type FrameRange, partFrames, speechFrames, wordEnds } from "./frames.ts";
import { CONTENT_ROWS, type EncodedPhrase, KokoroModel, STYLE_WIDTH } from "./kokoro-model.ts";
import { kokoroIds, kokoroSymbols, PAD_ID, SPACE_ID } from "./symbols.ts";

export interface LoadKokoroOptions {
  /** Folder returned by `ensureModels`, with `kokoro/model_fp16.onnx` and `kokoro/voices/*.bin`. */
  modelsDir: string;
  lexicon: Lexicon;
  /** Default 2, which takes half the time of 1. */
  threads?: number;
}

const SAMPLE_RATE_HZ = 24_000;
const MAX_SYMBOLS = 509;
/** A phrase sounds whole from half a second on; 150 phones stay well below `MAX_SYMBOLS`. */
const PHRASE_LIMITS = { minFirstPhones: 6, minPhones: 20, maxPhones: 150 };

/** Samples per frame. */
const FRAME_SAMPLES = 600;
const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1000;
const FRAME_MS = FRAME_SAMPLES / SAMPLES_PER_MS;
/** Frames beyond a part that are decoded with it and dropped, because sound depends on its neighbors. */
const CONTEXT_FRAMES = 8;
/** Length of the crossfade between two parts: 10 ms. */
const SEAM_SAMPLES = 240;
/** Enough for all allocations, without the time of a word. */
const WARM_UP_FRAMES = 8;

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
  readonly version = engineVersion("kokoro");
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly voices: readonly string[];
  readonly #model: KokoroModel;
  readonly #styles: ReadonlyMap<string, Float32Array>;
  readonly #lexicon: Lexicon;

  constructor(model: KokoroModel, styles: ReadonlyMap<string, Float32Array>, lexicon: Lexicon) {
    this.#model = model;
    this.#styles = styles;
    this.#lexicon = lexicon;
    this.voices = [...styles.keys()];
  }

  get isOpen(): boolean {
    return this.#model.isRunning;
  }

  get processorMs(): number {
    return this.#model.processorMs;
  }

  async *synthesize(text: string, voice: EngineVoice, signal: AbortSignal): AsyncGenerator<SpeechPiece> {
    const styles = this.#styles.get(voice.voice);
    if (styles === undefined) {
      throw new RangeError(`no voice ${voice.voice}`);
    }
    const phrases = splitPhrases(pronounceText(text, this.#lexicon), PHRASE_LIMITS);
    for (const [index, phrase] of phrases.entries()) {
      signal.throwIfAborted();
      const ids = kokoroIds(kokoroSymbols(phrase.tokens)).slice(0, MAX_SYMBOLS);
      const style = styles.slice(ids.length * STYLE_WIDTH, (ids.length + 1) * STYLE_WIDTH);
      const encoded = await this.#model.encode({ ids, style, speed: voice.speed });
      const frames = encoded.contents.length / CONTENT_ROWS;
      const whole = speechFrames(encoded.durations, frames, phrase.mark !== undefined);
      const { firstShare = 1 } = voice;
      const isParted = firstShare < 1 && index === 0;
      const ends = wordEnds(encoded.durations, ids, SPACE_ID);
      const parts = isParted ? partFrames(whole, ends, firstShare) : [whole];
      let overlap = new Float32Array(0);
      for (const part of parts) {
        signal.throwIfAborted();
        const decoded = await this.#decodePart(encoded, style, part, whole);
        blend(overlap, decoded);
        const isPhraseEnd = part.to === whole.to;
        const held = isPhraseEnd ? 0 : SEAM_SAMPLES;
        overlap = decoded.slice(decoded.length - held);
        const { samples, cutSamples } = shapePhrase(
          decoded.subarray(0, decoded.length - held),
          SAMPLE_RATE_HZ,
          {
            pauseMs: isPhraseEnd ? phrasePauseMs(phrase) : 0,
            hasStart: part.from === whole.from,
            hasEnd: isPhraseEnd,
          },
        );
        if (samples.length > 0) {
          const endFrames = isPhraseEnd ? [...ends, whole.to] : ends;
          const inPart = endFrames.filter((frame) => frame > part.from && frame <= part.to);
          const toMs = (frame: number): number =>
            (frame - part.from) * FRAME_MS - cutSamples / SAMPLES_PER_MS;
          const endsPhrase = isPhraseEnd && phrase.mark !== undefined;
          const isLast = isPhraseEnd && index + 1 === phrases.length;
          yield { samples, wordEndsMs: inPart.map(toMs), endsPhrase, isLast };
        }
      }
    }
  }

  async warmUp(): Promise<void> {
    const [voice] = this.#styles.values();
    const style = voice?.slice(0, STYLE_WIDTH) ?? new Float32Array(STYLE_WIDTH);
    const encoded = await this.#model.encode({ ids: [PAD_ID, PAD_ID], style, speed: 1 });
    const frames = encoded.contents.length / CONTENT_ROWS;
    await this.#decode(encoded, style, { from: 0, to: Math.min(WARM_UP_FRAMES, frames) });
  }

  async close(): Promise<void> {
    await this.#model.close();
  }

  /** Decodes the sound of a part with some context around it. */
  async #decodePart(
    encoded: EncodedPhrase,
    style: Float32Array,
    part: FrameRange,
    whole: FrameRange,
  ): Promise<Float32Array> {
    const from = Math.max(whole.from, part.from - CONTEXT_FRAMES);
    const to = Math.min(whole.to, part.to + CONTEXT_FRAMES);
    const samples = await this.#decode(encoded, style, { from, to });
    // The model rounds the length of its sound up; the last part includes the excess.
    const end = part.to === whole.to ? samples.length : (part.to - from) * FRAME_SAMPLES;
    const seam = part.from === whole.from ? 0 : SEAM_SAMPLES;
    return samples.subarray((part.from - from) * FRAME_SAMPLES - seam, end);
  }

  async #decode(
    { contents, pitches, energies }: EncodedPhrase,
    style: Float32Array,
    { from, to }: FrameRange,
  ): Promise<Float32Array> {
    return await this.#model.decode({
      style,
      contents: columns(contents, CONTENT_ROWS, from, to),
      // Pitch and energy have two values for each frame.
      pitches: pitches.slice(2 * from, 2 * to),
      energies: energies.slice(2 * from, 2 * to),
    });
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
 * texts, so it runs in float32, which takes no longer on a CPU. The model itself is opened, in a process of its own, by
 * `warmUp` or by the first words.
 *
 * @throws Error if the files of its voices are missing.
 */
export async function loadKokoro(options: LoadKokoroOptions): Promise<SpeechEngine> {
  const styles = await loadStyles(path.join(options.modelsDir, "kokoro", "voices"));
  return new Kokoro(new KokoroModel(options.modelsDir, options.threads ?? 2), styles, options.lexicon);
}
