import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../platform/clock.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { createIdleMetrics } from "../../platform/telemetry/testing.ts";
import { createDocument } from "../agents/agent-document.rules.ts";
import { createTestServer, openTestCall } from "../testing.ts";
import type { PreCallQuestion } from "../webhooks/pre-call-webhook.ts";
import type { PreCallReading } from "../webhooks/pre-call-answer.rules.ts";
import { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import { CallSpool } from "../active-calls/call-spool.ts";
import type { CallSignaling, ActiveCall } from "../active-calls/active-call.ts";
import {
  type CallSetup,
  type CallToRegister,
  ActiveCallRegistry,
} from "../active-calls/active-call-registry.ts";

const NODE = "this-node";

const document = createDocument({
  name: "Ada",
  preCallWebhookUrl: "https://example.com/pre",
  promptTemplate: "The customer is {{customer}}, of {{city}}.",
  firstMessage: "Good day.",
  firstMessageOutbound: "We are calling you.",
  firstMessageMode: "generated",
});

const stagedAgent = {
  document,
  environment: "staging",
  agentRevision: 1,
  configurationRevision: 1,
  variables: {},
} as const;

/** A node whose calls are handled as `ask` answers, and hung up by us once they are ready. */
async function open(t: TestContext, ask: (signal: AbortSignal) => Promise<Partial<PreCallReading>>) {
  const server = await createTestServer();
  t.after(async () => await server.close());
  const folder = await mkdtemp(path.join(tmpdir(), "parley-test-pre-call-"));
  t.after(async () => await rm(folder, { recursive: true }));
  const logger = createLogger({ level: "silent" });
  const { modules, organizationId } = server;
  const questions: PreCallQuestion[] = [];
  const activeCalls = new ActiveCallRegistry({
    nodeId: NODE,
    placeShares: modules.activeCalls.placeShares,
    calls: modules.calls,
    spool: new CallSpool({ folder, nodeId: NODE, logger }),
    preCall: {
      ask: async (question, signal) => {
        questions.push(question);
        return { answer: {}, problems: [], ...(await ask(signal)) };
      },
    },
    toolSigning: new ToolSigning({ signingSecrets: modules.signingSecrets, clock: systemClock, logger }),
    doNotCall: modules.doNotCall,
    memory: modules.memory,
    knowledgeSearch: modules.knowledgeSearch,
    providerKeys: modules.providerKeys,
    isReady: () => true,
    providerNames: () => ({ llmName: "", sttName: "", ttsName: "" }),
    metrics: createIdleMetrics(),
    spans: undefined,
    clock: systemClock,
    sipTraces: undefined,
    logger,
  });
  const carry = async (particulars: Partial<CallToRegister> = {}) => {
    const ids = await openTestCall(server, { nodeId: NODE });
    const record: CallToRegister = {
      ...ids,
      agent: { id: crypto.randomUUID(), organizationId, ...stagedAgent },
      variables: { customer: "nobody", city: "Paris" },
      channel: "phone",
      direction: "inbound",
      fromNumber: null,
      toNumber: "+14155550123",
      at: new Date(),
      ...particulars,
    };
    let prepared: CallSetup | undefined;
    await activeCalls.carry(record, (prepare): CallSignaling => {
      const establish = async (call: ActiveCall): Promise<void> => {
        prepared = await prepare();
        call.hangUp({ status: "completed", endReason: "agent_hangup" });
      };
      return { establish, end: () => {} };
    });
    const detail = await modules.calls.get(organizationId, ids.callId);
    const { variables } = await modules.conversations.get(organizationId, ids.conversationId);
    return { record, prepared, detail, variables };
  };
  return { activeCalls, questions, carry };
}

test("the pre-call webhook's answer wins, in the conversation and in its record", async (t) => {
  const answer = { variables: { customer: "Ada", tier: "gold" }, firstMessage: "Hello {{customer}}." };
  const { questions, carry } = await open(t, async () => ({ answer }));
  for (const direction of ["inbound", "outbound"] as const) {
    const { prepared, variables } = await carry({ direction });
    assert.equal(prepared?.instructions, "The customer is Ada, of Paris.");
    assert.deepEqual(
      [prepared.agent.firstMessage, prepared.agent.firstMessageMode],
      ["Hello Ada.", "static"],
    );
    const all = { customer: "Ada", city: "Paris", tier: "gold" };
    assert.deepEqual([variables, prepared.conversation.variables], [all, all]);
  }
  assert.deepEqual(
    questions.map(({ data }) => data.direction),
    ["inbound", "outbound"],
  );
});

test("the pre-call webhook receives the call's facts, and whether it is a browser test", async (t) => {
  const { questions, carry } = await open(t, async () => ({}));
  const { record, prepared } = await carry({ channel: "web", toNumber: null, isTest: true });
  const { agent, callId, conversationId } = record;
  assert.deepEqual(questions[0]?.data, {
    id: callId,
    conversationId,
    agentId: agent.id,
    environment: "staging",
    channel: "web",
    direction: "inbound",
    fromNumber: null,
    toNumber: null,
    variables: { customer: "nobody", city: "Paris" },
    campaignId: null,
    isTest: true,
  });
  assert.equal(prepared?.agent.firstMessageMode, "generated");
});

test("unusable parts of the answer are noted in the transcript, and the call goes on", async (t) => {
  const { carry } = await open(t, async () => ({ problems: ["lucky is not a known field"] }));
  const { detail, prepared } = await carry({ direction: "outbound" });
  assert.equal(prepared?.agent.firstMessage, "We are calling you.");
  assert.equal(detail.endReason, "agent_hangup");
  assert.deepEqual(
    detail.transcript.map(({ type, text }) => [type, text]),
    [["system", "The pre-call webhook, or part of its answer, was ignored: lucky is not a known field."]],
  );
});

test("a rejected call ends with the given reason", async (t) => {
  const { carry } = await open(t, async () => ({ answer: { reject: { reason: "x".repeat(600) } } }));
  const { detail, prepared } = await carry();
  assert.equal(prepared, undefined);
  assert.deepEqual([detail.status, detail.endReason], ["canceled", "rejected_by_webhook"]);
  assert.equal(detail.endDetail, "x".repeat(500));
});

test("true rejects a call without a reason, and false does not reject it", async (t) => {
  const answer: { reject?: boolean } = {};
  const { carry } = await open(t, async () => ({ answer }));
  answer.reject = true;
  const { detail } = await carry({ direction: "outbound" });
  assert.deepEqual(
    [detail.status, detail.endReason, detail.endDetail],
    ["canceled", "rejected_by_webhook", null],
  );
  answer.reject = false;
  assert.equal((await carry()).detail.endReason, "agent_hangup");
});

test("a call that ends meanwhile does not wait for the webhook's answer", async (t) => {
  const { activeCalls, carry } = await open(t, async (signal) => {
    // The call may be over by now.
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { answer: { firstMessage: "Too late." } };
  });
  const carrying = carry();
  while (activeCalls.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await activeCalls.drain(0);
  const { detail, prepared } = await carrying;
  assert.equal(prepared, undefined);
  assert.equal(detail.endReason, "node_lost");
});
