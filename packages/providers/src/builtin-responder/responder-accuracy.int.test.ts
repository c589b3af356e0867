import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { type LanguageModel, ProviderError } from "@parley/conversation";
import { loadMiniLm } from "../local/minilm/embedder.ts";
import { ensureModels } from "../models/fetch.ts";
import { accuracySet, type AccuracyCase } from "./testing/accuracy-set.ts";
import { createBuiltinResponder } from "./builtin-responder.ts";

const miniLm = await loadMiniLm({ modelsDir: await ensureModels({ groups: ["minilm"] }) });
after(async () => await miniLm.close());
const responder = createBuiltinResponder({
  embed: async (texts, signal) => await miniLm.embed(texts, signal),
});

function user(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function toPrompt(instructions: string, { before = [], ask }: AccuracyCase): LanguageModelV4Message[] {
  const earlier = before.flatMap((text): LanguageModelV4Message[] => [
    user(text),
    { role: "assistant", content: [{ type: "text", text: "(an answer)" }] },
  ]);
  return [{ role: "system", content: instructions }, ...earlier, user(ask)];
}

async function findWrongAnswers(model: LanguageModel): Promise<{ cases: number; wrong: string[] }> {
  const wrong: string[] = [];
  let cases = 0;
  for (const agent of accuracySet) {
    for (const each of agent.cases) {
      cases++;
      const { content } = await model.doGenerate({ prompt: toPrompt(agent.prompt, each) });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      assert.ok(text.split(/\s+/).length <= 35, text);
      const isRight = each.expect === null ? text.includes("I do not know") : each.expect.test(text);
      if (!isRight) wrong.push(`${each.ask} → ${text}`);
    }
  }
  return { cases, wrong };
}

test("at least nine in ten questions are answered correctly, or honestly not answered", async (context) => {
  const { cases, wrong } = await findWrongAnswers(responder);
  context.diagnostic(`${cases - wrong.length} of ${cases} right; wrong: ${wrong.join(" | ") || "none"}`);
  assert.ok(wrong.length <= cases / 10, wrong.join("\n"));
});

test("without the embedding model at least seven in ten are, by words", async (context) => {
  const withoutModel = createBuiltinResponder({
    embed: async () => {
      const message = "no model serves embed";
      throw new ProviderError({ provider: "local", kind: "status", message, isRetryable: false });
    },
  });
  const { cases, wrong } = await findWrongAnswers(withoutModel);
  context.diagnostic(`${cases - wrong.length} of ${cases} right; wrong: ${wrong.join(" | ") || "none"}`);
  assert.ok(wrong.length <= (3 * cases) / 10, wrong.join("\n"));
});
