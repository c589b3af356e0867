import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import type { FlowDefinition, FlowNode, FlowSlot, NodeOf } from "./flow-definition.ts";
import { TRANSFER_TOOL_NAME } from "../dialogue/transfer-tool.ts";
import { flowStep } from "./flow-machine.ts";
import {
  createProgram,
  type FlowEffect,
  type FlowEvent,
  type FlowState,
  initialFlowState,
} from "./flow-state.ts";
import { type Demand, interpretFlow, type Supply } from "./testing/interpret-flow.ts";

type Options = Partial<Omit<Parameters<typeof createProgram>[0], "definition">>;

/** A flow run by hand: each event returns what was said and what the flow needs. */
function run(nodes: readonly FlowNode[], options: Options = {}, intents: FlowDefinition["intents"] = {}) {
  const definition = { start: nodes[0]?.id ?? "", nodes, intents };
  const program = createProgram({
    definition,
    variables: {},
    language: "en",
    hasModel: false,
    isSpoken: true,
    ...options,
  });
  let state = initialFlowState(program);
  const send = (event: FlowEvent, hasSpoken = false): string[] => {
    const step = flowStep(program, state, event, hasSpoken);
    // As if the conversation had been resumed from its record.
    state = JSON.parse(JSON.stringify(step.state));
    return step.effects.flatMap((effect) => {
      if (effect.type === "note") return [];
      return [effect.type === "say" ? effect.text : `(${effect.type})`];
    });
  };
  return {
    send,
    say: (text: string) => send({ type: "input", input: { text, isKeys: false } }),
    press: (text: string) => send({ type: "input", input: { text, isKeys: true } }),
    get slots() {
      return state.slots;
    },
  };
}

function ask(slot: FlowSlot, more: Partial<NodeOf<"ask">> = {}): readonly FlowNode[] {
  const rest = { next: "done", onExhausted: "lost", prompt: "Tell me.", reprompt: "Again?" };
  return [
    { id: "ask", type: "ask", slot, ...rest, ...more },
    { id: "done", type: "end", text: `Got {{${slot.name}}}.` },
    { id: "lost", type: "end", text: "Lost." },
  ];
}

test("each type of slot is read by rules, within its limits", () => {
  const cases: [FlowSlot, said: string, got: string][] = [
    [{ name: "x", type: "boolean" }, "Yes, please.", "true"],
    [{ name: "x", type: "boolean" }, "No!", "false"],
    [{ name: "x", type: "number", maximum: 10 }, "7", "7"],
    [{ name: "x", type: "number", maximum: 10 }, "11", "?"],
    [{ name: "x", type: "number", isInteger: true }, "1.5", "?"],
    [{ name: "x", type: "enum", options: [{ value: "red" }, { value: "blue" }] }, "I think red", "red"],
    [{ name: "x", type: "enum", options: [{ value: "red" }, { value: "blue" }] }, "red or blue", "?"],
    [{ name: "x", type: "enum", options: [{ value: "red", phrases: ["like roses"] }] }, "Like roses!", "red"],
    [{ name: "x", type: "date", earliest: "2026-01-01" }, "3.12.2026", "2026-12-03"],
    [{ name: "x", type: "date" }, "2026-02-30", "?"],
    [{ name: "x", type: "date", earliest: "2026-01-01" }, "2025-12-31", "?"],
    [{ name: "x", type: "phone_number" }, "+49 (30) 123-456", "+4930123456"],
    [{ name: "x", type: "phone_number" }, "123", "?"],
    [{ name: "x", type: "string", minLength: 3 }, "Al", "?"],
    [{ name: "x", type: "string" }, " Ada ", "Ada"],
  ];
  for (const [slot, said, got] of cases) {
    const flow = run(ask(slot));
    flow.send({ type: "go" });
    const expected = got === "?" ? ["Again?", "(wait)"] : [`Got ${got}.`, "(end)"];
    assert.deepEqual(flow.say(said), expected, `${slot.type}: ${said}`);
  }
});

