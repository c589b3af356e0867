import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { Resampler } from "@parley/audio";
import type { Timers } from "@parley/conversation";
import { loadMoonshine, type LocalSpeechToTextOptions, type Moonshine } from "@parley/providers";

type InferenceClient = LocalSpeechToTextOptions["inference"];

const file = path.join(import.meta.dirname, "set", "transcripts.json");
/** What the recogniser takes on one core of the reference machine: measured, see `docs/performance.md`. */
const BASE_DELAY_MS = 40;
const DELAY_PER_AUDIO_MS = 0.05;

/**
 * Moonshine base with a memory: what it heard in some audio is kept beside the set, so that only audio which no run
 * has cut out before costs the model's time.
 */
export class StoredRecogniser {
  readonly #modelsDir: string;
  readonly #texts: Map<string, string>;
  readonly #used = new Map<string, string>();
  #model: Promise<Moonshine> | undefined;
  /** The model takes one utterance at a time. */
  #queue: Promise<unknown> = Promise.resolve();
  modelRuns = 0;

  constructor(modelsDir: string, texts: Map<string, string>) {
    this.#modelsDir = modelsDir;
    this.#texts = texts;
  }

  static async open(modelsDir: string): Promise<StoredRecogniser> {
    const stored: Record<string, string> = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
    return new StoredRecogniser(modelsDir, new Map(Object.entries(stored)));
  }

  /** @param pcm 8 kHz. */
  async transcribe(pcm: Int16Array): Promise<string> {
    const key = createHash("sha1")
      .update(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength))
      .digest("base64");
    const text = this.#texts.get(key) ?? (await this.#hear(pcm));
    this.#texts.set(key, text);
    this.#used.set(key, text);
    return text;
  }

  /** Keeps what was heard; where the whole set was run, only what this run asked for. */
  async save(isWhole: boolean): Promise<void> {
    const entries = [...(isWhole ? this.#used : this.#texts)].sort(([a], [b]) => (a < b ? -1 : 1));
    await writeFile(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  }

  async close(): Promise<void> {
    const model = await this.#model;
    await model?.close();
  }

  async #hear(pcm: Int16Array): Promise<string> {
    this.#model ??= loadMoonshine({ modelsDir: this.#modelsDir, size: "base" });
    const model = await this.#model;
    const result = this.#queue.then(async () => {
      this.modelRuns += 1;
      return await model.transcribe(new Resampler(8000, 16_000).process(pcm), new AbortController().signal);
    });
    this.#queue = result.catch(() => undefined);
    return await result;
  }
}

/** The way to the recogniser in one call, answering on that call's clock as late as the model would. */
export class RecogniserClient implements InferenceClient {
  readonly #recogniser: StoredRecogniser;
  readonly #timers: Timers;
  #underWay: Promise<unknown> | undefined;

  constructor(recogniser: StoredRecogniser, timers: Timers) {
    this.#recogniser = recogniser;
    this.#timers = timers;
  }

  /** Resolves when every text is known that was asked for: the call's clock must not go on before. */
  async settled(): Promise<void> {
    await this.#underWay;
    this.#underWay = undefined;
  }

  request: InferenceClient["request"] = async (method, params, { signal }) => {
    if (method !== "transcribe" || !("pcm" in params)) throw new Error(`no ${method} here`);
    const { pcm, sampleRateHz } = params;
    const text = this.#recogniser.transcribe(pcm);
    this.#underWay = Promise.all([this.#underWay, text]);
    const delayMs = BASE_DELAY_MS + (DELAY_PER_AUDIO_MS * pcm.length * 1000) / sampleRateHz;
    const result: unknown = { text: await text };
    await new Promise<void>((resolve) => this.#timers.set(delayMs, resolve));
    signal?.throwIfAborted();
    return result as never;
  };

  close(): void {}
}
