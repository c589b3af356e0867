import { createHash } from "node:crypto";
import { appendFile, readFile, writeFile } from "node:fs/promises";
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

import { type JudgmentName, judgmentRules } from "./judgment.ts";

type InferenceClient = LocalSpeechToTextOptions["inference"];

const setFile = path.join(import.meta.dirname, "set", "heard.json");
/**
 * Time of the recognizer on one core of the reference machine, for all audio and for audio that it has not heard
 * before; measured, see `docs/performance.md`.
 */
const BASE_DELAY_MS = 40;
const ENCODING_PER_AUDIO_MS = 0.033;
const DECODING_PER_AUDIO_MS = 0.017;
/** Time of the end-of-turn model on that machine, for two seconds of a turn as for eight. */
const JUDGMENT_DELAY_MS = 45;

/** A greater difference means different models: rounding differs by less between processors. */
const SAME_PROBABILITY = 0.05;
/** One of this many stored answers is compared with the models' answers on this machine. */
const CHECKED_SHARE = 32;

/** Text with its confidence, or the probability that a turn is over. */
type Heard = HeardText | number;

interface StoredModelsOptions {
  modelsDir: string;
  /** Ignore the stored answers and run the models for all audio. */
  isFresh: boolean;
  judgment: JudgmentName;
  /**
   * Cache that takes the place of the file beside the set of `bench turns`. Each answer is appended to it as it is given, so that an
   * interrupted run loses none, and runs at the same time share it.
   */
  cacheFile?: string;
}

/**
 * Moonshine base and Smart Turn with stored answers, kept beside the set, so that only audio that is new to it takes
 * the models' time. A sample of the stored answers is compared with the models on this machine.
 */
export class StoredModels {
  readonly #modelsDir: string;
  readonly #cacheFile: string | undefined;
  readonly #known: Map<string, Heard>;
  readonly #used = new Map<string, Heard>();
  readonly #stored: ReadonlySet<string>;
  readonly #judgment: JudgmentName;
  /** Stored judgments, including those that this run does not use. */
  readonly #judgments: readonly number[];
  #recognizer: Promise<Moonshine> | undefined;
  #turnEnd: Promise<SmartTurn> | undefined;
  /** Runs one model at a time. */
  #queue: Promise<unknown> = Promise.resolve();
  runs = 0;
  /** Results for the sample of stored answers. */
  readonly check = { judgments: 0, differingJudgments: 0, texts: 0, differingTexts: 0 };

  private constructor(
    { modelsDir, isFresh, judgment, cacheFile }: StoredModelsOptions,
    stored: Map<string, Heard>,
  ) {
    this.#modelsDir = modelsDir;
    this.#cacheFile = cacheFile;
    this.#known = isFresh ? new Map() : new Map(stored);
    this.#stored = new Set(this.#known.keys());
    this.#judgment = judgment;
    this.#judgments = [...stored.values()].filter((heard) => typeof heard === "number");
  }

  static async open(options: StoredModelsOptions): Promise<StoredModels> {
    const { cacheFile } = options;
    if (cacheFile !== undefined)
      return new StoredModels(options, cachedIn(await readFile(cacheFile, "utf8").catch(() => "")));
    const stored: Record<string, Heard> = JSON.parse(await readFile(setFile, "utf8").catch(() => "{}"));
    return new StoredModels(options, new Map(Object.entries(stored)));
  }