test("keys answer: options, yes and no, digits, dates", () => {
  const options = [
    { value: "sales", key: "1" },
    { value: "help", key: "2" },
  ];
  const cases: [FlowSlot, keys: string, got: string][] = [
    [{ name: "x", type: "enum", options }, "2", "help"],
    [{ name: "x", type: "boolean" }, "1", "true"],
    [{ name: "x", type: "boolean" }, "2", "false"],
    [{ name: "x", type: "number" }, "3*5", "3.5"],
    [{ name: "x", type: "date" }, "20261203", "2026-12-03"],
    [{ name: "x", type: "phone_number" }, "030123456", "030123456"],
    [{ name: "x", type: "string" }, "4711", "4711"],
  ];
  for (const [slot, keys, got] of cases) {
    const flow = run(ask(slot));
    flow.send({ type: "go" });
    assert.deepEqual(flow.press(keys), [`Got ${got}.`, "(end)"], `${slot.type}: ${keys}`);
  }
});

test("after the last attempt the flow goes on where it is told to; silence is an attempt, a repetition is none", () => {
  const flow = run(ask({ name: "x", type: "number" }, { maxAttempts: 2 }), {}, { repeat: { key: "9" } });
  assert.deepEqual(flow.send({ type: "go" }), ["Tell me.", "(wait)"]);
  assert.deepEqual(flow.say("Say that again"), ["Tell me.", "(wait)"]);
  assert.deepEqual(flow.press("9"), ["Tell me.", "(wait)"]);
  assert.deepEqual(flow.send({ type: "silence" }), ["Again?", "(wait)"]);
  assert.deepEqual(flow.say("hm"), ["Lost.", "(end)"]);
});

test("two answers in one turn: the second is not asked for", () => {
  const nodes: FlowNode[] = [
    {
      id: "a",
      type: "ask",
      prompt: "Name?",
      slot: { name: "who", type: "string" },
      next: "b",
      onExhausted: "c",
    },
    {
      id: "b",
      type: "ask",
      prompt: "Day?",
      slot: { name: "day", type: "date" },
      next: "c",
      onExhausted: "c",
    },
    {
      id: "c",
      type: "condition",
      branches: [{ tests: [{ name: "day", is: "empty" }], next: "b" }],
      otherwise: "d",
    },
    { id: "d", type: "end", text: "{{who}} on {{day}}." },
  ];
  const flow = run(nodes, { hasModel: true });
  flow.send({ type: "go" });
  assert.deepEqual(flow.say("Ada, on the third of December"), ["(read)"]);
  const reading = { values: { who: "Ada", day: "2026-12-03" } };
  const input = { text: "Ada, on the third of December", isKeys: false };
  assert.deepEqual(flow.send({ type: "read", input, reading }), ["Ada on 2026-12-03.", "(end)"]);
});

test("a value given ahead that is not valid is asked for, and names of prototypes are no values", () => {
  const nodes: FlowNode[] = [
    ...ask({ name: "constructor", type: "string" }, { next: "b" }),
    {
      id: "b",
      type: "ask",
      prompt: "Age?",
      slot: { name: "age", type: "number" },
      next: "done",
      onExhausted: "lost",
    },
  ];
  const flow = run(nodes, { hasModel: true });
  flow.send({ type: "go" });
  const input = { text: "Hi", isKeys: false };
  const empty = { type: "read", input, reading: { values: {} } } as const;
  assert.deepEqual(flow.send(empty), ["Again?", "(wait)"]);
  const values = JSON.parse('{"constructor":"Ada","age":"old","__proto__":{"age":5}}');
  assert.deepEqual(flow.send({ type: "read", input, reading: { values } }), ["Age?", "(wait)"]);
  assert.deepEqual(flow.slots, { constructor: "Ada" });
});

test("an action waits until what was said before it was heard, and its own words do not hold it up", () => {
  const nodes: FlowNode[] = [
    { id: "hello", type: "say", text: "Hello.", next: "look" },
    { id: "look", type: "tool", tool: "look", say: "One moment.", next: "done", onFailure: "done" },
    { id: "done", type: "end" },
  ];
  const flow = run(nodes);
  assert.deepEqual(flow.send({ type: "go" }), ["Hello.", "(pause)"]);
  assert.deepEqual(flow.send({ type: "go" }), ["(call)"]);
  assert.deepEqual(run(nodes, { isSpoken: false }).send({ type: "go" }), ["Hello.", "(call)"]);
});

