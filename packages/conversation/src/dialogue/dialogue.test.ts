import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { APICallError } from "@ai-sdk/provider";
import { ProviderError } from "../providers/provider-error.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import {
  ScriptedLanguageModel,
  type ModelScript,
  type ModelStep,
} from "../testing/scripted-language-model.ts";
import { Dialogue, type DialogueInput, type DialogueOptions } from "./dialogue.ts";
import type { ReplyPart, ToolResultEntry } from "./open-reply.ts";
import type { DialogueTool } from "./tool.ts";

const never = new AbortController().signal;

function openDialogue(
  replies: readonly ModelScript[],
  options: Partial<DialogueOptions> = {},
): { dialogue: Dialogue; model: ScriptedLanguageModel; clock: FakeClock } {
  const clock = new FakeClock();
  const model = new ScriptedLanguageModel(replies, { timers: clock });
  return {
    dialogue: new Dialogue({ model, instructions: "Be brief.", timers: clock, ...options }),
    model,
    clock,
  };
}

/** Sends a message and reads the whole answer, as a text chat does. */
async function chat(
  dialogue: Dialogue,
  input: string | DialogueInput,
): Promise<{ text: string; parts: ReplyPart[] }> {
  const reply = dialogue.respond(typeof input === "string" ? { type: "message", text: input } : input, {
    signal: never,
  });
  const parts = await Array.fromAsync(reply);
  dialogue.settle(reply.id);
  return { text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""), parts };
}

/** Sends a message and cancels the reply at its first tool call, before any of it is delivered. */
async function breakOffAtTool(dialogue: Dialogue, text: string): Promise<void> {
  const controller = new AbortController();
  const reply = dialogue.respond({ type: "message", text }, controller);
  const iterated = (async () => {
    for await (const part of reply) if (part.type === "toolCall") controller.abort();
  })();
  await assert.rejects(iterated, { name: "AbortError" });
  dialogue.settle(reply.id, []);
}

function lookUp(execute: DialogueTool["execute"]): DialogueTool {
  return { name: "look_up", description: "Looks something up.", inputSchema: { type: "object" }, execute };
}

const CALL_LOOK_UP: readonly ModelStep[] = [
  { type: "toolCall", toolCallId: "1", toolName: "look_up", input: { of: "x" } },
];

function lastMessage(model: ScriptedLanguageModel): unknown {
  return model.requests.at(-1)?.prompt.at(-1);
}

test("a text conversation runs over several messages and remembers them", async () => {
  const { dialogue, model } = openDialogue(["Hello Ann.", "You are Ann."]);
  assert.equal((await chat(dialogue, "I am Ann")).text, "Hello Ann.");
  assert.equal((await chat(dialogue, "who am I")).text, "You are Ann.");
  assert.deepEqual(model.requests[1]?.prompt, [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "I am Ann" }] },
    { role: "assistant", content: [{ type: "text", text: "Hello Ann." }] },
    { role: "user", content: [{ type: "text", text: "who am I" }] },
  ]);
});

test("a conversation is resumed from its transcript, tool calls included", async () => {
  const tools = [lookUp(() => Promise.resolve({ price: 12 }))];
  const first = openDialogue([CALL_LOOK_UP, "Twelve."], { tools });
  await chat(first.dialogue, "what does it cost");
  const stored = structuredClone(first.dialogue.history);
  const second = openDialogue(["Still twelve."], { tools, transcript: stored });
  const direct = openDialogue([CALL_LOOK_UP, "Twelve.", "Still twelve."], { tools });
  await chat(direct.dialogue, "what does it cost");
  await chat(direct.dialogue, "and now");
  await chat(second.dialogue, "and now");
  assert.deepEqual(second.model.requests.at(-1)?.prompt, direct.model.requests.at(-1)?.prompt);
});

test("a tool result goes to the model, and the model's words follow", async () => {
  const { dialogue, model } = openDialogue([CALL_LOOK_UP, "It is blue."], {
    tools: [lookUp((input) => Promise.resolve({ echoed: input }))],
  });
  const { parts } = await chat(dialogue, "what colour");
  assert.deepEqual(
    parts.map(({ type }) => type),
    ["toolCall", "wait", "toolResult", "text", "text", "text", "end"],
  );
  const output = { type: "text", value: '{"echoed":{"of":"x"}}' };
  assert.deepEqual(lastMessage(model), {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName: "look_up", output }],
  });
});

