import { ProviderError } from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import type { TextEmbedder } from "@parley/providers/embeddings";
import { type EmbedderSettings, openEmbedder } from "../embedder.ts";

const EMBED_TIMEOUT_MS = 5_000;
/** A conversation then searches by words alone. */
const HURRIED_TIMEOUT_MS = 1_000;
/** Conversations do not ask a model that has failed for this time. */
const PAUSE_MS = 5_000;
/** Questions repeat: the last partial text of a turn is mostly its whole text. */
const MAX_KNOWN = 500;

/** The vector of a query; without one, why. */
export type EmbeddedQuery =
  | { vector: Float32Array; problem: undefined }
  | { vector: undefined; problem: string };

/** Embeds queries, each text once. */
export class QueryEmbedder {
  readonly #settings: EmbedderSettings;
  /** The query that was not asked for the longest time comes first. */
  readonly #known = new Map<string, Promise<Float32Array>>();
  #embedder: Promise<TextEmbedder> | undefined;
  #pausedUntilMs = 0;

  constructor(settings: EmbedderSettings) {
    this.#settings = settings;
  }

  /** Loads the model. */
  async prepare(): Promise<void> {
    await this.#open();
  }

  /** @param isHurried Whether a failure is reported in the result instead of rejecting. */
  async embed(query: string, isHurried: boolean): Promise<EmbeddedQuery> {
    if (!isHurried) return { vector: await this.#find(query), problem: undefined };
    try {
      if (performance.now() < this.#pausedUntilMs) throw new Error("the model has just failed");
      return { vector: await inHurry(this.#find(query)), problem: undefined };
    } catch (error) {
      return { vector: undefined, problem: errorMessage(error) };
    }
  }

  async close(): Promise<void> {
    const embedder = await this.#embedder?.catch(() => undefined);
    await embedder?.close();
  }

  /** Those who ask the same at once share the answer. */
  async #find(query: string): Promise<Float32Array> {
    const vector = this.#known.get(query) ?? this.#ask(query);
    this.#known.delete(query);
    this.#known.set(query, vector);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return await vector;
  }

  async #ask(query: string): Promise<Float32Array> {
    let slow: NodeJS.Timeout | undefined;
    try {
      const embedder = await this.#open();
      slow = setTimeout(() => this.#pause(), HURRIED_TIMEOUT_MS);
      const [vector] = await embedder.embed([query], AbortSignal.timeout(EMBED_TIMEOUT_MS));
      if (vector === undefined) throw new Error("the model returned no vector");
      this.#pausedUntilMs = 0;
      return vector;
    } catch (error) {
      this.#known.delete(query);
      if (!isOfQuestion(error)) this.#pause();
      throw error;
    } finally {
      clearTimeout(slow);
    }
  }

  #pause(): void {
    this.#pausedUntilMs = performance.now() + PAUSE_MS;
  }

  /** A failure, such as a download without internet access, is repeated at the next search. */
  #open(): Promise<TextEmbedder> {
    this.#embedder ??= openEmbedder(this.#settings).catch((error: unknown) => {
      this.#embedder = undefined;
      throw error;
    });
    return this.#embedder;
  }
}

/** Whether the model refuses only this question, such as one that is too long. */
function isOfQuestion(error: unknown): boolean {
  return error instanceof ProviderError && [400, 413, 422].includes(error.status ?? 0);
}

async function inHurry<T>(result: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new Error(`the model did not answer within ${HURRIED_TIMEOUT_MS / 1000} s`);
  const timer = setTimeout(() => reject(late), HURRIED_TIMEOUT_MS);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}
