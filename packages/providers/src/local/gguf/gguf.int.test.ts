import assert from "node:assert/strict";
import path from "node:path";
import { after, test } from "node:test";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { ProviderError } from "@parley/conversation";
import { ensureModels } from "../../models/fetch.ts";
import { createInProcessInference } from "../inference/in-process-client.ts";
import { loadGguf } from "./gguf.ts";
import { createInferenceLanguageModel } from "./inference-language-model.ts";

const modelsDir = await ensureModels({ groups: ["smollm2"] });
const gguf = await loadGguf({
  path: path.join(modelsDir, "smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
  // Threads that share a core wait for each other by spinning: two of them on one core exceeded the client's deadline.
  threads: 1,
  contextTokens: 1024,
});
const client = createInProcessInference({ generate: gguf.generate });
const model = createInferenceLanguageModel(client, { modelId: gguf.name });
after(async () => {
  client.close();
  await gguf.close();
});

function ask(text: string, more: Partial<LanguageModelV4CallOptions> = {}): LanguageModelV4CallOptions {
  return {
    prompt: [
      { role: "system", content: "You are a helpful assistant. Answer in one short sentence." },
      { role: "user", content: [{ type: "text", text }] },
    ],
    maxOutputTokens: 40,
    seed: 1,
    ...more,
  };
}

async function readParts(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function textOf(parts: LanguageModelV4StreamPart[]): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
}

test("a reply streams as text and ends with its reason and its tokens", async () => {
  const parts = await readParts(ask("What is the capital of France?"));
  assert.match(textOf(parts), /Paris/);
  assert.ok(parts.filter((part) => part.type === "text-delta").length > 3);
  const finish = parts.at(-1);
  assert.ok(finish?.type === "finish");
  assert.ok((finish.usage.outputTokens.total ?? 0) > 3);
});

test("concurrent conversations are answered one after the other", async () => {
  const [first, second] = await Promise.all([
    readParts(ask("What is the capital of France?")),
    readParts(ask("What is the capital of Italy?")),
  ]);
  assert.match(textOf(first), /Paris/);
  assert.match(textOf(second), /Rome/);
});

test("an abort ends a reply with its reason, and the next one follows", async () => {
  const controller = new AbortController();
  const reason = new Error("the caller spoke");
  const { stream } = await model.doStream(
    ask("Tell me a long story about a ship.", { abortSignal: controller.signal, maxOutputTokens: 500 }),
  );
  await assert.rejects(
    async () => {
      for await (const part of stream) if (part.type === "text-delta") controller.abort(reason);
    },
    (error) => error === reason,
  );
  assert.match(textOf(await readParts(ask("What is the capital of France?"))), /Paris/);
});

test("a reply that is cut at its limit reports it", async () => {
  const parts = await readParts(ask("Tell me a long story about a ship.", { maxOutputTokens: 5 }));
  const finish = parts.at(-1);
  assert.equal(finish?.type === "finish" && finish.finishReason.unified, "length");
});

test("a conversation that exceeds the model's window is answered from its latest turns", async () => {
  const turns = Array.from({ length: 100 }, (_, index): LanguageModelV4Message[] => [
    { role: "user", content: [{ type: "text", text: `Tell me something about the number ${index}.` }] },
    { role: "assistant", content: [{ type: "text", text: `The number ${index} follows ${index - 1}.` }] },
  ]).flat();
  const question = ask("What is the capital of France?").prompt;
  const parts = await readParts({
    ...ask(""),
    prompt: [...question.slice(0, 1), ...turns, ...question.slice(1)],
  });
  assert.match(textOf(parts), /Paris/);
  const finish = parts.at(-1);
  const tokens = finish?.type === "finish" ? (finish.usage.inputTokens.total ?? 0) : 0;
  assert.ok(tokens > 300 && tokens < 1_024, `${tokens} tokens`);
});

test("a tool is called through a grammar made from its schema", async () => {
  // A model this small calls a tool only after examples in the conversation.
  const examples = Array.from({ length: 4 }, (_, index): LanguageModelV4Message[] => [
    { role: "user", content: [{ type: "text", text: "Goodbye." }] },
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: `${index}`, toolName: "end_call", input: { farewell: "Bye." } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `${index}`,
          toolName: "end_call",
          output: { type: "text", value: "done" },
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
  ]).flat();
  const parts = await readParts({
    prompt: [
      { role: "system", content: "You are a helpful assistant." },
      ...examples,
      { role: "user", content: [{ type: "text", text: "Goodbye." }] },
    ],
    tools: [
      {
        type: "function",
        name: "end_call",
        description: "Hangs up the call.",
        inputSchema: {
          type: "object",
          properties: { farewell: { type: "string" } },
          additionalProperties: false,
        },
      },
    ],
    maxOutputTokens: 60,
  });
  const call = parts.find((part) => part.type === "tool-call");
  assert.equal(call?.toolName, "end_call");
  assert.deepEqual(JSON.parse(call?.input ?? ""), { farewell: "Bye." });
  const finish = parts.at(-1);
  assert.equal(finish?.type === "finish" && finish.finishReason.unified, "tool-calls");
});

test("JSON is written through a grammar made from its schema", async () => {
  const parts = await readParts(
    ask("My name is Ada and I am 36 years old.", {
      responseFormat: {
        type: "json",
        schema: {
          type: "object",
          properties: {
            name: { type: ["string", "null"] },
            age: { type: ["number", "null"] },
            mood: { type: ["string", "null"], enum: ["good", "bad", null] },
          },
          required: ["name", "age", "mood"],
          additionalProperties: false,
        },
      },
      maxOutputTokens: 100,
    }),
  );
  const answer: Record<string, unknown> = JSON.parse(textOf(parts));
  assert.deepEqual(Object.keys(answer), ["name", "age", "mood"]);
  assert.ok(answer["age"] === null || typeof answer["age"] === "number");
  assert.ok(["good", "bad", null].some((mood) => mood === answer["mood"]));
});

test("background work yields to calls, and can be requested again", async () => {
  const background = readParts(
    ask("Tell me a long story about a ship.", {
      maxOutputTokens: 500,
      providerOptions: { local: { isBackground: true } },
    }),
  );
  const refused = assert.rejects(background, (error) => error instanceof ProviderError && error.isRetryable);
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(textOf(await readParts(ask("What is the capital of France?"))), /Paris/);
  await refused;
});
