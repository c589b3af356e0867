/** Embeddings and their comparison, without the rest of the local models. */
export { loadMiniLm, MINILM_DIMENSIONS, type MiniLm } from "../minilm/embedder.ts";
export { openSimilarity, type Similarity } from "./similarity.ts";