test("values of a tool's answer are saved by their place; what it lacks empties the slot", () => {
  const nodes: FlowNode[] = [
    {
      id: "look",
      type: "tool",
      tool: "look",
      save: [
        { slot: "city", path: "place.city" },
        { slot: "odd", path: "constructor.name" },
        { slot: "list", path: "list" },
      ],
      next: "done",
      onFailure: "lost",
    },
    { id: "done", type: "end", text: "{{city}}{{odd}}{{list}}" },
    { id: "lost", type: "end", text: "Lost." },
  ];
  const flow = run(nodes);
  flow.send({ type: "go" });
  const output = JSON.stringify({ place: { city: "Ulm" }, list: [1] });
  assert.deepEqual(flow.send({ type: "toolAnswered", output, isError: false }), ["Ulm", "(end)"]);
  const failed = run(nodes);
  failed.send({ type: "go" });
  assert.deepEqual(failed.send({ type: "toolAnswered", output: "no", isError: true }), ["Lost.", "(end)"]);
});

test("a transfer ends the flow; a failed one leads on, with its reason in a slot", () => {
  const nodes: FlowNode[] = [
    { id: "hand", type: "transfer", route: "+14155550123", saveFailure: "why", onFailure: "sorry" },
    { id: "sorry", type: "end", text: "They are {{why}}." },
  ];
  const calling = run(nodes);
  assert.deepEqual(calling.send({ type: "go" }), ["(call)"]);
  assert.deepEqual(calling.send({ type: "toolAnswered", output: "transferred", isError: false }), ["(end)"]);
  const failed = (output: string): string[] => {
    const flow = run(nodes);
    flow.send({ type: "go" });
    return flow.send({ type: "toolAnswered", output, isError: true });
  };
  assert.deepEqual(failed("busy (486 Busy Here)"), ["They are busy.", "(end)"]);
  assert.deepEqual(failed("the call is not answered"), ["They are failed.", "(end)"]);
});

test("a model leads a stretch until it takes an exit, or until its turns are used up", () => {
  const exits = [{ name: "solved", condition: "The problem is solved.", next: "done" }];
  const nodes: FlowNode[] = [
    { id: "help", type: "subPrompt", prompt: "Help.", exits, maxTurns: 2, onMaxTurns: "lost" },
    { id: "done", type: "end", text: "Good." },
    { id: "lost", type: "end", text: "Lost." },
  ];
  const flow = run(nodes);
  assert.deepEqual(flow.send({ type: "go" }), ["(lead)"]);
  assert.deepEqual(flow.send({ type: "led", exit: undefined }), ["(wait)"]);
  assert.deepEqual(flow.say("It is broken"), ["(lead)"]);
  assert.deepEqual(flow.send({ type: "led", exit: "nonsense" }), ["(wait)"]);
  assert.deepEqual(flow.say("Still broken"), ["Lost.", "(end)"]);
  const solved = run(nodes);
  solved.send({ type: "go" });
  assert.deepEqual(solved.send({ type: "led", exit: "solved" }), ["Good.", "(end)"]);
});

test("a message after the end begins the flow again by text, and hears the last words again in a call", () => {
  const nodes = ask({ name: "x", type: "string" });
  const call = run(nodes);
  call.send({ type: "go" });
  assert.deepEqual(call.say("Ada"), ["Got Ada.", "(end)"]);
  assert.deepEqual(call.say("Wait"), ["Got Ada.", "(end)"]);
  const chat = run(nodes, { isSpoken: false });
  chat.send({ type: "go" });
  chat.say("Ada");
  assert.deepEqual(chat.say("Hello again"), ["Tell me.", "(wait)"]);
});

// ─── against the interpreter ───