for (const [what, execute, reason] of [
  ["throws", () => Promise.reject(new Error("503 from the shop")), "503 from the shop"],
  ["does not exist", undefined, "there is no tool look_up"],
] as const) {
  test(`a tool that ${what} is reported to the model as failed`, async () => {
    const tools = execute === undefined ? [] : [lookUp(execute)];
    const { dialogue, model } = openDialogue([CALL_LOOK_UP, "I could not find out."], { tools });
    assert.equal((await chat(dialogue, "what colour")).text, "I could not find out.");
    const output = { type: "error-text", value: reason };
    assert.deepEqual(lastMessage(model), {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "1", toolName: "look_up", output }],
    });
  });
}

test("a tool that hangs is ended at its deadline and reported as failed", async () => {
  let toolSignal: AbortSignal | undefined;
  const tool = lookUp((_, { signal }) => {
    toolSignal = signal;
    return new Promise(() => {});
  });
  const { dialogue, clock } = openDialogue([CALL_LOOK_UP, "No luck."], {
    tools: [tool],
    deadlines: { toolMs: 3000 },
  });
  const answer = chat(dialogue, "what colour");
  await clock.advance(2999);
  assert.equal(toolSignal?.aborted, false);
  await clock.advance(1);
  assert.equal((await answer).text, "No luck.");
  assert.equal(toolSignal.aborted, true);
  assert.equal(clock.pendingCount, 0);
});

test("a model that calls tools without end must answer after the last round", async () => {
  const { dialogue, model } = openDialogue(
    Array.from({ length: 9 }, () => CALL_LOOK_UP),
    { tools: [lookUp(() => Promise.resolve("nothing"))] },
  );
  await chat(dialogue, "what colour");
  assert.equal(model.requests.length, 6);
  assert.deepEqual(model.requests.at(-1)?.toolChoice, { type: "none" });
});

test("end_call is offered only if the agent may hang up, with the agent's own rules", async () => {
  const forbidden = openDialogue(["Hm."]);
  await chat(forbidden.dialogue, "bye");
  assert.equal(forbidden.model.requests[0]?.tools, undefined);
  const allowed = openDialogue(["Hm."], { endCall: { rules: "Only after midnight." } });
  await chat(allowed.dialogue, "bye");
  const [tool] = allowed.model.requests[0]?.tools ?? [];
  assert.ok(
    tool?.type === "function" && tool.name === "end_call" && tool.description === "Only after midnight.",
  );
});

test("end_call ends the conversation after its farewell", async () => {
  const { dialogue } = openDialogue(
    [[{ type: "toolCall", toolName: "end_call", input: { farewell: "Goodbye." } }]],
    { endCall: {} },
  );
  const { text, parts } = await chat(dialogue, "bye");
  assert.equal(text, "Goodbye.");
  assert.deepEqual(parts.at(-1), { type: "end", endsConversation: true });
});

test("an agent that hangs up without a word says its farewell, and no second one", async () => {
  const silent = [{ type: "toolCall", toolName: "end_call", input: {} }] as const;
  const endCall = { farewell: "Auf Wiederhören!" };
  const speechless = openDialogue([[...silent]], { endCall });
  assert.equal((await chat(speechless.dialogue, "bye")).text, "Auf Wiederhören!");
  const polite = openDialogue([[{ type: "text", text: "Tschüss." }, ...silent]], { endCall });
  assert.equal((await chat(polite.dialogue, "bye")).text, "Tschüss.");
});

test("only the delivered part of a reply enters the history, message by message", async () => {
  const { dialogue } = openDialogue(
    [[{ type: "text", text: "Let me see." }, ...CALL_LOOK_UP], "It is blue."],
    {
      tools: [lookUp(() => Promise.resolve("blue"))],
    },
  );
  const reply = dialogue.respond({ type: "message", text: "what colour" }, { signal: never });
  await Array.fromAsync(reply);
  dialogue.settle(reply.id, ["Let me see.", "It is"]);
  assert.deepEqual(
    dialogue.history.map(({ type, text }) => `${type} ${text}`),
    [
      "message what colour",
      "message Let me see.",
      'tool_call {"of":"x"}',
      "tool_result blue",
      "message It is",
    ],
  );
});

