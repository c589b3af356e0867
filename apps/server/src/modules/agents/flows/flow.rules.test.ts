import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowDefinition, FlowNode } from "@parley/contract";
import { assertLinear } from "@parley/testing";
import { type AgentDocument, createDocument } from "../agent-document.rules.ts";
import { findFlowProblems, findNewFlowProblems } from "./flow.rules.ts";

const END: FlowNode = { id: "end", type: "end" };

function ask(id: string, next: string, more: object = {}): FlowNode {
  const slot = { name: id, type: "string" as const };
  return { id, type: "ask", prompt: "What?", slot, next, onExhausted: "end", ...more };
}

function documentWith(flow: FlowDefinition | null, more: Partial<AgentDocument> = {}): AgentDocument {
  return { ...createDocument({ name: "Ada", mode: "flow" }), flowDefinition: flow, ...more };
}

function problemsOf(nodes: readonly FlowNode[], more: Partial<FlowDefinition> = {}): string[] {
  const flow = { start: nodes[0]?.id ?? "", nodes: [...nodes], ...more };
  return findFlowProblems(documentWith(flow)).map(({ path, message }) => `${path} ${message}`);
}

test("a flow without problems has none", () => {
  const nodes = [
    ask("name", "hello"),
    { id: "hello", type: "say", text: "{{name}}, {{call_id}}", next: "end" } as const,
    END,
  ];
  assert.deepEqual(problemsOf(nodes), []);
});

test("a flow with countless problems is told its first hundred", () => {
  const text = "{{a}}".repeat(400);
  const nodes = Array.from({ length: 199 }, (_, at) => ({ ...ask(`n${at}`, `n${at + 1}`), prompt: text }));
  assert.equal(problemsOf([...nodes, { ...END, id: "n199" }]).length, 100);
});

test("an agent that follows a flow needs one", () => {
  assert.deepEqual(findFlowProblems(documentWith(null)), [
    { path: "flowDefinition", message: "is required if mode is flow" },
  ]);
  assert.deepEqual(findFlowProblems(createDocument({ name: "Ada" })), []);
});

test("missing targets, duplicates, unreachable nodes, dead ends and circles are named by their node", () => {
  const say = (id: string, next: string): FlowNode => ({ id, type: "say", text: "Hi", next });
  assert.deepEqual(
    problemsOf([say("a", "nowhere"), END], { start: "b", intents: { human: { next: "c" } } }),
    [
      'flowDefinition.start "b" is not a node of the flow',
      'flowDefinition.intents.human.next "c" is not a node of the flow',
      'flowDefinition.nodes.0.next node "a": "nowhere" is not a node of the flow',
    ],
  );
  assert.deepEqual(problemsOf([say("a", "end"), say("a", "end"), END]), [
    'flowDefinition.nodes.1.id node "a": another node has this id',
  ]);
  assert.deepEqual(problemsOf([say("a", "end"), say("lost", "end"), END]), [
    'flowDefinition.nodes.1 node "lost": no path leads to it',
  ]);
  assert.deepEqual(problemsOf([ask("a", "b"), ask("b", "c"), ask("c", "b", { onExhausted: "b" }), END]), []);
  const endless = ask("b", "b", { onExhausted: "b" });
  assert.deepEqual(problemsOf([ask("a", "b"), endless, END]), [
    'flowDefinition.nodes.1 node "b": no path leads from it to an end',
  ]);
  const condition: FlowNode = {
    id: "c",
    type: "condition",
    branches: [{ tests: [{ name: "call_id", is: "empty" }], next: "end" }],
    otherwise: "a",
  };
  assert.deepEqual(problemsOf([say("a", "c"), condition, END]), [
    'flowDefinition.nodes.0 node "a": the circle a → c → a has no turn of the caller',
  ]);
});

test("an intent makes its node reachable", () => {
  const human: FlowNode = { id: "human", type: "end", text: "A person calls you back." };
  assert.deepEqual(problemsOf([ask("a", "end"), human, END], { intents: { human: { next: "human" } } }), []);
});

