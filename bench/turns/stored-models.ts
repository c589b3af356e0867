import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { Resampler } from "@parley/audio";
import type { HeardText, Timers } from "@parley/conversation";
import {
  loadMoonshine,
  loadSmartTurn,
  type LocalSpeechToTextOptions,
  type Moonshine,
  type SmartTurn,
} from "@parley/providers";

type InferenceClient = LocalSpeechToTextOptions["inference"];

const file = path.join(import.meta.dirname, "set", "heard.json");
/**
 * What the recogniser takes on one core of the reference machine, for all audio and for what it has not heard before:
 * measured, see `docs/performance.md`.
 */
const BASE_DELAY_MS = 40;
const ENCODING_PER_AUDIO_MS = 0.033;
const DECODING_PER_AUDIO_MS = 0.017;
/** What the end-of-turn model takes there, two seconds of a turn or eight. */
const JUDGEMENT_DELAY_MS = 45;

/** Text with how sure it is, or the probability that a turn is over. */
type Heard = HeardText | number;

/**
 * Moonshine base and Smart Turn with a memory: what they heard in some audio is kept beside the set, so that only audio
 * which no run has cut out before costs the models' time.
 */
export class StoredModels {
  readonly #modelsDir: string;
  readonly #known: Map<string, Heard>;
  readonly #used = new Map<string, Heard>();
  #recogniser: Promise<Moonshine> | undefined;
  #turnEnd: Promise<SmartTurn> | undefined;
  /** One thing at a time. */
  #queue: Promise<unknown> = Promise.resolve();
  runs = 0;

  constructor(modelsDir: string, known: Map<string, Heard>) {
    this.#modelsDir = modelsDir;
    this.#known = known;
  }

  static async open(modelsDir: string): Promise<StoredModels> {
    const stored: Record<string, Heard> = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
    return new StoredModels(modelsDir, new Map(Object.entries(stored)));
  }

  /** @param pcm 8 kHz. */
  async transcribe(pcm: Int16Array): Promise<HeardText> {
    return await this.#recall(`text ${digest(pcm)}`, async () => {
      this.#recogniser ??= loadMoonshine({ modelsDir: this.#modelsDir, size: "base" });
      const model = await this.#recogniser;
      return roundedText(await model.transcribe(to16kHz(pcm), new AbortController().signal));
    });
  }

  /** @param pcm 8 kHz. */
  async predictTurnEnd(pcm: Int16Array): Promise<number> {
    return await this.#recall(`end ${digest(pcm)}`, async () => {
      this.#turnEnd ??= loadSmartTurn({ modelsDir: this.#modelsDir });
      const model = await this.#turnEnd;
      return thousandths(await model.predict(to16kHz(pcm)));
    });
  }

  /** Keeps what was heard; where the whole set was run, only what this run asked for. */
  async save(isWhole: boolean): Promise<void> {
    const entries = [...(isWhole ? this.#used : this.#known)].sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = entries.map(([key, heard]) => `${JSON.stringify(key)}: ${JSON.stringify(heard)}`);
    await writeFile(file, `{\n${lines.join(",\n")}\n}\n`);
  }

  async close(): Promise<void> {
    await (await this.#recogniser)?.close();
    await (await this.#turnEnd)?.close();
  }

  async #recall<T extends Heard>(key: string, hear: () => Promise<T>): Promise<T> {
    // What is stored under a key is what was once heard for it.
    let heard = this.#known.get(key) as T | undefined;
    if (heard === undefined) {
      const result = this.#queue.then(hear);
      this.#queue = result.catch(() => undefined);
      heard = await result;
      this.runs += 1;
    }
    this.#known.set(key, heard);
    this.#used.set(key, heard);
    return heard;
  }
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function roundedText({ text, certainty }: HeardText): HeardText {
  if (certainty === undefined) return { text };
  const lastWord = certainty.lastWord.map((choice) => ({
    ...choice,
    probability: thousandths(choice.probability),
  }));
  return { text, certainty: { confidence: thousandths(certainty.confidence), lastWord } };
}

function to16kHz(pcm: Int16Array): Int16Array {
  return new Resampler(8000, 16_000).process(pcm);
}

function digest(pcm: Int16Array): string {
  return createHash("sha1")
    .update(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength))
    .digest("base64");
}

/** The way to the models in one call, answering on that call's clock as late as they would. */
export class StoredInference implements InferenceClient {
  readonly #models: StoredModels;
  readonly #timers: Timers;
  #underWay: Promise<unknown> | undefined;
  /** What the recogniser heard last: it reads its own text of it at once. */
  #recognised: Int16Array = new Int16Array();

  constructor(models: StoredModels, timers: Timers) {
    this.#models = models;
    this.#timers = timers;
  }

  /** Resolves when everything is known that was asked for: the call's clock must not go on before. */
  async settled(): Promise<void> {
    await this.#underWay;
    this.#underWay = undefined;
  }

  request: InferenceClient["request"] = async (method, params, { signal }) => {
    if (!("pcm" in params)) throw new Error(`no ${method} here`);
    const { pcm, sampleRateHz } = params;
    const isText = method === "transcribe";
    const heard = isText ? this.#models.transcribe(pcm) : this.#models.predictTurnEnd(pcm);
    this.#underWay = Promise.all([this.#underWay, heard]);
    const delayMs = isText ? this.#recognitionMs(pcm, sampleRateHz) : JUDGEMENT_DELAY_MS;
    const result: unknown = isText ? await heard : { probability: await heard };
    await new Promise<void>((resolve) => this.#timers.set(delayMs, resolve));
    signal?.throwIfAborted();
    return result as never;
  };

  close(): void {}

  #recognitionMs(pcm: Int16Array, sampleRateHz: number): number {
    const before = this.#recognised;
    this.#recognised = pcm;
    const isSame = before.length < pcm.length && before.every((sample, at) => sample === pcm[at]);
    const newSamples = isSame ? pcm.length - before.length : pcm.length;
    const msOf = (samples: number): number => (samples * 1000) / sampleRateHz;
    return (
      BASE_DELAY_MS + ENCODING_PER_AUDIO_MS * msOf(pcm.length) + DECODING_PER_AUDIO_MS * msOf(newSamples)
    );
  }
}