test("a reply canceled while a tool runs leaves a history in which every call has a result", async () => {
  const { dialogue, model } = openDialogue([CALL_LOOK_UP, "Later."], {
    tools: [lookUp(() => new Promise(() => {}))],
  });
  await breakOffAtTool(dialogue, "what colour");
  await chat(dialogue, "never mind");
  const calls = JSON.stringify(model.requests[1]?.prompt).match(/tool-call|tool-result/g);
  assert.deepEqual(calls, ["tool-call", "tool-result"]);
});

test("canceling a reply stops no tool: its result comes later, and the model sees both", async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<string>();
  let toolSignal: AbortSignal | undefined;
  const tool = lookUp((_, { signal }) => {
    toolSignal = signal;
    return found;
  });
  const { dialogue, model } = openDialogue([CALL_LOOK_UP, "I am still looking.", "It is blue."], {
    tools: [tool],
  });
  const late: ToolResultEntry[] = [];
  dialogue.onLateResult = (answer) => late.push(answer);
  await breakOffAtTool(dialogue, "what colour");
  await chat(dialogue, "hello?");
  assert.match(JSON.stringify(lastMessage(model)), /hello\?/);
  assert.match(JSON.stringify(model.requests[1]?.prompt), /still at work/);
  assert.equal(toolSignal?.aborted, false);
  find("blue");
  await setImmediate();
  assert.deepEqual(late, [
    { type: "tool_result", toolCallId: "1", toolName: "look_up", text: "blue", isError: false },
  ]);
  for (const answer of late) dialogue.record(answer);
  assert.equal((await chat(dialogue, { type: "continue" })).text, "It is blue.");
  const output = { type: "text", value: "blue" };
  assert.deepEqual(model.requests[2]?.prompt.slice(-2), [
    {
      role: "assistant",
      content: [
        { type: "text", text: "I am still looking." },
        { type: "tool-call", toolCallId: "1_later", toolName: "look_up", input: { of: "x" } },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "1_later", toolName: "look_up", output }],
    },
  ]);
});

test("a conversation continues while an asynchronous tool runs, and receives its result", async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<string>();
  const tool = { ...lookUp(() => found), isAsync: true };
  const { dialogue, model } = openDialogue([CALL_LOOK_UP, "I have ordered it.", "It has come."], {
    tools: [tool],
  });
  const late: ToolResultEntry[] = [];
  dialogue.onLateResult = (answer) => late.push(answer);
  assert.equal((await chat(dialogue, "order it")).text, "I have ordered it.");
  assert.match(JSON.stringify(lastMessage(model)), /still at work/);
  find("arrived");
  await setImmediate();
  assert.equal(late[0]?.text, "arrived");
});

test("when some of several calls return later, each result has the place that models require", async () => {
  const call = (toolCallId: string, toolName: string): ModelStep => ({
    type: "toolCall",
    toolCallId,
    toolName,
    input: {},
  });
  const tools: DialogueTool[] = [
    { ...lookUp(() => new Promise(() => {})), name: "slow", isAsync: true },
    { ...lookUp(() => Promise.resolve("at once")), name: "quick" },
  ];
  const { dialogue, model } = openDialogue(
    [[call("1", "slow"), call("2", "quick")], [call("3", "quick")], "Done.", "Well."],
    { tools },
  );
  await chat(dialogue, "go");
  await chat(dialogue, "and");
  for (const { prompt } of model.requests) {
    const open = new Set<string>();
    for (const { role, content } of prompt) {
      if (role !== "tool") assert.equal(open.size, 0, "every call is answered before anything else");
      for (const part of typeof content === "string" ? [] : content) {
        if (part.type === "tool-call") open.add(part.toolCallId);
        if (part.type === "tool-result") assert.ok(open.delete(part.toolCallId));
      }
    }
    assert.equal(open.size, 0);
  }
  dialogue.close();
});