test("unknown tools, variables and messages that cannot be sent are named by their node", () => {
  const tool: FlowNode = {
    id: "book",
    type: "tool",
    tool: "book",
    arguments: { day: "{{day}}" },
    say: "For {{who}}.",
    next: "send",
    onFailure: "end",
  };
  const send: FlowNode = {
    id: "send",
    type: "message",
    text: "Hi {{__proto__}}",
    next: "hand",
    onFailure: "end",
  };
  const hand: FlowNode = { id: "hand", type: "transfer", route: "+14155550123", onFailure: "end" };
  const unknown = "is neither a slot nor a variable; add it to defaultVariables if calls bring it";
  assert.deepEqual(problemsOf([tool, send, hand, END]), [
    `flowDefinition.nodes.0.say node "book": {{who}} ${unknown}`,
    `flowDefinition.nodes.0.arguments.day node "book": {{day}} ${unknown}`,
    'flowDefinition.nodes.0.tool node "book": "book" is not the name of an enabled tool of the agent',
    `flowDefinition.nodes.1.text node "send": {{__proto__}} ${unknown}`,
    'flowDefinition.nodes.1.type node "send": requires messagingConfig.sendMessageEnabled and messagingConnectionId',
    'flowDefinition.nodes.2.type node "hand": requires transferEnabled',
  ]);
});

test("a transfer leads to one of the agent's routes, and its failure is a slot", () => {
  const hand: FlowNode = {
    id: "hand",
    type: "transfer",
    route: "+14155550123",
    saveFailure: "why",
    onFailure: "sorry",
  };
  const flow = {
    start: "hand",
    nodes: [hand, { id: "sorry", type: "end" as const, text: "They are {{why}}." }],
  };
  const problemsWith = (to: string): unknown =>
    findFlowProblems({
      ...documentWith(flow),
      ...createDocument({
        name: "Ada",
        mode: "flow",
        flowDefinition: flow,
        transferEnabled: true,
        transferRoutes: [{ to_number: to, condition: "Always" }],
      }),
    });
  assert.deepEqual(problemsWith("+14155550123"), []);
  assert.deepEqual(problemsWith("+14155550124"), [
    {
      path: "flowDefinition.nodes.0.route",
      message: 'node "hand": "+14155550123" is not the to_number of one of the agent\'s transferRoutes',
    },
  ]);
});

test("limits that a slot's type does not have, and tests that cannot pass, are refused", () => {
  const slot = { name: "age", type: "number", minLength: 3, minimum: 9, maximum: 1 } as const;
  const choice = { name: "size", type: "enum" } as const;
  const day = { name: "day", type: "date", earliest: "2026-02-30" } as const;
  const condition: FlowNode = {
    id: "d",
    type: "condition",
    branches: [
      {
        tests: [
          { name: "age", is: "less" },
          { name: "age", is: "filled", value: 3 },
        ],
        next: "end",
      },
    ],
    otherwise: "end",
  };
  const nodes = [
    ask("a", "b", { slot }),
    ask("b", "c", { slot: choice }),
    ask("c", "d", { slot: day }),
    condition,
    END,
  ];
  assert.deepEqual(
    problemsOf(nodes).map((problem) => problem.replace("flowDefinition.nodes.", "")),
    [
      '0.slot.minLength node "a": has no effect on a slot of type number',
      '0.slot.maximum node "a": must be at least 9',
      '1.slot.options node "b": must list the values of the enum',
      '2.slot.earliest node "c": must be a day that exists',
      '3.branches.0.tests.0.value node "d": is required with less',
      '3.branches.0.tests.1.value node "d": has no effect with filled',
    ],
  );
});

test("a problem that came from outside an unchanged flow does not block other changes", () => {
  const tool: FlowNode = { id: "book", type: "tool", tool: "book", next: "end", onFailure: "end" };
  const before = documentWith({ start: "book", nodes: [tool, END] });
  assert.deepEqual(findNewFlowProblems({ ...before, name: "Bea" }, before), []);
  const changed = { ...before, flowDefinition: { start: "book", nodes: [{ ...tool, say: "Wait." }, END] } };
  assert.equal(findNewFlowProblems(changed, before).length, 1);
});

test("the time of the checks grows with the nodes, whatever their edges", () => {
  const nodesOf = (size: number): readonly FlowNode[] => {
    const end = `n${size - 1}`;
    const nodes = Array.from({ length: size - 1 }, (_, index): FlowNode => {
      const branches = [1, 2, 3, 5, 8].map((step) => ({
        tests: [{ name: "call_id", is: "empty" as const }],
        next: `n${Math.min(size - 1, index + step)}`,
      }));
      return { id: `n${index}`, type: "condition", branches, otherwise: end };
    });
    return nodes.concat({ id: end, type: "end" });
  };
  assertLinear("checks of a flow", nodesOf, (nodes) => assert.deepEqual(problemsOf(nodes), []), 2_000);
});
