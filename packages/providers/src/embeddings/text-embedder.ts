/** Turns texts into vectors of length 1, whose dot product is the similarity of their meanings. */
export interface TextEmbedder {
  /** Returns one vector per text. Rejects with a `ProviderError` or the signal's reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
  /** Idempotent. */
  close(): Promise<void>;
}
