import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { ensureModels } from "@parley/providers/models";
import { createAgent, endedCall, textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { ask, greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

const QUESTION = "What is the capital of France?";

describe("a call with a small language model on this machine", () => {
  let providers: ScriptedProviders;
  let platform: Platform;

  before(async () => {
    const modelsDir = await ensureModels({ groups: ["smollm2"] });
    providers = await startScriptedProviders(QUESTION, () => assert.fail("another model was asked"));
    const speech = Object.entries(providers.env).filter(([name]) => !name.startsWith("PARLEY_LLM_"));
    const file = path.join(modelsDir, "smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf");
    platform = await Platform.start({ env: { ...Object.fromEntries(speech), PARLEY_LLM_GGUF: file } });
  });

  after(async () => {
    await platform.stop();
    await providers.close();
  });

  test("begins, answers from what the model knows although there is a tool, and ends", async () => {
    const { agentId, number } = await createAgent(platform, {
      voiceId: null,
      firstMessage: "Hello.",
      promptTemplate: "You are a helpful assistant. Answer in one short sentence.",
      llmTemperature: 0,
    });
    await platform.api.createCustomTool(agentId, {
      name: "book_table",
      webhookUrl: "https://shop.example/book",
      schema: {
        type: "function",
        function: {
          name: "book_table",
          description: "Books a table.",
          parameters: { type: "object", properties: {} },
        },
      },
    });
    const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550770001" });
    await greeted(platform, caller);
    const call = await ask(platform, caller);
    await caller.hangUp();
    await caller.close();
    assert.match(textOf(call, "agent"), /Paris/);
    const { endReason, llmName, providerFailures } = await endedCall(platform, "+15550770001");
    assert.equal(endReason, "user_hangup");
    assert.deepEqual(providerFailures, []);
    assert.match(String(llmName), /SmolLM2/);
  });
});
