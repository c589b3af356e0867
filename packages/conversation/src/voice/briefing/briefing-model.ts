import { writtenReply } from "../../dialogue/written-reply.ts";
import type { LanguageModel } from "../../providers/language-model.ts";

/** Creates a language model that always says the same text, once it is known. */
export function createBriefingModel(text: Promise<string>): LanguageModel {
  return {
    specificationVersion: "v4",
    provider: "parley",
    modelId: "briefing",
    supportedUrls: {},
    doStream: async () => writtenReply([{ type: "text-delta", id: "briefing", delta: await text }]),
    doGenerate: async () => await Promise.reject(new Error("only doStream is used")),
  };
}
