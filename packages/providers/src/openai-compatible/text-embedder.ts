import type { ProviderError } from "@parley/conversation";
import type { TextEmbedder } from "../embeddings/text-embedder.ts";
import { isObject } from "../http/is-object.ts";
import { httpUrl, requestJson, unreadableAnswer } from "../http/request-json.ts";

/** Where an OpenAI-compatible server embeds texts. */
export interface EmbeddingEndpoint {
  /** Ends in the API's version (`https://…/v1`). */
  baseUrl: string;
  /** Absent for servers that need none. */
  apiKey?: string;
  model: string;
}

const PROVIDER = "embeddings";
const MAX_DIMENSIONS = 8_192;

/** Embeds texts with `POST /embeddings` (https://platform.openai.com/docs/api-reference/embeddings). */
export function connectEmbeddings({ baseUrl, apiKey, model }: EmbeddingEndpoint): TextEmbedder {
  const url = httpUrl(`${baseUrl.replace(/\/$/, "")}/`, "embeddings");
  const headers = {
    "content-type": "application/json",
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  return {
    embed: async (texts, signal) => {
      const body = JSON.stringify({ model, input: texts, encoding_format: "float" });
      try {
        const request = {
          provider: PROVIDER,
          url,
          method: "POST",
          headers,
          body,
          redirect: "error",
        } as const;
        return readVectors(await requestJson({ ...request, signal }), texts.length);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    close: async () => await Promise.resolve(),
  };
}

/** The vectors in the order of the texts: servers may answer in another one. */
function readVectors(answer: unknown, count: number): Float32Array[] {
  const data = isObject(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data) || data.length !== count)
    throw unreadable(
      `the answer has ${Array.isArray(data) ? data.length : "no"} vectors for ${count} ${count === 1 ? "text" : "texts"}`,
    );
  const vectors = Array.from({ length: count }, (): Float32Array | undefined => undefined);
  for (const [position, item] of data.entries()) {
    const { embedding, index = position } = isObject(item) ? item : {};
    if (typeof index !== "number" || !(index in vectors) || vectors[index] !== undefined)
      throw unreadable("the vectors of the answer are not numbered from 0");
    vectors[index] = toUnitVector(embedding);
  }
  const read = vectors.filter((vector) => vector !== undefined);
  if (new Set(read.map(({ length }) => length)).size > 1)
    throw unreadable("the vectors of the answer have different lengths");
  return read;
}

function toUnitVector(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > MAX_DIMENSIONS)
    throw unreadable(`a vector must have 1 to ${MAX_DIMENSIONS} numbers`);
  let sum = 0;
  for (const value of embedding as unknown[]) {
    if (typeof value !== "number" || !Number.isFinite(value)) throw unreadable("a vector contains no number");
    sum += value * value;
  }
  const length = Math.sqrt(sum);
  if (length === 0 || !Number.isFinite(length)) throw unreadable("a vector has no direction");
  return Float32Array.from(embedding as number[], (value) => value / length);
}

function unreadable(message: string): ProviderError {
  return unreadableAnswer(PROVIDER, message);
}
