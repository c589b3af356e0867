import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import type { AgentCreation, TestAttempt, TestCaseCreation, TestRunDetail } from "@parley/contract";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { type CallingNode, openCallingNode } from "../../phone-calls/loopback/testing.ts";
import { partOf } from "../testing.ts";

const GREETING = "Hello, this is the shop.";
const QUESTION = "Where is order 1234?";
/** What both sides take each other's words for. */
const HEARD = "Something was said.";
const ANSWER = "It has been shipped.";
const WAIT = "Wait for a long time, please, because this takes a while.";

const tool = {
  name: "look_up",
  webhookUrl: "https://shop.example/orders",
  schema: { description: "Looks up.", parameters: { type: "object", properties: {} } },
};

function reply(request: ScriptedChatRequest): ScriptedChatReply {
  const { messages, body } = request;
  switch (partOf(request)) {
    case "tester":
      return { text: "And then?" };
    case "judge":
      return { text: JSON.stringify({ verdict: "pass", reason: "It was said.", evidence: [GREETING] }) };
    case "agent":
      if (messages.at(-1)?.role === "tool") return { text: `It says ${messages.at(-1)?.content}.` };
      return JSON.stringify(body["tools"] ?? []).includes("look_up")
        ? { toolCalls: [{ name: "look_up", input: {} }] }
        : { text: ANSWER };
  }
}

let node: CallingNode;

interface Trial {
  agent?: Partial<AgentCreation>;
  suite?: object;
  cases: Partial<TestCaseCreation>[];
}

/** Fewer than ten attempts need, and a fifth of them is for inbound calls. */
const PLACES = 20;
const MAX_TEST_CALLS = 16;

/** Starts a run of a new agent and suite, and returns its attempts as this node claims them. */
async function startRun({ agent = {}, suite = {}, cases }: Trial) {
  const { services, organizationId } = node;
  const author = { organizationId, actor: { type: "api_key", name: "test" } } as const;
  const { id: agentId } = await services.agents.create(author, {
    name: "Ada",
    firstMessage: GREETING,
    ...agent,
  });
  if (cases.some(({ toolMocks = [] }) => (toolMocks ?? []).length > 0))
    await services.customTools.create(author, agentId, tool);
  const { id: suiteId } = await services.testSuites.create(
    { ...author, role: "admin" },
    {
      name: "Calls",
      agentId,
      ...suite,
    },
  );
  for (const [index, each] of cases.entries())
    await services.testCases.create(organizationId, suiteId, { name: `Case ${index}`, ...each });
  const run = await services.testRuns.start(organizationId, suiteId, {});
  const get = async (): Promise<TestRunDetail> =>
    await services.testRuns.get(organizationId, suiteId, run.id);
  const cancel = async (): Promise<void> => {
    await services.testRuns.cancel(organizationId, suiteId, run.id);
    services.testAttempts.drop(run.id);
  };
  return { get, cancel };
}

/** Carries the attempts that wait, as the node's worker does. */
async function carryAll(): Promise<void> {
  const { testAttempts } = node.services;
  const running: Promise<void>[] = [];
  for (let next = await testAttempts.claim(); next !== undefined; next = await testAttempts.claim())
    running.push(testAttempts.run(next));
  await Promise.all(running);
}

const getCalls = async ({ callId, inboundCallId }: TestAttempt) => {
  const { calls } = node.services;
  const get = async (id: string | null) => await calls.get(node.organizationId, id ?? "");
  return { tester: await get(callId), agent: await get(inboundCallId) };
};

