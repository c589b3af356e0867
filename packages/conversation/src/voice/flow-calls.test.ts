/** Calls of an agent that follows a flow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DialogueTool } from "../dialogue/tool.ts";
import { createTransferTool, type TransferResult } from "../dialogue/transfer-tool.ts";
import type { FlowDefinition, FlowNode } from "../flow/flow-definition.ts";
import { CallDriver, type CallDriverOptions } from "../testing/call-driver.ts";
import { type ModelScript, ScriptedLanguageModel } from "../testing/scripted-language-model.ts";

const ASK_NAME: FlowNode = {
  id: "name",
  type: "ask",
  prompt: "What is your name?",
  reprompt: "Your name, please?",
  slot: { name: "name", type: "string", isVerbatim: true },
  maxAttempts: 2,
  next: "thank",
  onExhausted: "bye",
};
const THANK: FlowNode = { id: "thank", type: "say", text: "Thank you, {{name}}.", next: "bye" };
const BYE: FlowNode = { id: "bye", type: "end", text: "Goodbye." };

interface FlowCall {
  nodes: readonly FlowNode[];
  intents?: FlowDefinition["intents"];
  tools?: readonly DialogueTool[];
  replies?: readonly ModelScript[];
  agent?: CallDriverOptions["agent"];
}

/** A call on a flow that begins with the first node. Without `replies` there is no language model. */
function callOn({ nodes, intents = {}, tools = [], replies, agent = {} }: FlowCall): CallDriver {
  const definition = { start: nodes[0]?.id ?? "", nodes, intents };
  const flow = { definition, variables: {}, language: "en", isSpoken: true };
  const model = Object.assign(new ScriptedLanguageModel([]), { canJudge: false });
  const call = new CallDriver({
    agent,
    replies: replies ?? [],
    dialogue: { flow, tools, ...(replies === undefined && { model }) },
  });
  call.start();
  return call;
}

function wordsIn(call: CallDriver): string[] {
  return call.transcript.filter((line) => !line.startsWith("flow"));
}

/** Steps of the path as `node text`. */
function pathOf(call: CallDriver): string[] {
  return call.items.flatMap((item) => (item.type === "flow" ? [`${item.nodeId} ${item.text}`] : []));
}

/** A tool that answers when it is let. */
function slowTool(name = "book") {
  const { promise, resolve } = Promise.withResolvers<string>();
  const inputs: unknown[] = [];
  const execute = async (input: unknown): Promise<string> => {
    inputs.push(input);
    return await promise;
  };
  return {
    name,
    description: "Books.",
    inputSchema: { type: "object" as const },
    execute,
    inputs,
    answer: resolve,
  };
}

test("a flow without a language model runs from its start to its end, and its path is in the transcript", async () => {
  const call = callOn({ nodes: [ASK_NAME, THANK, BYE], agent: { firstMessage: "Welcome." } });
  await call.letAgentFinish();
  await call.say("Ada", 600);
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(wordsIn(call), [
    "agent: Welcome.",
    "agent: What is your name?",
    "user: Ada",
    "agent: Thank you, Ada.",
    "agent: Goodbye.",
  ]);
  assert.deepEqual(pathOf(call), ["name asked (1)", "name name: Ada", "thank said", "bye end"]);
  assert.equal(call.end?.endReason, "agent_hangup");
});

test("silence is an attempt; after the last one the flow goes on where it is told to", async () => {
  const call = callOn({ nodes: [ASK_NAME, THANK, BYE], agent: { turnTimeoutSeconds: 3 } });
  await call.waitUntil(() => call.end !== undefined, 60_000);
  assert.deepEqual(wordsIn(call), [
    "agent: What is your name?",
    "agent: Your name, please?",
    "agent: Goodbye.",
  ]);
  assert.equal(call.end?.endReason, "agent_hangup");
});

test("an answer whose reply was never heard is taken together with what follows it", async () => {
  const call = callOn({ nodes: [ASK_NAME, THANK, BYE] });
  await call.letAgentFinish();
  call.tts.firstByteMs = 2000;
  await call.say("Ada", 600);
  await call.waitUntil(() => call.items.some((item) => item.type === "message" && item.role === "user"));
  await call.say("Lovelace", 600);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(
    pathOf(call)
      .filter((step) => step.startsWith("name name:"))
      .join(),
    "name name: Ada Lovelace",
  );
  assert.ok(wordsIn(call).includes("agent: Thank you, Ada Lovelace."));
});