const CALLER: readonly Supply[] = [
  {},
  { text: "yes" },
  { text: "No." },
  { text: "5" },
  { text: "12" },
  { text: "red" },
  { text: "it is blue" },
  { text: "get me someone" },
  { text: "once more" },
  { text: "2026-12-03" },
  { text: "nothing of interest" },
  { keys: "1" },
  { keys: "2" },
  { keys: "0" },
  { keys: "20261203" },
];

function randomFlow(random: () => number): FlowDefinition {
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)];
    assert.ok(value !== undefined);
    return value;
  };
  const size = 2 + Math.floor(random() * 12);
  const id = (index: number): string => `n${index}`;
  const slots: readonly FlowSlot[] = [
    { name: "a", type: "boolean" },
    { name: "b", type: "number", minimum: 2, maximum: 10 },
    {
      name: "c",
      type: "enum",
      options: [
        { value: "red", key: "1" },
        { value: "blue", key: "2" },
      ],
    },
    { name: "d", type: "string", maxLength: 6 },
    { name: "e", type: "date", latest: "2026-12-31" },
  ];
  const operators = [
    "filled",
    "empty",
    "equal",
    "not_equal",
    "less",
    "at_most",
    "greater",
    "at_least",
    "contains",
    "one_of",
  ] as const;
  const nodes = Array.from({ length: size }, (_, index): FlowNode => {
    if (index === size - 1) return { id: id(index), type: "end", text: "Bye {{a}}{{b}}{{c}}{{d}}{{e}}." };
    // Only nodes with a turn of the caller lead back.
    const later = (): string => id(index + 1 + Math.floor(random() * (size - index - 1)));
    const anywhere = (): string => id(Math.floor(random() * size));
    const base = { id: id(index) };
    switch (
      pick(["say", "ask", "ask", "condition", "judge", "tool", "transfer", "subPrompt", "end"] as const)
    ) {
      case "say":
        return { ...base, type: "say", text: `${index}: {{b}}{{c}}`, next: later() };
      case "ask":
        return {
          ...base,
          type: "ask",
          prompt: `${index}?`,
          ...(random() < 0.5 && { reprompt: `${index}??` }),
          ...(random() < 0.5 && { maxAttempts: 1 + Math.floor(random() * 3) }),
          slot: pick(slots),
          next: anywhere(),
          onExhausted: later(),
        };
      case "condition": {
        const branch = () => ({
          match: pick(["all", "any"] as const),
          tests: Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
            name: pick(slots).name,
            is: pick(operators),
            value: pick([true, 5, "red", "2026-12-03", "e"]),
            values: [5, "blue"],
          })),
          next: later(),
        });
        return { ...base, type: "condition", branches: [branch(), branch()], otherwise: later() };
      }
      case "judge": {
        const branches = [
          { condition: "one", next: later() },
          { condition: "two", next: later() },
        ];
        return { ...base, type: "judge", branches, otherwise: later() };
      }
      case "tool":
        return {
          ...base,
          type: "tool",
          tool: "look",
          arguments: { n: "{{b}}", text: "c: {{c}}", fixed: 3 },
          save: [{ slot: pick(["b", "c"]), path: "v" }],
          next: later(),
          onFailure: later(),
        };
      case "transfer":
        return {
          ...base,
          type: "transfer",
          route: pick(["+14155550123", "12"]),
          ...(random() < 0.5 && { saveFailure: pick(["c", "d"]) }),
          onFailure: later(),
        };
      case "subPrompt": {
        const exits = [{ name: "out", condition: "done", next: anywhere() }];
        return { ...base, type: "subPrompt", prompt: "p", exits, maxTurns: 2, onMaxTurns: later() };
      }
      case "end":
        return { ...base, type: "end" };
    }
  });
  return {
    start: "n0",
    nodes,
    ...(random() < 0.5 && {
      intents: {
        human: { next: id(size - 1), phrases: ["get me someone"], key: "0" },
        repeat: { phrases: ["once more"] },
      },
    }),
  };
}

const REASONS: readonly string[] = [
  "busy (486 Busy Here)",
  "no answer",
  "the result was lost",
  "busybody",
  "transferred",
];

