import { json } from "node:stream/consumers";
import { isObject } from "../http/is-object.ts";
import { ScriptedHost, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedEmbeddingsOptions {
  /** Key that requests must have. Default: none is needed. */
  apiKey?: string;
  /** Dimensions of the vectors, by the number of the request. Default: 8. */
  dimensions?: (request: number) => number;
  /** What the server does in place of an answer, by the number of the request. */
  fault?: (request: number) => EmbeddingFault | undefined;
}

type EmbeddingFault =
  | { status: number; body?: string; retryAfterS?: number }
  /** Answers with this text. */
  | { text: string }
  | "stall";

/** A server that speaks OpenAI's embeddings; texts with the same words have the same vector. Its `url` is the base URL without `/v1`. */
export async function startScriptedEmbeddings(
  options: ScriptedEmbeddingsOptions = {},
): Promise<ScriptedServer & { requests: { model: string; texts: readonly string[] }[] }> {
  const { apiKey, dimensions = () => 8, fault } = options;
  const requests: { model: string; texts: readonly string[] }[] = [];
  const host = new ScriptedHost((request, response) => {
    const answer = async (): Promise<void> => {
      const body: unknown = await json(request);
      const { model, input } = isObject(body) ? body : {};
      if (request.url !== "/v1/embeddings" || !Array.isArray(input))
        return void response.writeHead(404).end();
      const texts = input.map(String);
      const failing = fault?.(requests.length);
      const length = dimensions(requests.length);
      requests.push({ model: String(model), texts });
      if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`)
        return void response.writeHead(401).end('{"error":{"message":"Incorrect API key provided"}}');
      if (failing === "stall") return;
      if (failing !== undefined && "text" in failing) return void response.end(failing.text);
      if (failing !== undefined) {
        const { status, body: text = "", retryAfterS } = failing;
        const headers = retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };
        return void response.writeHead(status, headers).end(text);
      }
      // In another order than asked for, as the index allows.
      const data = texts
        .map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, length) }))
        .toReversed();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data, model }));
    };
    void answer().catch(() => response.destroy());
  });
  return Object.assign(await host.start(), { requests });
}

/** Counts the words by a number made of their letters. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let sum = 0;
    for (const letter of word) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
    const at = sum % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}
