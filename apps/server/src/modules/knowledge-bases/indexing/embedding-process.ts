/** Process that embeds the passages of documents, so that calls come first. */
import { setPriority } from "node:os";
import { errorMessage } from "@parley/conversation/error-message";
import { loadMiniLm, type MiniLm } from "@parley/providers/embeddings";
import { ensureModels } from "@parley/providers/models";
import type { EmbeddingAnswer, TextsToEmbed } from "./passage-embedder.ts";

const NICENESS = 10;

let model: Promise<MiniLm> | undefined;

async function embed({ texts, modelsDirectory }: TextsToEmbed): Promise<EmbeddingAnswer> {
  try {
    model ??= ensureModels({ modelsDir: modelsDirectory, groups: ["minilm"] }).then(
      async (modelsDir) => await loadMiniLm({ modelsDir }),
    );
    return { vectors: await (await model).embed(texts, new AbortController().signal) };
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
