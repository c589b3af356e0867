/** Embeddings, of a local model or a server, and their comparison, without the rest of the models. */
export { loadMiniLm } from "../local/minilm/embedder.ts";
export { connectEmbeddings, type EmbeddingEndpoint } from "../openai-compatible/text-embedder.ts";
export { openSimilarity, type Similarity } from "./similarity.ts";
export type { TextEmbedder } from "./text-embedder.ts";