test("a text that was interrupted before it began is said again, and nothing after it is done", async () => {
  const nodes: FlowNode[] = [
    {
      id: "one",
      type: "say",
      text: "This is the long first sentence of the flow, with many words in it.",
      next: "two",
    },
    {
      id: "two",
      type: "say",
      text: "And this is the second one, which nobody hears at first.",
      next: "name",
    },
    ASK_NAME,
    THANK,
    BYE,
  ];
  const call = callOn({ nodes });
  await call.waitUntil(() => call.isSpeaking);
  await call.stayQuiet(1000);
  await call.say("stop it", 900);
  await call.waitUntil(() => call.items.some((item) => item.type === "message" && item.role === "user"));
  assert.deepEqual(pathOf(call), ["one said"]);
  await call.letAgentFinish();
  const words = wordsIn(call);
  assert.match(words[0] ?? "", /^agent: This is/);
  assert.equal(words[1], "user: stop it");
  assert.equal(words[2], "agent: And this is the second one, which nobody hears at first.");
});

test("a tool is called once the words before it were heard, and its result is spoken", async () => {
  const tool = slowTool();
  const book: FlowNode = {
    id: "book",
    type: "tool",
    tool: "book",
    arguments: { who: "{{name}}" },
    save: [{ slot: "time", path: "time" }],
    next: "done",
    onFailure: "bye",
  };
  const done: FlowNode = { id: "done", type: "end", text: "It is at {{time}}." };
  const call = callOn({
    nodes: [ASK_NAME, { ...THANK, next: "book" }, book, done, BYE],
    tools: [tool],
  });
  await call.letAgentFinish();
  await call.say("Ada", 600);
  await call.waitUntil(() => call.isSpeaking);
  assert.deepEqual(tool.inputs, []);
  await call.waitUntil(() => tool.inputs.length > 0);
  assert.ok(wordsIn(call).includes("agent: Thank you, Ada."));
  assert.deepEqual(tool.inputs, [{ who: "Ada" }]);
  tool.answer('{"time":"ten"}');
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(wordsIn(call).slice(-3), [
    'tool_call: {"who":"Ada"}',
    'tool_result: {"time":"ten"}',
    "agent: It is at ten.",
  ]);
});

test("a tool that the caller interrupts runs once, and its result counts", async () => {
  const tool = slowTool();
  const nodes: FlowNode[] = [
    {
      id: "book",
      type: "tool",
      tool: "book",
      say: "I am looking for a free appointment for you now.",
      next: "bye",
      onFailure: "bye",
    },
    BYE,
  ];
  const call = callOn({ nodes, tools: [tool] });
  await call.waitUntil(() => call.isSpeaking);
  await call.stayQuiet(600);
  await call.say("hurry up", 900);
  await call.stayQuiet(3000);
  assert.equal(call.end, undefined);
  tool.answer("done");
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(tool.inputs.length, 1);
  assert.equal(wordsIn(call).at(-1), "agent: Goodbye.");
  assert.deepEqual(pathOf(call), ["book calls book", "book book answered", "bye end"]);
});

test("a transfer follows the words before it; simulated, it ends the call, and a failed one leads on", async () => {
  const nodes: FlowNode[] = [
    { id: "tell", type: "say", text: "I connect you.", next: "hand" },
    { id: "hand", type: "transfer", route: "12", saveFailure: "why", onFailure: "sorry" },
    { id: "sorry", type: "end", text: "Sales is {{why}}. Goodbye." },
  ];
  const results: TransferResult[] = [
    { isTransferred: true, isSimulated: true },
    { isTransferred: false, reason: "busy (486 Busy Here)" },
  ];
  const words: string[][] = [];
  for (const result of results) {
    const indexes: number[] = [];
    const transfer = createTransferTool({
      destinations: [
        { to: "+14155550123", condition: "Support." },
        { to: "12", condition: "Sales." },
      ],
      deadlineMs: 60_000,
      transfer: async (index) => {
        indexes.push(index);
        assert.deepEqual(wordsIn(call), ["agent: I connect you."]);
        return await Promise.resolve(result);
      },
    });
    const call = callOn({ nodes, tools: [transfer] });
    await call.waitUntil(() => call.end !== undefined);
    assert.deepEqual(indexes, [1]);
    words.push(pathOf(call));
    assert.equal(call.end?.endReason, "agent_hangup");
  }
  assert.deepEqual(words, [
    ["tell said", "hand transfer", "hand transferred"],
    ["tell said", "hand transfer", "hand failed: busy", "sorry end"],
  ]);
});

