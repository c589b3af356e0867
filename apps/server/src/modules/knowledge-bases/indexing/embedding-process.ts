/** Process that embeds the passages of documents, so that calls come first. */
import { setPriority } from "node:os";
import { errorMessage } from "@parley/conversation/error-message";
import type { TextEmbedder } from "@parley/providers/embeddings";
import { openEmbedder } from "../embedder.ts";
import { EMBED_DEADLINE_MS, type EmbeddingAnswer, type TextsToEmbed } from "./passage-embedder.ts";

const NICENESS = 10;

let embedder: Promise<TextEmbedder> | undefined;

async function embed({ texts, settings }: TextsToEmbed): Promise<EmbeddingAnswer> {
  try {
    embedder ??= openEmbedder(settings);
    return { vectors: await (await embedder).embed(texts, AbortSignal.timeout(EMBED_DEADLINE_MS)) };
  } catch (error) {
    return { reason: errorMessage(error) };
  }
}

setPriority(NICENESS);
process.on("message", (texts) => {
  // Only the parent sends messages, one at a time.
  void embed(texts as TextsToEmbed).then((answer) => process.send?.(answer, () => {}));
});
// Its parent has ended, or needs it no more.
process.once("disconnect", () => process.exit(0));
