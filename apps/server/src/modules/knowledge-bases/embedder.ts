import {
  connectEmbeddings,
  type EmbeddingEndpoint,
  loadMiniLm,
  type TextEmbedder,
} from "@parley/providers/embeddings";
import { ensureModels } from "@parley/providers/models";

/** What embeds passages and queries. Sent to the processes that do it. */
export interface EmbedderSettings {
  modelsDirectory: string;
  /** `undefined`: the local model. */
  endpoint: EmbeddingEndpoint | undefined;
}

/** Name of the model, stored with what it embedded: vectors of different models cannot be compared. */
export function embedderName({ endpoint }: Pick<EmbedderSettings, "endpoint">): string {
  return endpoint === undefined ? "local/minilm" : `openai-compatible/${endpoint.model}`;
}

/** Rejects if the local model cannot be loaded. */
export async function openEmbedder({ modelsDirectory, endpoint }: EmbedderSettings): Promise<TextEmbedder> {
  if (endpoint !== undefined) return connectEmbeddings(endpoint);
  return await loadMiniLm({
    modelsDir: await ensureModels({ modelsDir: modelsDirectory, groups: ["minilm"] }),
  });
}
