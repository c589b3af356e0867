import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { DEFAULT_TEST_CASE, type TestRun } from "@parley/contract";
import type { LanguageModel } from "@parley/conversation";
import { ScriptedLanguageModel } from "@parley/conversation/testing";
import { waitFor } from "@parley/testing";
import { refusalOf } from "../campaigns/testing.ts";
import { read } from "../messages/testing.ts";
import { createTester } from "./engine/tester.ts";
import { openLaboratory } from "./testing.ts";
import { TextAttempts } from "./text/text-attempts.ts";

const hello = { callerLines: ["Hello"], assertions: [{ type: "said", text: "Hello" }] };
const modes = ["chat", "sms", "web_chat"] as const;

test("a run by text is cancelled while it waits, and while its agent's model answers, in each mode", async (t) => {
  const { addCase, startRun, getRun, server, suite } = await openLaboratory(t, {
    model: () => ({ text: "Hello and so on." }),
    fault: () => ({ type: "stall", after: 1 }),
  });
  await addCase(hello);
  const { testAttempts } = server.modules;
  const cancel = async (id: string) =>
    await server.request("POST", `/test-suites/${suite.id}/runs/${id}/cancel`);
  for (const mode of modes) {
    const queued = read<TestRun>(await startRun({ mode }), 201);
    assert.equal(read<TestRun>(await cancel(queued.id)).status, "cancelled", mode);
    assert.equal(await testAttempts.claim(), undefined, mode);

    const running = read<TestRun>(await startRun({ mode }), 201);
    const claimed = await testAttempts.claim();
    assert.ok(claimed !== undefined);
    const carried = testAttempts.run(claimed);
    await waitFor("the tester's words", async () =>
      (await getRun(running.id)).attempts[0]?.transcript.some(({ role }) => role === "user"),
    );
    read(await cancel(running.id));
    // What the bus tells every node.
    testAttempts.drop(running.id);
    await carried;
    const { status, attempts } = await getRun(running.id);
    assert.deepEqual(
      [status, attempts[0]?.result, attempts[0]?.endReason],
      ["cancelled", "cancelled", null],
      mode,
    );
    assert.deepEqual(refusalOf(await cancel(running.id)), [409, "run_not_cancellable"]);
  }
  const { data } = (await server.request("GET", "/conversations")).body as { data: { endedAt: unknown }[] };
  assert.equal(data.length, modes.length);
  for (const { endedAt } of data) assert.notEqual(endedAt, null);
});

test("a connection to the language model that breaks makes an error of the attempt, in each mode", async (t) => {
  const { addCase, run } = await openLaboratory(t, {
    model: () => ({ text: "Hello and so on." }),
    fault: () => ({ type: "cutFrame", after: 1 }),
  });
  await addCase(hello);
  for (const mode of modes) {
    const [attempt] = (await run({ mode })).attempts;
    assert.equal(attempt?.result, "error", mode);
    assert.match(attempt.reasoning ?? "", /agent's language model failed/);
  }
});

test("the longest duration ends a conversation whose tester or agent never stops, and it is judged", async (t) => {
  const { server, agentId } = await openLaboratory(t);
  const { database, organizationId, modules } = server;
  const { conversations, toolSigning, knowledgeSearch, agentResolution, replyFailures } = modules;
  const resolved = await agentResolution.resolveAgent(organizationId, agentId, {
    kind: "test_run",
    environment: null,
  });
  const talkative: LanguageModel = new ScriptedLanguageModel([], { fallback: () => "And then?" });
  const silent: LanguageModel = {
    ...talkative,
    doStream: async ({ abortSignal }) => {
      if (abortSignal !== undefined) await once(abortSignal, "abort");
      throw new Error("aborted");
    },
  };
  const carry = async (agentModel: LanguageModel, testerModel: LanguageModel) => {
    const late = new AbortController();
    let requests = 0;
    const counted: LanguageModel = {
      ...agentModel,
      doStream: async (call) => {
        requests += 1;
        if (requests === 20) late.abort();
        return await agentModel.doStream(call);
      },
    };
    const carrier = new TextAttempts({
      database,
      conversations,
      toolSigning,
      knowledgeSearch,
      replyFailures,
      languageModelsFor: async () => [counted],
      outbound: { send: async () => await Promise.reject(new Error("nothing listens")) },
      clock: { now: () => new Date() },
      startTimeout: () =>
        agentModel === silent || testerModel === silent ? AbortSignal.timeout(1) : late.signal,
    });
    const script = { callerLines: [], script: "Never stop." };
    const ids: string[] = [];
    const tester = createTester(script, { variables: {}, models: [testerModel], isSpoken: false });
    const result = await carrier.carry(
      {
        id: crypto.randomUUID(),
        runId: crypto.randomUUID(),
        organizationId,
        mode: "chat",
        testCase: { ...DEFAULT_TEST_CASE, ...script, id: crypto.randomUUID(), name: "Case" },
        agent: resolved,
        variables: {},
        testerModel: "service-standard",
        maxTurns: 1_000_000,
        maxDurationSeconds: 5,
        tester,
        note: async ({ conversationId = "" }) => void ids.push(conversationId),
      },
      new AbortController().signal,
    );
    tester.close();
    const { endedAt } = await conversations.get(organizationId, ids[0] ?? "");
    assert.notEqual(endedAt, null);
    return result;
  };
  for (const [agentModel, testerModel] of [
    [talkative, talkative],
    [silent, talkative],
    [talkative, silent],
  ] as const) {
    const { endReason, transcript } = await carry(agentModel, testerModel);
    assert.equal(endReason, "max_duration");
    assert.equal(transcript[0]?.text, "Miller, hello.");
  }
});

test("tools without a mock are called, and told that the conversation is a test", async (t) => {
  const bodies: { isTest?: unknown; channel?: unknown }[] = [];
  const headers: unknown[] = [];
  const shop = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(JSON.parse(body) as object);
      headers.push(request.headers["x-parley-test"]);
      response.end("shipped");
    });
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  t.after(() => {
    shop.closeAllConnections();
    shop.close();
  });
  const address = shop.address();
  assert.ok(typeof address === "object" && address !== null);
  const { addCase, run, server, agentId } = await openLaboratory(t, {
    model: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: `Hello, ${messages.at(-1)?.content}.` }
        : { toolCalls: [{ name: "look_up", input: {} }] },
    options: { isPrivateWebhookAllowed: true },
  });
  const webhookUrl = `http://127.0.0.1:${address.port}/orders`;
  const schema = { description: "Looks up.", parameters: { type: "object", properties: {} } };
  read(
    await server.request("POST", `/agents/${agentId}/custom-tools`, { name: "look_up", webhookUrl, schema }),
    201,
  );
  await addCase(hello);
  for (const mode of modes) assert.equal((await run({ mode })).passedTests, 1, mode);
  assert.deepEqual(
    bodies.map(({ isTest }) => isTest),
    [true, true, true],
  );
  assert.deepEqual(headers, ["true", "true", "true"]);
});
