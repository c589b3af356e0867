/** Agents that follow a flow, from the API to the record of a conversation. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ConversationDetail, type FlowDefinition, type FlowNode, sampleFlows } from "@parley/contract";
import type { ScriptedChatRequest } from "@parley/providers/testing";
import { assertRefused } from "../contract-conformance.ts";
import { read } from "../messages/testing.ts";
import { startReceiver } from "../webhooks/testing.ts";
import { startChats } from "./testing.ts";

/** A model that reports the values of the answers that it knows, and leads with one sentence. */
function understanding(values: Record<string, Record<string, unknown>>) {
  return ({ lastUserText, body }: ScriptedChatRequest) => {
    if (body["tool_choice"] === undefined || body["tool_choice"] === "auto") {
      if (lastUserText === "That is all.")
        return { toolCalls: [{ name: "continue_flow", input: { exit: "settled" } }] };
      return { text: "Tell me more." };
    }
    const said = /^They: (.*)$/.exec(lastUserText.split("\n").at(-1) ?? "")?.[1] ?? "";
    return { toolCalls: [{ name: "report_values", input: { values: values[said] ?? {} } }] };
  };
}

async function startFlow(
  t: TestContext,
  flowDefinition: FlowDefinition,
  values: Record<string, Record<string, unknown>> = {},
) {
  const requests: ScriptedChatRequest[] = [];
  const answer = understanding(values);
  const platform = await startChats(
    t,
    {
      reply: (request) => {
        requests.push(request);
        return answer(request);
      },
    },
    { mode: "flow", flowDefinition },
    { isPrivateWebhookAllowed: true },
  );
  let chat = await platform.startChat();
  /** Goes on in a chat of its own. */
  const startAgain = async (): Promise<void> => {
    chat = await platform.startChat();
  };
  const find = async (): Promise<ConversationDetail> =>
    read<ConversationDetail>(await platform.server.request("GET", `/conversations/${chat.id}`));
  /** Sends a message; returns the agent's new messages. */
  const say = async (text: string): Promise<string[]> => {
    const known = (await find()).transcript.length;
    await platform.send(chat.id, text);
    await platform.writeDue();
    return (await find()).transcript
      .slice(known)
      .flatMap((item) => (item.role === "agent" ? [item.text] : []));
  };
  return { ...platform, requests, find, say, startAgain };
}

test("the sample for appointments takes two answers in one message, and asks again what was wrong", async (t) => {
  const { say, find } = await startFlow(t, sampleFlows.appointment, {
    "I am Ada Lovelace, on the third of December please": { name: "Ada Lovelace", day: "2026-12-03" },
    "rather the fourth": { day: "2026-12-04" },
  });
  assert.deepEqual(await say("Hello"), [
    "Welcome to Harbour Dental. I can note an appointment for you.",
    "What is your name?",
  ]);
  assert.deepEqual(await say("I am Ada Lovelace, on the third of December please"), [
    "In the morning or in the afternoon?",
  ]);
  assert.deepEqual(await say("dunno"), [
    "Morning or afternoon? You can also press 1 for morning, 2 for afternoon.",
  ]);
  assert.deepEqual(await say("Morning."), ["Which number can we reach you at?"]);
  assert.deepEqual(await say("+44 23 9200 0000"), [
    "Ada Lovelace, on 2026-12-03 in the morning, phone number +442392000000. Is that right?",
  ]);
  assert.deepEqual(await say("no"), ["On which day would you like to come, Ada Lovelace?"]);
  assert.deepEqual(await say("rather the fourth"), ["In the morning or in the afternoon?"]);
  await say("morning");
  await say("+44 23 9200 0000");
  assert.deepEqual(await say("yes"), [
    "Thank you, Ada Lovelace. We will confirm your appointment by phone. Goodbye.",
  ]);
  const last = (await find()).transcript.findLast(({ type }) => type === "flow");
  assert.deepEqual([last?.nodeId, last?.flowState?.phase], ["done", "ended"]);
  assert.equal(last?.flowState?.slots["day"], "2026-12-04");
  assert.deepEqual(await say("Hello again"), [
    "Welcome to Harbour Dental. I can note an appointment for you.",
    "What is your name?",
  ]);
});