describe("attempts by voice", () => {
  before(async () => {
    node = await openCallingNode({ reply, heard: HEARD, calls: PLACES });
  });
  after(async () => await node.close());

  test("ten and more at once: two calls for each attempt as places are free, judged by what the agent's side stored", async () => {
    const assertions = [
      { type: "said", text: ANSWER },
      { type: "said", text: HEARD, role: "user" },
      { type: "end_reason", endReason: "user_hangup" },
      { type: "latency", maxMs: 120_000 },
    ] as const;
    const scripted = await startRun({
      cases: [
        {
          callerLines: ["Where is order {{number}}?"],
          variables: { number: 1234 },
          attemptsPerRun: 10,
          assertions: [...assertions],
        },
      ],
    });
    const played = await startRun({
      suite: { maxTurns: 1 },
      cases: [
        {
          script: "You are Ada.",
          scoringRubric: "It is shipped.",
          assertions: [{ type: "end_reason", endReason: "turn_limit" }],
        },
      ],
    });
    const mocked = await startRun({
      cases: [
        {
          callerLines: [QUESTION],
          toolMocks: [{ toolName: "look_up", answers: [{ text: "shipped" }] }],
          assertions: [
            { type: "tool_called", toolName: "look_up", times: 1 },
            { type: "said", text: "It says shipped" },
          ],
        },
      ],
    });
    const first = await startRun({
      agent: { startSpeaker: "user" },
      cases: [{ callerLines: [QUESTION], assertions: [{ type: "said", text: ANSWER }] }],
    });
    const silent = await startRun({
      agent: { silenceEndCallTimeoutSeconds: 5, turnTimeoutSeconds: 60 },
      cases: [
        {
          callerLines: [QUESTION],
          callerConditions: { silentAfterTurns: 0, backgroundNoise: "low", packetLossPercent: 2 },
          assertions: [{ type: "end_reason", endReason: "silence_timeout" }],
        },
      ],
    });
    const runs = [scripted, played, mocked, first, silent];
    await waitFor(
      "the runs",
      async () => {
        await carryAll();
        return (await Promise.all(runs.map(async ({ get }) => await get()))).every(
          ({ status }) => status === "completed",
        );
      },
      120_000,
    );

    const times: { atMs: number; change: 1 | -1 }[] = [];
    for (const { get } of runs) {
      const run = await get();
      assert.equal(run.status, "completed");
      for (const attempt of run.attempts) {
        assert.equal(attempt.result, "pass", JSON.stringify(attempt));
        const { tester, agent } = await getCalls(attempt);
        assert.deepEqual([tester.direction, agent.direction], ["outbound", "inbound"]);
        assert.deepEqual([tester.isTest, agent.isTest], [true, true]);
        assert.deepEqual([tester.agentId, agent.agentId], [run.agentId, run.agentId]);
        assert.equal(agent.configurationRevision, run.configurationRevision);
        assert.equal(agent.conversationId, attempt.conversationId);
        assert.deepEqual(attempt.transcript, agent.transcript);
        assert.deepEqual(attempt.variables, agent.variables);
        for (const { createdAt, endedAt } of [tester, agent])
          times.push(
            { atMs: Date.parse(createdAt), change: 1 },
            { atMs: Date.parse(endedAt ?? ""), change: -1 },
          );
      }
    }
    let now = 0;
    let most = 0;
    for (const { change } of times.toSorted(
      (one, other) => one.atMs - other.atMs || one.change - other.change,
    )) {
      now += change;
      most = Math.max(most, now);
    }
    assert.ok(most > 2 && most <= MAX_TEST_CALLS, `${most} calls at once`);
    const { attempts } = await scripted.get();
    const calls = attempts.flatMap(({ callId, inboundCallId }) => [callId, inboundCallId]);
    assert.equal(new Set(calls).size, 20);
    const { tester } = await getCalls(attempts[0] ?? assert.fail());
    const [said] = tester.transcript.filter((item) => item.type === "message" && item.role === "agent");
    assert.equal(said?.text, QUESTION);
  });

  test("a run that is cancelled hangs up both sides", async () => {
    const run = await startRun({
      agent: { firstMessage: `${WAIT} ${WAIT} ${WAIT}` },
      cases: [{ callerLines: [QUESTION], assertions: [{ type: "said", text: ANSWER }] }],
    });
    const carried = carryAll();
    const inProgress = await waitFor("the call", async () => {
      const [attempt] = (await run.get()).attempts;
      if (attempt === undefined || attempt.inboundCallId === null) return undefined;
      const { tester, agent } = await getCalls(attempt);
      return tester.status === "in_progress" && agent.status === "in_progress" && attempt;
    });
    await run.cancel();
    await carried;
    const { tester, agent } = await getCalls(inProgress);
    assert.deepEqual([tester.endReason, agent.endReason], ["api_hangup", "api_hangup"]);
    const { status, attempts } = await run.get();
    assert.deepEqual([status, attempts[0]?.result], ["cancelled", "cancelled"]);
  });

  test("an attempt whose call fails is an error, and none of the agent's", async () => {
    const run = await startRun({
      agent: { preCallWebhookUrl: null, firstMessage: `${WAIT} ${WAIT} ${WAIT}` },
      cases: [{ callerLines: [QUESTION], assertions: [{ type: "not_said", text: "anything" }] }],
    });
    const carried = carryAll();
    const { activeCalls } = node.services;
    const active = await waitFor("the call", () =>
      [...activeCalls.all()].find(({ isInProgress }) => isInProgress),
    );
    active.hangUp({ status: "failed", endReason: "error_internal", endDetail: "broken" });
    await carried;
    const [attempt] = (await run.get()).attempts;
    assert.equal(attempt?.result, "error");
    assert.match(attempt?.reasoning ?? "", /call ended with error_internal: broken/);
  });
});
