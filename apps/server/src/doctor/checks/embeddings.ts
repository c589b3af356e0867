import { errorMessage } from "@parley/conversation/error-message";
import { connectEmbeddings } from "@parley/providers/embeddings";
import type { Config } from "../../platform/config/config.ts";
import { type Check, failed, ok, skipped, warning } from "../finding.ts";

/** Questions of a call are embedded while the caller speaks, and searched by words alone if that takes a second. */
const SLOW_ANSWER_MS = 500;

/** Whether the server that embeds knowledge answers, and how soon. */
export function embeddingsCheck({ embeddings }: Pick<Config, "embeddings">): Check {
  return {
    name: "embeddings",
    run: async (signal) => {
      if (embeddings === undefined)
        return skipped("Knowledge bases are embedded by the local model, which understands English.");
      const { baseUrl, model } = embeddings;
      const startedAtMs = performance.now();
      try {
        const [vector] = await connectEmbeddings(embeddings).embed(["How much is a ticket?"], signal);
        const durationMs = Math.round(performance.now() - startedAtMs);
        const text = `${model} at ${baseUrl} embeds knowledge bases: ${vector?.length ?? 0} dimensions, ${durationMs} ms for a question.`;
        if (durationMs <= SLOW_ANSWER_MS) return ok(text);
        return warning(
          text,
          "Answers from documents come late: use a faster model, or a server that is closer.",
        );
      } catch (error) {
        signal.throwIfAborted();
        return failed(
          `${model} at ${baseUrl} does not embed: ${errorMessage(error)}.`,
          "Check PARLEY_EMBEDDINGS_BASE_URL, PARLEY_EMBEDDINGS_API_KEY and PARLEY_EMBEDDINGS_MODEL.",
        );
      }
    },
  };
}
