import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentCreation, DEFAULT_TEST_CASE, type TestCaseDefinition } from "@parley/contract";
import { createDocument } from "../../agents/agent-document.rules.ts";
import { setUpConversation } from "../../conversations/setup/conversation-setup.rules.ts";
import { createVoiceTester, isTurnLimitReached, setUpVoiceTester } from "./voice-tester.rules.ts";

const settings = { testerVoice: undefined, localSpeech: { hasSpeechToText: true, hasTextToSpeech: true } };

function prepare(agentFields: Partial<AgentCreation>, definition: Partial<TestCaseDefinition>) {
  const document = createDocument({ name: "Ada", firstMessage: "Hello.", ...agentFields });
  const recorded = { environment: null, agentRevision: null, configurationRevision: 1, variables: {} };
  const agent = { id: "agent", organizationId: "shop", document, ...recorded };
  const testCase = { ...DEFAULT_TEST_CASE, ...definition, id: "case", name: "Case" };
  const limits = { testerModel: "service-standard", maxTurns: 5, maxDurationSeconds: 60 };
  const attempt = { agent, variables: { number: 1234 }, testCase, ...limits };
  const { setup } = setUpConversation({
    callId: "call",
    conversationId: "conversation",
    agent: createVoiceTester(attempt, settings),
    variables: attempt.variables,
    channel: "phone",
    direction: "outbound",
    fromNumber: "+12025550123",
    toNumber: "+14155550123",
    at: new Date("2026-11-23T12:00:00Z"),
    isSimulated: true,
  });
  return setUpVoiceTester(attempt, {
    ...setup,
    callId: "call",
    organizationId: "shop",
    ownProviders: undefined,
  });
}

test("lines are rendered, and one in brackets presses keys", () => {
  const callerLines = ["Order {{number}}, please.", "[press 12#]", "[press the bell]"];
  assert.deepEqual(prepare({}, { callerLines }).tester?.lines, [
    { type: "say", text: "Order 1234, please." },
    { type: "press", keys: "12#" },
    { type: "say", text: "[press the bell]" },
  ]);
});

test("a language model plays the script of a case without lines, without tools that reach outside", () => {
  const setup = prepare({}, { script: "You ask for order {{number}}." });
  assert.equal(setup.tester?.lines, undefined);
  assert.match(setup.instructions, /^You play a person .* on the telephone.*You ask for order 1234\.$/s);
  assert.deepEqual(
    [setup.hasDoNotCallTool, setup.sendMessage, setup.tools, setup.endCall === undefined],
    [false, undefined, [], false],
  );
});

test("the tester begins exactly if the agent does not", () => {
  const callerLines = ["Good day."];
  const begins = (fields: Partial<AgentCreation>) => prepare(fields, { callerLines }).agent.startSpeaker;
  assert.equal(begins({}), "user");
  assert.equal(begins({ startSpeaker: "user" }), "agent");
  assert.equal(begins({ firstMessage: " " }), "agent");
  assert.equal(begins({ firstMessage: "", firstMessageMode: "generated" }), "user");
  const { agent } = prepare({ startSpeaker: "user" }, { callerLines });
  assert.deepEqual([agent.firstMessage, agent.firstMessageMode], ["Good day.", "static"]);
  assert.equal(prepare({ startSpeaker: "user" }, { script: "Ask." }).agent.firstMessageMode, "generated");
});

test("conditions and limits apply to the tester", () => {
  const callerConditions = {
    backgroundNoise: "medium",
    packetLossPercent: 5,
    interruptsAfterMs: 800,
    silentAfterTurns: 2,
  } as const;
  const { tester, agent } = prepare({}, { callerLines: ["Hello."], callerConditions });
  assert.deepEqual(tester?.conditions, { noiseLevelDb: -45, packetLoss: 0.05, interruptsAfterMs: 800 });
  assert.deepEqual([tester.silentAfterTurns, tester.maxTurns], [2, 5]);
  assert.deepEqual([agent.disableInterruptions, agent.maxConversationDurationSeconds], [true, 60]);
  assert.equal(agent.turnTimeoutSeconds, undefined);
});

test("the tester's voice is not the agent's, unless the operator says so", () => {
  const voiceOf = (voiceId: string | null, testerVoice?: string) => {
    const document = createDocument({ name: "Ada", firstMessage: "Hello.", voiceId });
    const agent = { id: "agent", organizationId: "shop", document, environment: null, agentRevision: null };
    const recorded = { ...agent, configurationRevision: 1, variables: {} };
    const attempt = { agent: recorded, testerModel: "service-standard" };
    return createVoiceTester(attempt, { ...settings, testerVoice }).document.voiceId;
  };
  assert.equal(voiceOf("kokoro/af_heart"), "dittli/male");
  assert.equal(voiceOf("dittli/male"), null);
  assert.equal(voiceOf("dittli/male", "kokoro/am_michael"), "kokoro/am_michael");
});

test("turns are used up by more lines than turns, or by as many messages", () => {
  const said = { type: "message", role: "agent" };
  const reached = (callerLines: string[], messages: number) =>
    isTurnLimitReached(
      { transcript: Array.from({ length: messages }, () => said) },
      { testCase: { callerLines }, maxTurns: 2 },
    );
  assert.deepEqual([reached(["1", "2"], 2), reached(["1", "2", "3"], 2)], [false, true]);
  assert.deepEqual([reached([], 1), reached([], 2)], [false, true]);
});
