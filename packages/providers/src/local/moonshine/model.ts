import path from "node:path";
import type { HeardText } from "@parley/conversation";
import type { LlamaTokenizer } from "llama-tokenizer-js";
import type * as Ort from "onnxruntime-node";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { openPreparedModel } from "../onnx/prepared-model.ts";
import { Certainty } from "./certainty.ts";
import { Keyterms } from "./keyterms.ts";
import { findLoop } from "./repetition.ts";

export type MoonshineSize = "base" | "tiny";

export interface LoadMoonshineOptions {
  /** Folder returned by `ensureModels`. */
  modelsDir: string;
  /** `base` is more robust against noise; `tiny` takes two thirds of its time. */
  size: MoonshineSize;
  /** Default 1, which is as fast as 2. */
  threads?: number;
}

interface Transcription extends HeardText {
  /** Draft for a later transcription of the same utterance with more audio. */
  tokens: readonly number[];
}

/** The recognizer, loaded once for all calls. One transcription at a time: see `createTranscribeHandler`. */
export interface Moonshine {
  readonly name: string;
  /**
   * Transcribes an utterance that contains speech, and reports the model's certainty.
   *
   * @param pcm Mono, 16 kHz, at most 30 s, with at least 300 ms around the speech: with less, last digits are lost.
   * @param draft Tokens of an earlier transcription of the same utterance: the model reads them at once instead of one
   * by one, and continues from the first difference.
   * @param keyterms Terms to favor.
   * @throws the signal's reason when aborted; checked between tokens.
   */
  transcribe(
    pcm: Int16Array,
    signal: AbortSignal,
    draft?: readonly number[],
    keyterms?: readonly string[],
  ): Promise<Transcription>;
  /** Runs once: the first run takes a third longer than later ones. */
  warmUp(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

const SAMPLE_RATE_HZ = 16_000;
/** Heads of the model's attention. */
const ATTENTION_HEADS = 8;
const START_TOKEN = 1;
const END_TOKEN = 2;
/** First id of Moonshine's own marks, which have no text. */
const FIRST_MARK_TOKEN = 32_000;
/** Fast speech has about 5 tokens per second; the rest is a margin for short utterances and digits. */
const TOKENS_PER_SECOND = 7;
const EXTRA_TOKENS = 6;
/** Minimum length: the model is inaccurate below it. More silence than the call's own only makes it worse. */
const minSamples = SAMPLE_RATE_HZ;

type Feeds = Record<string, Tensor>;

interface Decoding {
  certainty: Certainty;
  /** Chooses the next token. */
  choose: (logits: Float32Array, tokens: readonly number[]) => number;
  signal: AbortSignal;
}

function toModelInput(pcm: Int16Array): Float32Array {
  const samples = new Float32Array(Math.max(pcm.length, minSamples));
  for (let at = 0; at < pcm.length; at += 1) samples[at] = (pcm[at] ?? 0) / 32_768;
  return samples;
}

function indexOfLargest(values: Float32Array): number {
  let best = 0;
  let largest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? largest;
    if (value > largest) {
      largest = value;
      best = index;
    }
  }
  return best;
}

function readFloat32(tensor: Tensor | undefined, name: string): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data;
  throw new TypeError(`the model has no float32 output ${name}`);
}

/** Names of the decoder's cache inputs with the width of a head, as declared by the model. */
function cacheInputs(decoder: InferenceSession): { name: string; headWidth: number }[] {
  return decoder.inputMetadata.flatMap((input) => {
    const width = input.isTensor ? input.shape[3] : undefined;
    return input.name.startsWith("past_key_values.") && typeof width === "number"
      ? [{ name: input.name, headWidth: width }]
      : [];
  });
}

class OnnxMoonshine implements Moonshine {
  readonly name: string;
  readonly #ort: typeof Ort;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #tokenizer: LlamaTokenizer;
  #isClosed = false;

  constructor(
    name: string,
    ort: typeof Ort,
    encoder: InferenceSession,
    decoder: InferenceSession,
    tokenizer: LlamaTokenizer,
  ) {
    this.name = name;
    this.#ort = ort;
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#tokenizer = tokenizer;
  }