  /** @param pcm 8 kHz samples. */
  async transcribe(pcm: Int16Array): Promise<HeardText> {
    const key = digest(pcm);
    const ask = async (): Promise<HeardText> => {
      this.#recognizer ??= loadMoonshine({ modelsDir: this.#modelsDir, size: "base" });
      const model = await this.#recognizer;
      return roundedText(await model.transcribe(to16kHz(pcm), new AbortController().signal));
    };
    return await this.#recall(`text ${key}`, ask, (stored, here) => {
      this.check.texts += 1;
      if (stored.text !== here.text) this.check.differingTexts += 1;
    });
  }

  /** @param pcm 8 kHz samples. */
  async predictTurnEnd(pcm: Int16Array): Promise<number> {
    const key = digest(pcm);
    const ask = async (): Promise<number> => {
      this.#turnEnd ??= loadSmartTurn({ modelsDir: this.#modelsDir });
      const model = await this.#turnEnd;
      return thousandths(await model.predict(to16kHz(pcm)));
    };
    const predict = async (): Promise<number> =>
      await this.#recall(`end ${key}`, ask, (stored, here) => {
        this.check.judgments += 1;
        if (Math.abs(stored - here) > SAME_PROBABILITY) this.check.differingJudgments += 1;
      });
    return await judgmentRules[this.#judgment]({ predict, digest: key, all: this.#judgments });
  }

  /**
   * Stores the answers beside the set; after a run of the whole set only those that it used. A run with judgments other than the
   * model's produces other audio, so it stores nothing.
   */
  async save(isWhole: boolean): Promise<void> {
    if (this.#judgment !== "right") return;
    const entries = [...(isWhole ? this.#used : this.#known)].sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = entries.map(([key, heard]) => `${JSON.stringify(key)}: ${JSON.stringify(heard)}`);
    await writeFile(setFile, `{\n${lines.join(",\n")}\n}\n`);
  }

  async close(): Promise<void> {
    await this.#queue;
    await (await this.#recognizer)?.close();
    await (await this.#turnEnd)?.close();
  }

  async #recall<T extends Heard>(
    key: string,
    ask: () => Promise<T>,
    compare: (stored: T, here: T) => void,
  ): Promise<T> {
    // The prefix of a key determines the type of its answer.
    let heard = this.#known.get(key) as T | undefined;
    if (heard === undefined) {
      heard = await this.#enqueue(ask);
      this.runs += 1;
      // A run that was killed may have left a part of a line: begin a new one.
      if (this.#cacheFile !== undefined)
        await appendFile(this.#cacheFile, `\n${JSON.stringify([key, heard])}`);
    } else if (this.#stored.has(key) && !this.#used.has(key) && isInSample(key)) {
      compare(heard, await this.#enqueue(ask));
    }
    this.#known.set(key, heard);
    this.#used.set(key, heard);
    return heard;
  }

  async #enqueue<T>(ask: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(ask);
    this.#queue = result.catch(() => undefined);
    return await result;
  }
}

/** The answers of a cache: one per line, except for what a killed run left unfinished. */
function cachedIn(text: string): Map<string, Heard> {
  const lines = text.split("\n").flatMap((line): [string, Heard][] => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  return new Map(lines);
}

function isInSample(key: string): boolean {
  return createHash("sha1").update(key).digest().readUInt32LE() % CHECKED_SHARE === 0;
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

/** Inference client of one call, which answers on that call's clock after the models' delays. */
export class StoredInference implements InferenceClient {
  readonly #models: StoredModels;
  readonly #timers: Timers;
  #underWay: Promise<unknown> | undefined;
  /** Audio of the last recognition: the recognizer reads its own text of it without delay. */
  #recognized: Int16Array = new Int16Array();

  constructor(models: StoredModels, timers: Timers) {
    this.#models = models;
    this.#timers = timers;
  }

  /** Resolves when all requested answers are known; the call's clock must not advance before. */
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
    const delayMs = isText ? this.#recognitionMs(pcm, sampleRateHz) : JUDGMENT_DELAY_MS;
    const result: unknown = isText ? await heard : { probability: await heard };
    await new Promise<void>((resolve) => this.#timers.set(delayMs, resolve));
    signal?.throwIfAborted();
    return result as never;
  };

  close(): void {}

  #recognitionMs(pcm: Int16Array, sampleRateHz: number): number {
    const before = this.#recognized;
    this.#recognized = pcm;
    const isSame = before.length < pcm.length && before.every((sample, at) => sample === pcm[at]);
    const newSamples = isSame ? pcm.length - before.length : pcm.length;
    const msOf = (samples: number): number => (samples * 1000) / sampleRateHz;
    return (
      BASE_DELAY_MS + ENCODING_PER_AUDIO_MS * msOf(pcm.length) + DECODING_PER_AUDIO_MS * msOf(newSamples)
    );
  }
}
