/** The providers of calls, with a server that speaks a vendor's wire format and fails in every way. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Dialogue, type ProviderFault, type ReplyPart } from "@parley/conversation";
import { createInProcessInference } from "@parley/providers/local";
import { type ScriptedFault, startScriptedOpenAi } from "@parley/providers/testing";
import { chooseSpeechFit } from "@parley/providers/fit";
import { ProviderCircuits } from "../model-providers/provider-circuits.ts";
import { loadProviderSet } from "../model-providers/provider-set.ts";
import { CallScope } from "../platform/call-scope.ts";
import { parseConfig } from "../platform/config/config.ts";
import { chooseCallProviders } from "./call-providers.ts";

const DEADLINES = {
  firstTokenMs: 5000,
  betweenTokensMs: 5000,
  beforeFallback: { firstTokenMs: 150, betweenTokensMs: 150 },
};
const WORDS = "We are open from nine to five.";

/** A server whose model `first` fails as `fault` says and whose model `second` always answers. */
async function setUp(context: TestContext, fault: () => ScriptedFault | undefined) {
  const asked: string[] = [];
  let isFirst = true;
  const server = await startScriptedOpenAi({
    reply: ({ model }) => {
      asked.push(model);
      return { text: WORDS };
    },
    // A connection that is cut drops what its client has not read.
    betweenChunksMs: 5,
    // The first request of a conversation is the one for `first`.
    fault: () => {
      const now = isFirst ? fault() : undefined;
      isFirst = false;
      return now;
    },
  });
  const { config } = parseConfig({
    PARLEY_LLM_BASE_URL: `${server.url}/v1`,
    PARLEY_LLM_MODEL: "second",
  });
  const inference = createInProcessInference({});
  const set = await loadProviderSet(config, inference, () => chooseSpeechFit({}, 1));
  context.after(async () => {
    await set.close();
    inference.close();
    await server.close();
  });
  const circuits = new ProviderCircuits(() => 0);
  const converse = async (): Promise<ReplyPart[]> => {
    isFirst = true;
    const scope = new CallScope((error) => assert.fail(String(error)));
    const call = {
      organizationId: "a",
      llmModel: "openai-compatible/first",
      agent: { voice: "", language: "en" },
      fallbackVoiceId: undefined,
    };
    const providers = chooseCallProviders(call, scope, set, circuits);
    const [model, ...fallbackModels] = providers.models;
    const dialogue = new Dialogue({ model, fallbackModels, instructions: "Be brief.", deadlines: DEADLINES });
    const reply = dialogue.respond(
      { type: "message", text: "When?" },
      { signal: AbortSignal.timeout(10_000) },
    );
    const parts: ReplyPart[] = [];
    for await (const part of reply) {
      parts.push(part);
      if (part.type !== "retry") continue;
      const { provider, kind, status, message } = part.error;
      const fault: ProviderFault = { type: "fault", part: "llm", provider, kind, message };
      providers.noteFailure(status === undefined ? fault : { ...fault, status });
    }
    dialogue.settle(reply.id);
    dialogue.close();
    return parts;
  };
  return { converse, asked };
}

const textOf = (parts: readonly ReplyPart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

for (const [what, fault, kind] of [
  ["401", { type: "status", status: 401 }, "status"],
  ["429", { type: "status", status: 429, retryAfterS: 30 }, "status"],
  ["500", { type: "status", status: 500 }, "status"],
  ["a connection that is never answered", { type: "stallConnect" }, "timeout"],
  ["a stall in mid-stream", { type: "stall", after: 3 }, "timeout"],
  ["a close in mid-stream", { type: "close", after: 3 }, "connection"],
  ["a frame cut off in mid-stream", { type: "cutFrame", after: 3 }, "connection"],
] as const) {
  test(`after ${what} the second model answers in the same turn`, async (context) => {
    const { converse, asked } = await setUp(context, () => fault);
    const parts = await converse();
    const retries = parts.filter((part) => part.type === "retry");
    assert.deepEqual(
      retries.map(({ error, takenOverBy }) => [error.kind, takenOverBy.split("/")[1]]),
      [[kind, "second"]],
    );
    assert.ok(textOf(parts).endsWith(WORDS), textOf(parts));
    assert.equal(asked.at(-1), "second");
  });
}

test("a model that fails in three conversations is not asked in the fourth, and one that answers is", async (context) => {
  let fault: ScriptedFault | undefined = { type: "status", status: 500 };
  const { converse, asked } = await setUp(context, () => fault);
  for (let conversation = 0; conversation < 3; conversation++) await converse();
  asked.length = 0;
  fault = undefined;
  const parts = await converse();
  assert.deepEqual([asked, parts.some(({ type }) => type === "retry")], [["second"], false]);
});

test("failures between answers do not keep a model away", async (context) => {
  let fault: ScriptedFault | undefined;
  const { converse, asked } = await setUp(context, () => fault);
  for (const status of [500, 500, undefined, 500, 500, undefined]) {
    fault = status === undefined ? undefined : { type: "status", status };
    await converse();
  }
  assert.equal(asked.at(-1), "first");
});