  async transcribe(
    pcm: Int16Array,
    signal: AbortSignal,
    draft: readonly number[] = [],
    keyterms: readonly string[] = [],
  ): Promise<Transcription> {
    signal.throwIfAborted();
    const samples = toModelInput(pcm);
    const input = new this.#ort.Tensor("float32", samples, [1, samples.length]);
    const { last_hidden_state: hidden } = await this.#encoder.run({ input_values: input });
    if (hidden === undefined) throw new TypeError("the encoder has no output last_hidden_state");
    const maxTokens = EXTRA_TOKENS + Math.ceil((pcm.length / SAMPLE_RATE_HZ) * TOKENS_PER_SECOND);
    const certainty = new Certainty(this.#tokenizer.vocabById);
    const choose = this.#createChoice(keyterms);
    const tokens = await this.#decode(hidden, maxTokens, draft, { certainty, choose, signal });
    const words = tokens.filter((token) => token < FIRST_MARK_TOKEN);
    const text = this.#tokenizer.decode(words, false, true).trim();
    return text === "" ? { text, tokens } : { text, tokens, certainty: certainty.of(text) };
  }

  async warmUp(): Promise<void> {
    await this.transcribe(new Int16Array(SAMPLE_RATE_HZ), new AbortController().signal);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([this.#encoder.release(), this.#decoder.release()]);
  }

  /**
   * Greedy decoding with the keys and values of earlier steps kept; those of the encoder come only from the first step.
   * A draft is read in one step, which takes little longer than a word: its tokens are accepted up to the first one
   * that the decoder rejects.
   */
  async #decode(
    hidden: Tensor,
    maxTokens: number,
    draft: readonly number[],
    { certainty, choose, signal }: Decoding,
  ): Promise<number[]> {
    const { Tensor } = this.#ort;
    const feeds: Feeds = { encoder_hidden_states: hidden };
    const caches = cacheInputs(this.#decoder);
    for (const { name, headWidth } of caches) {
      feeds[name] = new Tensor("float32", new Float32Array(ATTENTION_HEADS * headWidth), [
        1,
        ATTENTION_HEADS,
        1,
        headWidth,
      ]);
    }
    const tokens: number[] = [];
    let given = [START_TOKEN, ...draft.slice(0, maxTokens - 1)];
    for (let step = 0; tokens.length < maxTokens; step += 1) {
      signal.throwIfAborted();
      feeds["input_ids"] = new Tensor("int64", BigInt64Array.from(given, BigInt), [1, given.length]);
      feeds["use_cache_branch"] = new Tensor("bool", [step > 0], [1]);
      const outputs = await this.#decoder.run(feeds);
      const logits = readFloat32(outputs["logits"], "logits");
      const width = logits.length / given.length;
      let read = 0;
      let next: number | undefined;
      do {
        const ofToken = logits.subarray(read * width, (read + 1) * width);
        // Telephone speech often makes the model end at once, although voice activity has found speech.
        if (tokens.length === 0) ofToken[END_TOKEN] = Number.NEGATIVE_INFINITY;
        next = choose(ofToken, tokens);
        certainty.add(next, ofToken);
        read += 1;
        if (next === END_TOKEN) return tokens;
        tokens.push(next);
        const kept = findLoop(tokens);
        if (kept !== undefined) return tokens.slice(0, kept);
      } while (next === given[read]);
      for (const { name } of caches) {
        const present = outputs[name.replace("past_key_values", "present")];
        if (present === undefined || (step > 0 && !name.includes(".decoder."))) continue;
        feeds[name] =
          name.includes(".decoder.") && read < given.length ? this.#cropped(present, read) : present;
      }
      given = [next];
    }
    return tokens;
  }

  #createChoice(terms: readonly string[]): Decoding["choose"] {
    if (terms.length === 0) return indexOfLargest;
    const keyterms = new Keyterms(terms, (text) => this.#tokenizer.encode(text, false, true));
    return (logits, tokens) => keyterms.choose(logits, tokens, indexOfLargest(logits));
  }

  /** Keys or values of the first tokens. */
  #cropped(tensor: Tensor, tokenCount: number): Tensor {
    const [, , length = 0, width = 0] = tensor.dims;
    const all = readFloat32(tensor, "of keys and values");
    const kept = new Float32Array(ATTENTION_HEADS * tokenCount * width);
    for (let head = 0; head < ATTENTION_HEADS; head += 1) {
      const from = head * length * width;
      kept.set(all.subarray(from, from + tokenCount * width), head * tokenCount * width);
    }
    return new this.#ort.Tensor("float32", kept, [1, ATTENTION_HEADS, tokenCount, width]);
  }
}

/** Loads Moonshine (Useful Sensors, MIT) from the files of the groups `moonshine-base` or `moonshine-tiny`. */
export async function loadMoonshine({
  modelsDir,
  size,
  threads = 1,
}: LoadMoonshineOptions): Promise<Moonshine> {
  const [ort, { default: tokenizer }] = await Promise.all([
    import("onnxruntime-node"),
    import("llama-tokenizer-js"),
  ]);
  const open = async (part: string, file: string): Promise<InferenceSession> => {
    const source = path.join("moonshine", size, file);
    return await openPreparedModel({
      modelsDir,
      name: `moonshine-${size}-${part}`,
      source,
      recipe: "as it is",
      make: async () => path.join(modelsDir, source),
      session: {
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        // Warnings about leftover initializers are useless to an operator.
        logSeverityLevel: 3,
      },
    });
  };
  const [encoder, decoder] = await Promise.all([
    open("encoder", "encoder_model.onnx"),
    open("decoder", "decoder_model_merged.onnx"),
  ]);
  return new OnnxMoonshine(`local/moonshine-${size}`, ort, encoder, decoder, tokenizer);
}