test("keys answer a question while it is spoken, and a key brings a person", async () => {
  const nodes: FlowNode[] = [
    {
      id: "menu",
      type: "ask",
      prompt: "For sales press one, for help press two, or say what you need in a few words.",
      slot: {
        name: "topic",
        type: "enum",
        options: [
          { value: "sales", key: "1" },
          { value: "help", key: "2" },
        ],
      },
      next: "topic",
      onExhausted: "bye",
    },
    { id: "topic", type: "end", text: "You want {{topic}}." },
    { id: "human", type: "end", text: "A person comes." },
    BYE,
  ];
  const intents = { human: { next: "human", key: "0" } };
  const call = callOn({ nodes, intents });
  await call.waitUntil(() => call.isSpeaking);
  await call.stayQuiet(800);
  for (const key of ["2", "#"]) call.conversation.dtmf(key);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(wordsIn(call).at(-1), "agent: You want help.");
  const other = callOn({ nodes, intents });
  await other.letAgentFinish();
  for (const key of ["0", "#"]) other.conversation.dtmf(key);
  await other.waitUntil(() => other.end !== undefined);
  assert.equal(wordsIn(other).at(-1), "agent: A person comes.");
});

test("the model reads an answer in a fixed form, before the turn is sure; what is prepared does nothing", async () => {
  const tool = slowTool();
  tool.answer("done");
  const name = { ...ASK_NAME, slot: { name: "name", type: "string" }, next: "book" } as FlowNode;
  const nodes: FlowNode[] = [
    name,
    { id: "book", type: "tool", tool: "book", arguments: { who: "{{name}}" }, next: "bye", onFailure: "bye" },
    BYE,
  ];
  const report = [
    { type: "toolCall", toolName: "report_values", input: { values: { name: "Ada" } } },
  ] as const;
  const call = callOn({ nodes, tools: [tool], replies: [report, report, report] });
  await call.letAgentFinish();
  await call.say("my name is Ada", 900);
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(tool.inputs, [{ who: "Ada" }]);
  const [request] = call.model.requests;
  assert.deepEqual(request?.toolChoice, { type: "tool", toolName: "report_values" });
  assert.match(JSON.stringify(request?.prompt), /my name is Ada/);
  assert.deepEqual(pathOf(call), [
    "name asked (1)",
    "name name: Ada",
    "book calls book",
    "book book answered",
    "bye end",
  ]);
});

test("a model that fails leaves the answer to the rules, and the failure is reported", async () => {
  const name = { ...ASK_NAME, slot: { name: "name", type: "string" } } as FlowNode;
  const failure: ModelScript = [{ type: "error", error: new Error("down") }];
  const call = callOn({ nodes: [name, THANK, BYE], replies: Array.from({ length: 9 }, () => failure) });
  await call.letAgentFinish();
  await call.say("Ada", 600);
  await call.waitUntil(() => call.end !== undefined);
  assert.ok(wordsIn(call).includes("agent: Thank you, Ada."));
  assert.ok(call.events.some((event) => event.type === "fault" && event.part === "llm"));
});

test("the model leads a stretch with its own instructions and leaves it by an exit, and the flow goes on", async () => {
  const nodes: FlowNode[] = [
    {
      id: "help",
      type: "subPrompt",
      prompt: "Find out what is broken.",
      exits: [{ name: "known", condition: "You know what is broken.", next: "bye" }],
      onMaxTurns: "bye",
    },
    BYE,
  ];
  const exit: ModelScript = [{ type: "toolCall", toolName: "continue_flow", input: { exit: "known" } }];
  const call = callOn({ nodes, replies: ["What is broken?", exit] });
  await call.letAgentFinish();
  await call.say("my chair", 600);
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(wordsIn(call), ["agent: What is broken?", "user: my chair", "agent: Goodbye."]);
  assert.match(
    JSON.stringify(call.model.requests[0]?.prompt[0]),
    /Be brief\.\\n\\nFind out what is broken\./,
  );
});

test("an instruction is spoken without a step of the flow, which then awaits its answer as before", async () => {
  const call = callOn({ nodes: [ASK_NAME, THANK, BYE], replies: ["We close at six."] });
  await call.letAgentFinish();
  call.conversation.instruct({ text: "Say that we close at six.", speak: true });
  await call.letAgentFinish();
  await call.say("Ada", 600);
  await call.waitUntil(() => call.end !== undefined);
  assert.ok(wordsIn(call).includes("agent: We close at six."));
  assert.ok(wordsIn(call).includes("agent: Thank you, Ada."));
});

test("a caller who speaks during an uninterruptible question has answered it", async () => {
  const call = callOn({ nodes: [ASK_NAME, THANK, BYE], agent: { disableInterruptions: true } });
  await call.waitUntil(() => call.isSpeaking);
  await call.say("Ada", 600);
  await call.waitUntil(() => call.end !== undefined);
  assert.ok(wordsIn(call).includes("agent: Thank you, Ada."), wordsIn(call).join("\n"));
});
