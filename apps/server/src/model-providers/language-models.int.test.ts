import assert from "node:assert/strict";
import { test } from "node:test";
import { Dialogue, type TranscriptEntry } from "@parley/conversation";
import { createInProcessInference } from "@parley/providers/local";
import { startScriptedOpenAi } from "@parley/providers/testing";
import { CallScope } from "../platform/call-scope.ts";
import { parseContextTokens } from "../platform/config/context-tokens.ts";
import { loadLanguageModels } from "./language-models.ts";
import { scopeLanguageModel } from "./scoped-providers.ts";

const transcript = Array.from({ length: 400 }, (_, index): TranscriptEntry[] => [
  { type: "message", role: "user", text: `Question number ${index}, and some words more than that.` },
  { type: "message", role: "agent", text: `Answer number ${index}, and some words more than that.` },
]).flat();

test("a long conversation is trimmed to the window of the model that the agent uses", async (context) => {
  const prompts: { content: string }[][] = [];
  const server = await startScriptedOpenAi({
    reply: ({ messages }) => {
      prompts.push(messages);
      return { text: "Yes." };
    },
  });
  const inference = createInProcessInference({});
  const closers: (() => Promise<void>)[] = [async () => inference.close()];
  context.after(async () => {
    for (const close of closers) await close();
    await server.close();
  });
  const baseUrl = `${server.url}/v1`;
  const contextWindows = parseContextTokens("large=200000,small=2048");
  const languageModel = { provider: "openai-compatible", model: "large", contextWindows } as const;
  const settings = { languageModel, providerAccess: { "openai-compatible": { baseUrl } } };
  const modelsFor = await loadLanguageModels(settings, inference, closers);
  const scope = new CallScope((error) => assert.fail(String(error)));
  const lengths: number[] = [];
  for (const name of ["service-standard", "openai-compatible/small", "openai-compatible/gpt-4"]) {
    const model = scopeLanguageModel(scope, modelsFor(name)[0]);
    const dialogue = new Dialogue({ model, instructions: "Be brief.", transcript });
    const reply = dialogue.respond(
      { type: "message", text: "Really?" },
      { signal: new AbortController().signal },
    );
    await Array.fromAsync(reply);
    const messages = prompts.at(-1) ?? [];
    assert.equal(messages[0]?.content, "Be brief.");
    assert.equal(messages.at(-1)?.content, "Really?");
    lengths.push(JSON.stringify(messages).length);
  }
  const [large = 0, small = 0, gpt4 = 0] = lengths;
  assert.ok(large > 60_000 && small < 3 * 2_048 && gpt4 < 3 * 8_192 && gpt4 > small, String(lengths));
});
