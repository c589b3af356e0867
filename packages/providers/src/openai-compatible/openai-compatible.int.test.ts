import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { startScriptedOpenAi, type ScriptedFault } from "../testing/index.ts";
import type { OwnedModel } from "../http/owned-model.ts";
import { createOpenAiCompatibleModel } from "./openai-compatible.ts";

const faults: (ScriptedFault | undefined)[] = [];
const server = await startScriptedOpenAi({
  apiKey: "sk-right",
  reply: ({ lastUserText }) => ({ text: `You said: ${lastUserText}` }),
  betweenChunksMs: 1,
  fault: () => faults.shift(),
});
const models: OwnedModel[] = [];
after(async () => {
  for (const model of models) await model.close();
  await server.close();
});

function openModel(apiKey = "sk-right", baseUrl = `${server.url}/v1`): OwnedModel {
  const model = createOpenAiCompatibleModel({ baseUrl, apiKey, model: "scripted" });
  models.push(model);
  return model;
}

function ask(text: string, more: Partial<LanguageModelV4CallOptions> = {}): LanguageModelV4CallOptions {
  return { prompt: [{ role: "user", content: [{ type: "text", text }] }], ...more };
}

async function readParts(
  model: OwnedModel,
  options = ask("hello there"),
): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

test("turns of a conversation share a connection and are identified by their header", async () => {
  const model = openModel();
  const before = server.stats.connections;
  for (const id of ["one", "two", "three"]) {
    await readParts(model, ask("hi", { headers: { "x-conversation-id": id } }));
    // The connection becomes free a moment after the reply has ended.
    await delay(10);
  }
  assert.equal(server.stats.connections - before, 1);
  const exchanges = server.stats.exchanges.slice(-3);
  assert.deepEqual(
    exchanges.map((each) => each.conversation),
    ["one", "two", "three"],
  );
  for (const each of exchanges) assert.ok((each.firstByteAtMs ?? 0) >= each.receivedAtMs);
});

for (const [status, isRetryable] of [
  [429, true],
  [500, true],
  [400, false],
] as const) {
  test(`status ${status} is an API error that is ${isRetryable ? "" : "not "}retryable`, async () => {
    faults.push({ type: "status", status });
    await assert.rejects(readParts(openModel()), (error) => {
      assert.ok(APICallError.isInstance(error));
      assert.equal(error.statusCode, status);
      assert.equal(error.isRetryable, isRetryable);
      return true;
    });
  });
}

test("an unreachable server is a retryable API error without a status", async () => {
  await assert.rejects(readParts(openModel("sk-right", "http://127.0.0.1:9/v1")), (error) => {
    assert.ok(APICallError.isInstance(error));
    assert.equal(error.statusCode, undefined);
    assert.equal(error.isRetryable, true);
    return true;
  });
});

test("a temperature is sent to models that take one", async () => {
  const sent: unknown[] = [];
  const scripted = await startScriptedOpenAi({
    reply: ({ body }) => {
      sent.push([body["temperature"], body["reasoning_effort"], body["top_p"]]);
      return { text: "Yes." };
    },
  });
  try {
    for (const name of ["gpt-4o-mini", "gpt-5-mini"]) {
      const model = createOpenAiCompatibleModel({ baseUrl: `${scripted.url}/v1`, model: name });
      const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
      const { stream } = await model.doStream({ prompt, temperature: 0.3, reasoning: "low", topP: 0.5 });
      for await (const _part of stream);
      await model.close();
    }
  } finally {
    await scripted.close();
  }
  assert.deepEqual(sent, [
    [0.3, "low", 0.5],
    [undefined, "low", 0.5],
  ]);
});
