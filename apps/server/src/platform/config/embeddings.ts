import type { EmbeddingEndpoint } from "@parley/providers/embeddings";
import type { EnvironmentReader } from "./environment-reader.ts";

const OPENAI_BASE_URL = "https://api.openai.com/v1";

/** Reads the server that embeds knowledge; `undefined`: the local model does. */
export function readEmbeddings(reader: EnvironmentReader): EmbeddingEndpoint | undefined {
  const model = reader.text("PARLEY_EMBEDDINGS_MODEL");
  const baseUrl = reader.url("PARLEY_EMBEDDINGS_BASE_URL");
  const ownKey = reader.text("PARLEY_EMBEDDINGS_API_KEY");
  if (model === undefined) {
    for (const name of ["PARLEY_EMBEDDINGS_BASE_URL", "PARLEY_EMBEDDINGS_API_KEY"] as const)
      if (reader.text(name) !== undefined)
        reader.report(`PARLEY_EMBEDDINGS_MODEL is required with ${name}: name the model that embeds`);
    return undefined;
  }
  // OpenAI's key is not sent to other servers.
  const apiKey = ownKey ?? (baseUrl === undefined ? reader.text("OPENAI_API_KEY") : undefined);
  if (apiKey === undefined && baseUrl === undefined)
    reader.report(
      "PARLEY_EMBEDDINGS_MODEL needs OPENAI_API_KEY, PARLEY_EMBEDDINGS_API_KEY or PARLEY_EMBEDDINGS_BASE_URL: set one of them",
    );
  return { baseUrl: baseUrl ?? OPENAI_BASE_URL, model, ...(apiKey !== undefined && { apiKey }) };
}