test("the sample for triage goes by slots, by a stretch of the model, and to a person at any question", async (t) => {
  const { say, requests, startAgain } = await startFlow(t, sampleFlows.triage);
  assert.match((await say("Hi")).join(), /unconscious/);
  assert.match((await say("No")).join(), /What is the trouble/);
  await say("other");
  assert.deepEqual(await say("1"), ["Tell me more."]);
  assert.match(String(requests.at(-1)?.messages[0]?.content), /Find out in at most three short questions/);
  assert.match((await say("That is all.")).join(), /Please rest/);
  await startAgain();
  await say("Hi");
  assert.deepEqual(await say("yes"), ["Please hang up and call the emergency number now."]);
  await startAgain();
  await say("Hi");
  await say("no");
  assert.match((await say("talk to a person")).join(), /A nurse will call you back/);
});

test("the sample for surveys asks for the reason of a bad rating only", async (t) => {
  const { say, find, startAgain } = await startFlow(t, sampleFlows.survey);
  await say("Hi");
  assert.match((await say("sure")).join(), /How satisfied/);
  assert.deepEqual(await say("7"), ["Please say or press a number from 1 to 5."]);
  assert.match((await say("2")).join(), /What went wrong/);
  assert.match((await say("I waited for {{rating}} hours")).join(), /recommend us/);
  assert.deepEqual(await say("nope"), ["Thank you for your answers. Goodbye."]);
  const slots = (await find()).transcript.findLast(({ type }) => type === "flow")?.flowState?.slots;
  assert.deepEqual(slots, {
    may_ask: true,
    rating: 2,
    reason: "I waited for {{rating}} hours",
    recommends: false,
  });
  await startAgain();
  await say("Hi");
  await say("yes");
  assert.match((await say("5")).join(), /recommend us/);
});

test("a tool of the agent runs in a flow, once, with the values of slots", async (t) => {
  const receiver = await startReceiver(t, (response) => void response.end(JSON.stringify({ time: "ten" })));
  const nodes: FlowNode[] = [
    {
      id: "day",
      type: "ask",
      prompt: "Which day?",
      slot: { name: "day", type: "date" },
      next: "end",
      onExhausted: "end",
    },
    { id: "end", type: "end", text: "Bye." },
  ];
  const { server, agentId, startChat, send, writeDue, transcript } = await startFlow(t, {
    start: "day",
    nodes,
  });
  const tool = {
    name: "free_time",
    webhookUrl: receiver.url,
    schema: {
      description: "Finds a time.",
      parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
    },
  };
  read(await server.request("POST", `/agents/${agentId}/custom-tools`, tool), 201);
  const call: FlowNode = {
    id: "call",
    type: "tool",
    tool: "free_time",
    arguments: { day: "{{day}}" },
    save: [{ slot: "time", path: "time" }],
    next: "said",
    onFailure: "end",
  };
  const said: FlowNode = { id: "said", type: "end", text: "At {{time}}." };
  const [day, end] = nodes as [FlowNode & { type: "ask" }, FlowNode];
  const flowDefinition = { start: "day", nodes: [{ ...day, next: "call" }, call, said, end] };
  read(await server.request("PATCH", `/agents/${agentId}`, { flowDefinition }), 200);
  const chat = await startChat();
  for (const text of ["Hello", "2026-12-03"]) {
    await send(chat.id, text);
    await writeDue();
  }
  const words = (await transcript(chat.id)).filter(([type]) => type !== "flow");
  assert.deepEqual(words.slice(2), [
    ["user", "2026-12-03"],
    ["tool_call", '{"day":"2026-12-03"}'],
    ["tool_result", '{"time":"ten"}'],
    ["agent", "At ten."],
  ]);
  const gone = { start: "call", nodes: [{ ...call, tool: "gone", arguments: { day: "x" } }, said, end] };
  const refused = await server.request("PATCH", `/agents/${agentId}`, { flowDefinition: gone });
  assertRefused(refused, "invalid_body", "flowDefinition.nodes.0.tool");
  const none = { mode: "flow", flowDefinition: null };
  assertRefused(await server.request("PATCH", `/agents/${agentId}`, none), "invalid_body", "flowDefinition");
});
