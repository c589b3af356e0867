import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestRunDetail } from "@parley/contract";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { refusalOf } from "../campaigns/testing.ts";
import { openLaboratory } from "./testing.ts";

const tool = {
  name: "look_up",
  webhookUrl: "https://shop.example/orders",
  schema: {
    description: "Looks up.",
    parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
  },
};

/** Looks an order up when asked for one, hangs up after a goodbye, and repeats anything else. */
function answer({ messages, lastUserText }: ScriptedChatRequest): ScriptedChatReply {
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `It says: ${last.content}` };
  const number = /order (\d+)/.exec(lastUserText)?.[1];
  if (number !== undefined) return { toolCalls: [{ name: "look_up", input: { number, language: "en" } }] };
  if (lastUserText.includes("Goodbye")) return { text: "Bye!", toolCalls: [{ name: "end_call", input: {} }] };
  return { text: `You said: ${lastUserText}` };
}

const resultsOf = ({ attempts }: TestRunDetail) =>
  attempts.map(({ result, endReason, transcript }) => ({
    result,
    endReason,
    said: transcript.map(({ type, role, text }) => [role ?? type, text]),
  }));

test("a scripted case says its lines, answers tools by its mocks in turn, and checks all kinds of assertions", async (t) => {
  const { addCase, run, server, agentId } = await openLaboratory(t, { model: answer });
  assert.equal((await server.request("POST", `/agents/${agentId}/custom-tools`, tool)).status, 201);
  await addCase({
    callerLines: ["Where is order {{number}}?", "And order 5678?", "Goodbye"],
    variables: { number: 1234 },
    toolMocks: [
      {
        toolName: "look_up",
        arguments: { number: "1234" },
        answers: [{ text: "shipped" }],
      },
      { toolName: "look_up", answers: [{ text: "no such order", isError: true }] },
    ],
    assertions: [
      { type: "tool_called", toolName: "look_up", arguments: { number: "1234" }, times: 1 },
      { type: "tool_called", toolName: "look_up", times: 2 },
      { type: "tool_not_called", toolName: "look_up", arguments: { number: "1234" }, match: "exact" },
      { type: "said", text: "it says SHIPPED" },
      { type: "said", role: "user", text: "order 1234" },
      { type: "not_said", text: "ship" },
      { type: "order", sequence: [{ text: "Miller hello" }, { toolName: "look_up" }, { text: "Bye" }] },
      { type: "latency", maxMs: 60_000 },
      { type: "end_reason", endReason: "agent_hangup" },
    ],
  });
  const finished = await run();
  const { status, totalTests, passedTests, failedTests, completedAttempts } = finished;
  assert.deepEqual(
    [status, totalTests, passedTests, failedTests, completedAttempts],
    ["completed", 1, 1, 0, 1],
    JSON.stringify(finished.attempts, null, 1),
  );
  const [attempt] = resultsOf(finished);
  assert.deepEqual(attempt, {
    result: "pass",
    endReason: "agent_hangup",
    said: [
      ["agent", "Miller, hello."],
      ["user", "Where is order 1234?"],
      ["tool_call", '{"number":"1234","language":"en"}'],
      ["tool_result", "shipped"],
      ["agent", "It says: shipped"],
      ["user", "And order 5678?"],
      ["tool_call", '{"number":"5678","language":"en"}'],
      ["tool_result", "no such order"],
      ["agent", "It says: no such order"],
      ["user", "Goodbye"],
      ["agent", "Bye!"],
    ],
  });
  const { data } = (await server.request("GET", "/conversations")).body as { data: { isTest: boolean }[] };
  assert.deepEqual(
    data.map(({ isTest }) => isTest),
    [true],
  );
});

test("a transfer is simulated in a chat, and channels of text have none", async (t) => {
  const { addCase, run, server, agentId } = await openLaboratory(t, {
    model: ({ messages, tools }) => {
      if (messages.at(-1)?.role === "tool") return { text: "You are connected." };
      if (!tools.includes("transfer_call")) return { text: "I cannot connect you." };
      return { toolCalls: [{ name: "transfer_call", input: { destination: 1 } }] };
    },
  });
  const change = {
    transferEnabled: true,
    transferRoutes: [{ to_number: "+14155550123", condition: "wants sales" }],
  };
  assert.equal((await server.request("PATCH", `/agents/${agentId}`, change)).status, 200);
  await addCase({
    callerLines: ["Let me speak to sales"],
    assertions: [
      { type: "tool_called", toolName: "transfer_call", arguments: { destination: 1 } },
      { type: "said", text: "You are connected" },
    ],
  });
  const chat = await run();
  assert.equal(chat.passedTests, 1, JSON.stringify(chat.attempts));
  const sms = await run({ mode: "sms" });
  assert.match(JSON.stringify(sms.attempts), /I cannot connect you/);
});

test("each assertion fails with what was expected and what happened", async (t) => {
  const { addCase, run } = await openLaboratory(t, { model: answer });
  await addCase({
    callerLines: ["Hello"],
    assertions: [
      { type: "tool_called", toolName: "look_up" },
      { type: "said", text: "elephant" },
      { type: "not_said", text: "hello" },
      { type: "order", sequence: [{ text: "you said" }, { text: "Miller" }] },
      { type: "end_reason", endReason: "agent_hangup" },
      { type: "extraction", field: "city", value: "Berlin" },
    ],
  });
  const { passedTests, failedTests, attempts } = await run();
  assert.deepEqual([passedTests, failedTests], [0, 1]);
  assert.deepEqual(
    attempts[0]?.assertions.map(({ passed, detail }) => [passed, detail]),
    [
      [false, "look_up was called never; expected: at least once."],
      [false, 'The agent did not say "elephant".'],
      [false, 'The agent said "hello".'],
      [false, '"Miller" did not occur after what precedes it in the order.'],
      [false, "The conversation ended with user_hangup; expected: agent_hangup."],
      [false, "The agent extracts no field of the name city."],
    ],
  );
});

test("without a language model scripted cases run, and others are refused", async (t) => {
  const { addCase, run, startRun } = await openLaboratory(t, { options: { providerVariables: {} } });
  await addCase({
    callerLines: ["Hello"],
    assertions: [{ type: "said", text: "Miller" }],
    attemptsPerRun: 3,
  });
  const { status, attempts } = await run();
  assert.equal(status, "completed");
  assert.deepEqual(
    attempts.map(({ result, attemptNumber }) => [result, attemptNumber]),
    [1, 2, 3].map((number) => ["pass", number]),
  );
  const { id } = await addCase({ script: "You are Ada.", assertions: [{ type: "said", text: "Miller" }] });
  assert.deepEqual(refusalOf(await startRun({ testCaseIds: [id] })), [409, "llm_not_configured"]);
  assert.deepEqual(refusalOf(await startRun({ testCaseIds: [] })), [400, "no_test_cases"]);
  assert.deepEqual(refusalOf(await startRun({ mode: "voice" })), [409, "llm_not_configured"]);
  assert.deepEqual(refusalOf(await startRun({ environment: "nowhere" })), [400, "environment_not_found"]);
});