test("tools running at the end of the conversation are aborted and reported as failed", async () => {
  let toolSignal: AbortSignal | undefined;
  const tool = lookUp((_, { signal }) => {
    toolSignal = signal;
    return new Promise(() => {});
  });
  const { dialogue, clock } = openDialogue([CALL_LOOK_UP, "Ordered."], {
    tools: [{ ...tool, isAsync: true }],
  });
  await chat(dialogue, "order it");
  let lateResults = 0;
  dialogue.onLateResult = () => lateResults++;
  assert.deepEqual(
    dialogue.close().map(({ isError, toolCallId }) => [toolCallId, isError]),
    [["1", true]],
  );
  assert.equal(toolSignal?.aborted, true);
  assert.deepEqual(dialogue.close(), []);
  await setImmediate();
  assert.deepEqual([lateResults, clock.pendingCount], [0, 0]);
});

test("a reply must be settled before the next one", async () => {
  const { dialogue } = openDialogue(["One.", "Two."]);
  dialogue.respond({ type: "message", text: "a" }, { signal: never });
  assert.throws(() => dialogue.respond({ type: "message", text: "b" }, { signal: never }), /not settled/);
});

test("an instruction shapes the next reply and does not count as the caller's words", async () => {
  const { dialogue, model } = openDialogue(["Certainly, Madam."]);
  dialogue.record({ type: "instruction", text: "Address her as Madam." });
  await chat(dialogue, { type: "continue" });
  assert.deepEqual(lastMessage(model), { role: "system", content: "Address her as Madam." });
});

test("temperature and reasoning effort go to the model", async () => {
  const { dialogue, model } = openDialogue(["Yes."], { temperature: 0.3, reasoningEffort: "low" });
  await chat(dialogue, "well");
  assert.equal(model.requests[0]?.temperature, 0.3);
  assert.equal(model.requests[0]?.reasoning, "low");
});

test("a vendor's error becomes a provider error with its status", async () => {
  const cause = new APICallError({
    message: "invalid key",
    url: "http://localhost",
    requestBodyValues: {},
    statusCode: 401,
  });
  const { dialogue } = openDialogue([[{ type: "error", error: cause }]]);
  await assert.rejects(chat(dialogue, "hello"), (error) => {
    assert.ok(error instanceof ProviderError);
    assert.equal(error.kind, "status");
    assert.equal(error.status, 401);
    assert.equal(error.isRetryable, false);
    assert.equal(error.provider, "scripted/model");
    return true;
  });
});

test("a model that writes without end is cut off", async () => {
  const { dialogue } = openDialogue(["blah ".repeat(5000)]);
  const { text } = await chat(dialogue, "go on");
  assert.ok(text.length < 8100);
});

function overloaded(retryAfter: string): ModelScript {
  const error = new APICallError({
    message: "slow down",
    url: "http://localhost",
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: { "retry-after": retryAfter },
  });
  return [{ type: "error", error }];
}

test("a model that requests a short pause is retried after it, not before", async () => {
  const { dialogue, model, clock } = openDialogue([overloaded("1"), "Here I am."]);
  const answer = chat(dialogue, "hello");
  await clock.advance(999);
  assert.equal(model.requests.length, 1);
  await clock.advance(1);
  assert.equal((await answer).text, "Here I am.");
  assert.equal(clock.pendingCount, 0);
});

for (const retryAfter of ["30", "Wed, 21 Oct 2015 07:28:00 GMT"]) {
  test(`a model that requests a longer pause is not retried (${retryAfter})`, async () => {
    const { dialogue, model } = openDialogue([overloaded(retryAfter), "Here I am."]);
    await assert.rejects(chat(dialogue, "hello"), { name: "ProviderError", status: 429 });
    assert.equal(model.requests.length, 1);
  });
}

test("a model with reasoning gets more time", async () => {
  const thoughtful: ModelScript = [
    { type: "delay", delayMs: 14_000 },
    { type: "text", text: "42." },
  ];
  const { dialogue, clock } = openDialogue([thoughtful], { reasoningEffort: "high" });
  const answer = chat(dialogue, "why");
  await clock.advance(14_000);
  assert.equal((await answer).text, "42.");
});
