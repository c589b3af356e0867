import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import type { TranscriptItem } from "@parley/contract";
import { type ScriptedServer, startScriptedOpenAi } from "@parley/providers/testing";
import { createAgent, endedCall, findCall, textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { readRecording } from "../support/audio/recordings.ts";
import { answerOver, callFrom, greeted, isFiller } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { ToolServer } from "../support/platform/tool-server.ts";
import { standardTexts } from "@parley/conversation";
import { waitFor } from "@parley/testing";

const ARGUMENTS = { metres: 10 };

/** Calls the agent's tool after each utterance of the caller, and then says its answer. */
async function startModel(): Promise<ScriptedServer> {
  return await startScriptedOpenAi({
    reply: ({ messages, tools }) => {
      const answers = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
      const answer = answers.findLast(({ role }) => role === "tool");
      if (answer !== undefined) return { text: `The answer is ${answer.content}.` };
      const name = tools.find((each) => each !== "end_call") ?? "none";
      return { toolCalls: [{ name, input: ARGUMENTS }] };
    },
  });
}

/** An agent with this one tool. */
async function createAgentWithTool(
  platform: Platform,
  webhookUrl: string,
  { variables = {}, ...more }: { variables?: Record<string, string>; [field: string]: unknown } = {},
): Promise<{ agentId: string; number: string }> {
  const agent = await createAgent(platform, { firstMessage: "Hello.", defaultVariables: variables });
  const parameters = { type: "object", properties: { metres: { type: "number" } }, required: ["metres"] };
  await platform.api.createCustomTool(agent.agentId, {
    name: "drive",
    webhookUrl,
    schema: { type: "function", function: { name: "drive", description: "Drives the train.", parameters } },
    ...more,
  });
  return agent;
}

/** A call in which the caller has said something; the tool is then about to be called. */
async function ask(platform: Platform, number: string, from: string): Promise<TestCaller> {
  const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
  await greeted(platform, caller);
  await caller.say(await readRecording("go-forward.wav"));
  return caller;
}

function typesOf(transcript: readonly TranscriptItem[]): string[] {
  return transcript.map(({ type, role }) => (type === "message" ? (role ?? "") : type));
}

function withoutFillers(transcript: readonly TranscriptItem[]): TranscriptItem[] {
  return transcript.filter((item) => !isFiller(item));
}

function resultIn(transcript: readonly TranscriptItem[]): TranscriptItem {
  const result = transcript.find(({ type }) => type === "tool_result");
  assert.ok(result !== undefined, JSON.stringify(transcript));
  return result;
}

describe("tools in a telephone call", { concurrency: true }, () => {
  let platform: Platform;
  let model: ScriptedServer;
  let tools: ToolServer;
  /** Requests that wait for the test to answer them. */
  const waiting = new Map<string, ServerResponse>();

  before(async () => {
    model = await startModel();
    tools = await ToolServer.start((request, response) => {
      const [, name = ""] = request.path.split("/");
      if (name === "fast") response.end('{"steps":12}');
      else if (name === "failing") response.writeHead(503).end("the engine is out of steam");
      else waiting.set(name, response);
    });
    platform = await Platform.start({
      env: {
        PARLEY_LLM_BASE_URL: `${model.url}/v1`,
        PARLEY_LLM_MODEL: "scripted",
        PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true",
      },
    });
  });
  after(async () => {
    // First what is there even if the platform did not start.
    tools.close();
    await model.close();
    await platform.stop();
  });

  test("a tool receives the agent's arguments, and its answer reaches the caller", async () => {
    const from = "+15550400001";
    const { agentId, number } = await createAgentWithTool(platform, `${tools.url}/fast/{{yard}}`, {
      variables: { yard: "north east" },
      headers: [{ key: "X-Caller", value: "{{from_number}}" }],
      queryParams: [{ key: "key", value: "s3cret" }],
    });
    await using caller = await ask(platform, number, from);
    await answerOver(callFrom(platform, from));
    await caller.hangUp();
    const call = await endedCall(platform, from);
    const request = tools.last("/fast");
    assert.equal(request?.path, "/fast/north%20east?key=s3cret");
    assert.equal(request.headers["x-caller"], from);
    const { tool, toolCallId, ...body }: Record<string, unknown> = JSON.parse(request.body);
    assert.deepEqual(Object.keys(tool ?? {}), ["id", "name"]);
    assert.equal(typeof toolCallId, "string");
    assert.deepEqual(body, {
      callId: call.id,
      conversationId: call.conversationId,
      agentId,
      environment: null,
      channel: "phone",
      fromNumber: from,
      isTest: false,
      toNumber: number,
      variables: { yard: "north east" },
      arguments: ARGUMENTS,
    });
    const items = withoutFillers(call.transcript);
    assert.deepEqual(typesOf(items), ["agent", "user", "tool_call", "tool_result", "agent"]);
    assert.equal(items[2]?.text, JSON.stringify(ARGUMENTS));
    assert.equal(resultIn(call.transcript).text, '{"steps":12}');
    assert.match(textOf(call, "agent"), /The answer is/);
  });

  test("a caller who waits for a slow tool hears a phrase, and then the answer", async () => {
    const from = "+15550400002";
    const { number } = await createAgentWithTool(platform, `${tools.url}/slow`);
    await using caller = await ask(platform, number, from);
    await waitFor("the tool to be called", () => waiting.get("slow"));
    const calledAtMs = performance.now();
    await caller.agentToSpeak({ sinceMs: calledAtMs, ms: 400 });
    waiting.get("slow")?.end("twelve steps");
    await waitFor("the agent to have told", async () => {
      const { transcript } = await latestCall(platform, from);
      return transcript.some(({ text, role }) => role === "agent" && text.includes("twelve"));
    });
    await caller.hangUp();
    const { transcript } = await endedCall(platform, from);
    const phrases = transcript.filter(({ text }) => text === "One moment, please.");
    assert.equal(phrases.length > 0, true, JSON.stringify(transcript));
    assert.equal(resultIn(transcript).text, "twelve steps");
  });

  test("a caller who asks not to be called again is put on the do-not-call list", async () => {
    const from = "+15550400009";
    const { number } = await createAgent(platform, { firstMessage: "Hello." });
    await using caller = await ask(platform, number, from);
    const { transcript } = await answerOver(callFrom(platform, from));
    assert.equal(resultIn(transcript).toolName, "add_to_do_not_call");
    const { data } = await platform.api.listDoNotCall({ phoneNumber: from });
    assert.deepEqual(
      data.map(({ phoneNumber, source }) => [phoneNumber, source]),
      [[from, "agent"]],
    );
    await caller.hangUp();
  });

  test("a failed tool is reported with its status, and the call continues", async () => {
    const from = "+15550400003";
    const { number } = await createAgentWithTool(platform, `${tools.url}/failing`);
    await using caller = await ask(platform, number, from);
    await answerOver(callFrom(platform, from));
    assert.equal(caller.session.isEnded, false);
    await caller.hangUp();
    const call = await endedCall(platform, from);
    const { text, isError } = resultIn(call.transcript);
    assert.deepEqual([text, isError], ["HTTP status 503: the engine is out of steam", true]);
    assert.match(textOf(call, "agent"), /The answer is HTTP status 503/);
    assert.equal(call.endReason, "user_hangup");
  });

  test("a tool that hangs times out after 20 s, and the call continues", async () => {
    const from = "+15550400004";
    const { number } = await createAgentWithTool(platform, `${tools.url}/hanging`);
    await using caller = await ask(platform, number, from);
    await waitFor("the tool to be called", () => waiting.get("hanging"));
    await waitFor("the tool to be given up", () => tools.last("/hanging")?.isOver, 25_000);
    await waitFor("the agent to have told", async () => {
      const { transcript } = await latestCall(platform, from);
      return transcript.some(({ text, role }) => role === "agent" && text.includes("The answer is"));
    });
    assert.equal(caller.session.isEnded, false);
    await caller.hangUp();
    const call = await endedCall(platform, from);
    const { text, isError } = resultIn(call.transcript);
    const { fillers, noAnswer } = standardTexts("en");
    const filled = call.transcript.filter((item) => fillers.some((filler) => filler === item.text));
    assert.ok(filled.length <= 2, JSON.stringify(call.transcript));
    assert.ok(call.transcript.some((item) => item.text === noAnswer && item.interrupted !== true));
    assert.equal(isError, true);
    assert.match(text, /no answer within 20000 ms/);
  });

  test("the end of a call aborts a running tool at once", async () => {
    const from = "+15550400005";
    const { number } = await createAgentWithTool(platform, `${tools.url}/abandoned`);
    await using caller = await ask(platform, number, from);
    await waitFor("the tool to be called", () => waiting.get("abandoned"));
    await caller.hangUp();
    await waitFor("the tool to be given up", () => tools.last("/abandoned")?.isOver, 3000);
    const { transcript } = await endedCall(platform, from);
    const { text, isError } = resultIn(transcript);
    assert.deepEqual([text, isError], ["the conversation ended before it answered", true]);
  });

  test("the conversation continues while an asynchronous tool runs, and its answer is spoken when it arrives", async () => {
    const from = "+15550400006";
    const { number } = await createAgentWithTool(platform, `${tools.url}/later`, { responseMode: "async" });
    await using caller = await ask(platform, number, from);
    await waitFor("the tool to be called", () => waiting.get("later"));
    await answerOver(callFrom(platform, from));
    waiting.get("later")?.end("twelve steps");
    await waitFor("the agent to have told", async () => {
      const { transcript } = await latestCall(platform, from);
      return transcript.some(({ text, role }) => role === "agent" && text.includes("twelve"));
    });
    await caller.hangUp();
    const items = withoutFillers((await endedCall(platform, from)).transcript);
    assert.deepEqual(
      typesOf(items),
      ["agent", "user", "tool_call", "agent", "tool_result", "agent"],
      JSON.stringify(items),
    );
    assert.match(items[3]?.text ?? "", /still at work/);
    assert.match(items[5]?.text ?? "", /twelve steps/);
  });
});

test("without the operator's permission no tool reaches a private address", async () => {
  const from = "+15550400007";
  const model = await startModel();
  const tools = await ToolServer.start((_, response) => response.end("reached"));
  let platform: Platform | undefined;
  try {
    platform = await Platform.start({
      env: { PARLEY_LLM_BASE_URL: `${model.url}/v1`, PARLEY_LLM_MODEL: "scripted" },
    });
    const { number } = await createAgentWithTool(platform, tools.url.replace("127.0.0.1", "localhost"));
    await using caller = await ask(platform, number, from);
    await answerOver(callFrom(platform, from));
    await caller.hangUp();
    const { transcript } = await endedCall(platform, from);
    assert.match(resultIn(transcript).text, /localhost is not a public address/);
    assert.equal(tools.requests.length, 0);
  } finally {
    await platform?.stop();
    tools.close();
    await model.close();
  }
});

async function latestCall(platform: Platform, from: string): Promise<{ transcript: TranscriptItem[] }> {
  return (await findCall(platform, from)) ?? { transcript: [] };
}