/** Answers to demands, the same for both implementations. */
function createSupplies(seed: number): (demand: Demand) => Supply {
  const random = seededRandom(seed);
  return (demand) => {
    const { want } = demand;
    const name = want === "tool" ? demand.name : undefined;
    const draw = random();
    if (want === "caller") return CALLER[Math.floor(draw * CALLER.length)] ?? {};
    if (want === "tool" && name === TRANSFER_TOOL_NAME)
      return { output: REASONS[Math.floor(draw * REASONS.length)] ?? "", isError: draw < 0.8 };
    if (want === "tool")
      return { output: JSON.stringify(draw < 0.3 ? {} : { v: Math.floor(draw * 9) }), isError: draw > 0.8 };
    if (want === "model") return draw < 0.3 ? { exit: "out" } : {};
    return draw < 0.7 ? { branch: Math.floor(draw * 4) } : {};
  };
}

const MAX_STEPS = 60;

function logOfInterpreter(definition: FlowDefinition, seed: number): string[] {
  const log: string[] = [];
  const supply = createSupplies(seed);
  const running = interpretFlow(definition, { log: (line) => log.push(line) });
  let supplied: Supply = {};
  for (let step = 0; step < MAX_STEPS; step++) {
    const { done, value } = running.next(supplied);
    if (done === true) return [...log, "end"];
    if (value.want === "tool") log.push(`tool ${JSON.stringify(value.input)}`);
    else if (value.want !== "caller") log.push(value.want);
    supplied = supply(value);
  }
  return log;
}

function logOfMachine(definition: FlowDefinition, seed: number): string[] {
  const log: string[] = [];
  const supply = createSupplies(seed);
  const program = createProgram({
    definition,
    variables: {},
    language: "en",
    hasModel: true,
    isSpoken: false,
  });
  let state: FlowState = initialFlowState(program);
  let event: FlowEvent = { type: "go" };
  for (let step = 0; step < MAX_STEPS;) {
    const next = flowStep(program, state, event);
    state = JSON.parse(JSON.stringify(next.state));
    for (const effect of next.effects) if (effect.type === "say") log.push(`say ${effect.text}`);
    const need: FlowEffect | undefined = next.effects.at(-1);
    if (need?.type === "end") return [...log, "end"];
    // Not a demand: the model cannot read, and rules do.
    if (need?.type === "read") {
      event = { type: "read", input: need.input, reading: undefined };
      continue;
    }
    step++;
    event = supplyTo(need, supply, log);
  }
  return log;
}

function supplyTo(
  need: FlowEffect | undefined,
  supply: (demand: Demand) => Supply,
  log: string[],
): FlowEvent {
  assert.ok(need !== undefined);
  switch (need.type) {
    case "wait": {
      log.push("wait");
      const { text, keys } = supply({ want: "caller" });
      if (keys !== undefined) return { type: "input", input: { text: keys, isKeys: true } };
      return text === undefined ? { type: "silence" } : { type: "input", input: { text, isKeys: false } };
    }
    case "call": {
      log.push(`tool ${JSON.stringify(need.input)}`);
      const { output = "", isError = false } = supply({
        want: "tool",
        name: need.toolName,
        input: need.input,
      });
      return { type: "toolAnswered", output, isError };
    }
    case "lead":
      log.push("model");
      return { type: "led", exit: supply({ want: "model" }).exit };
    case "judge":
      log.push("judgment");
      return { type: "judged", branch: supply({ want: "judgment" }).branch };
    case "say":
    case "note":
    case "read":
    case "pause":
    case "end":
      throw new Error(`unexpected ${need.type}`);
  }
}

test("20,000 random flows run as in the interpreter", () => {
  const random = seededRandom(24);
  let longest = 0;
  for (let seed = 1; seed <= 20_000; seed++) {
    const definition = randomFlow(random);
    const expected = logOfInterpreter(definition, seed);
    longest = Math.max(longest, expected.length);
    const actual = logOfMachine(definition, seed);
    assert.deepEqual(actual, expected, `seed ${seed}: ${JSON.stringify(definition)}`);
  }
  assert.ok(longest > 60);
});
