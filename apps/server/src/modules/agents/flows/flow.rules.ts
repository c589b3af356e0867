/** Rules for flows that a schema cannot express. Each problem names its node. */
import {
  builtInVariables,
  type FlowDefinition,
  type FlowNode,
  type Issue,
  MAX_FLOW_SLOTS,
} from "@parley/contract";
import { MAX_ISSUES } from "../../../platform/app-error.ts";
import { canonicalJson } from "../../../platform/canonical-json.ts";
import type { AgentDocument } from "../agent-document.rules.ts";
import { findCircle, listEdges, reachableFrom } from "./flow-graph.rules.ts";

type NodeOf<Type extends FlowNode["type"]> = Extract<FlowNode, { type: Type }>;
type Slot = NodeOf<"ask">["slot"];
type Report = (path: string, message: string) => void;

/** What a flow may refer to. */
interface Surroundings {
  /** Names of slots and variables. */
  names: ReadonlySet<string>;
  /** Names of the enabled tools. */
  tools: ReadonlySet<string>;
  canSendMessages: boolean;
  /** `to_number` of the agent's routes; `undefined` if it cannot transfer calls. */
  routes: ReadonlySet<string> | undefined;
}

/** The first problems of an agent's flow, which has passed the schema. */
export function findFlowProblems(document: AgentDocument): Issue[] {
  const { mode, flowDefinition: flow } = document;
  if (flow === null)
    return mode === "flow" ? [{ path: "flowDefinition", message: "is required if mode is flow" }] : [];
  const issues: Issue[] = [];
  const report: Report = (path, message) => {
    if (issues.length < MAX_ISSUES) issues.push({ path: `flowDefinition.${path}`, message });
  };
  const surroundings = surroundingsOf(document, flow);
  checkIds(flow, report);
  checkSlots(flow, report);
  checkIntents(flow, report);
  for (const [index, node] of flow.nodes.entries())
    checkNode(node, surroundings, (path, message) =>
      report(`nodes.${index}.${path}`, `node "${node.id}": ${message}`),
    );
  checkGraph(flow, report);
  return issues;
}

/** The same without problems that an unchanged flow had before, such as those of a tool that was deleted since. */
export function findNewFlowProblems(document: AgentDocument, before: AgentDocument): Issue[] {
  const problems = findFlowProblems(document);
  if (problems.length === 0) return [];
  const known = new Set(findFlowProblems(before).map(({ path, message }) => `${path} ${message}`));
  const isUnchanged =
    document.mode === before.mode &&
    canonicalJson(document.flowDefinition) === canonicalJson(before.flowDefinition);
  return isUnchanged ? problems.filter(({ path, message }) => !known.has(`${path} ${message}`)) : problems;
}

function surroundingsOf(document: AgentDocument, flow: FlowDefinition): Surroundings {
  const { customTools, defaultVariables, testVariables, messagingConfig, messagingConnectionId } = document;
  const { transferEnabled, transferRoutes } = document;
  return {
    names: new Set([
      ...slotNames(flow),
      ...Object.keys(builtInVariables),
      ...Object.keys(defaultVariables),
      ...Object.keys(testVariables),
    ]),
    tools: new Set(customTools.filter(({ enabled }) => enabled).map(({ name }) => name)),
    canSendMessages: messagingConfig.sendMessageEnabled && messagingConnectionId !== null,
    routes: transferEnabled ? new Set(transferRoutes.map(({ to_number: to }) => to)) : undefined,
  };
}

function slotNames({ nodes }: FlowDefinition): string[] {
  return nodes.flatMap((node) => {
    if (node.type === "ask") return [node.slot.name];
    if (node.type === "transfer") return node.saveFailure === undefined ? [] : [node.saveFailure];
    return node.type === "tool" ? (node.save ?? []).map(({ slot }) => slot) : [];
  });
}

function checkIds({ nodes }: FlowDefinition, report: Report): void {
  const ids = new Set<string>();
  for (const [index, { id }] of nodes.entries()) {
    if (ids.has(id)) report(`nodes.${index}.id`, `node "${id}": another node has this id`);
    ids.add(id);
  }
}

function checkSlots(flow: FlowDefinition, report: Report): void {
  if (new Set(slotNames(flow)).size > MAX_FLOW_SLOTS)
    report("nodes", `must not have more than ${MAX_FLOW_SLOTS} slots`);
  const types = new Map<string, string>();
  for (const [index, node] of flow.nodes.entries()) {
    if (node.type !== "ask") continue;
    const { name, type } = node.slot;
    const known = types.get(name) ?? type;
    if (known !== type)
      report(
        `nodes.${index}.slot.type`,
        `node "${node.id}": the slot ${name} is of type ${known} in another node`,
      );
    types.set(name, known);
  }
}

function checkIntents({ intents = {} }: FlowDefinition, report: Report): void {
  const keys = Object.values(intents).flatMap(({ key }) => key ?? []);
  if (new Set(keys).size < keys.length) report("intents", "must not use a key twice");
}

function checkNode(node: FlowNode, surroundings: Surroundings, report: Report): void {
  for (const [path, text] of textsOf(node)) {
    for (const [, name = ""] of text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g))
      if (!surroundings.names.has(name)) report(path, unknownName(name));
  }
  switch (node.type) {
    case "ask":
      return checkSlot(node.slot, (path, message) => report(`slot.${path}`, message));
    case "condition":
      return checkTests(node, surroundings, report);
    case "tool":
      if (!surroundings.tools.has(node.tool))
        report("tool", `"${node.tool}" is not the name of an enabled tool of the agent`);
      return;
    case "message":
      if (!surroundings.canSendMessages)
        report("type", "requires messagingConfig.sendMessageEnabled and messagingConnectionId");
      return;
    case "transfer":
      if (surroundings.routes === undefined) report("type", "requires transferEnabled");
      else if (!surroundings.routes.has(node.route))
        report("route", `"${node.route}" is not the to_number of one of the agent's transferRoutes`);
      return;
    case "subPrompt":
      return checkExits(node, report);
    case "say":
    case "judge":
    case "end":
  }
}

/** Texts with variables, by path. */
function textsOf(node: FlowNode): [path: string, text: string][] {
  const texts: [path: string, text: unknown][] = [];
  switch (node.type) {
    case "say":
    case "message":
    case "end":
      texts.push(["text", node.text]);
      break;
    case "ask":
      texts.push(["prompt", node.prompt], ["reprompt", node.reprompt]);
      break;
    case "subPrompt":
      texts.push(["prompt", node.prompt]);
      break;
    case "tool":
      texts.push(["say", node.say]);
      for (const [name, argument] of Object.entries(node.arguments ?? {}))
        texts.push([`arguments.${name}`, argument]);
      break;
    case "transfer":
    case "condition":
    case "judge":
  }
  return texts.flatMap(([path, text]) =>
    typeof text === "string" ? [[path, text] as [string, string]] : [],
  );
}

function unknownName(name: string): string {
  return `{{${name}}} is neither a slot nor a variable; add it to defaultVariables if calls bring it`;
}

/** Limits by the type of slot that has them. */
const LIMITS = {
  string: ["isVerbatim", "minLength", "maxLength"],
  number: ["isInteger", "minimum", "maximum"],
  boolean: [],
  enum: ["options"],
  date: ["earliest", "latest"],
  phone_number: [],
} as const satisfies Record<Slot["type"], readonly (keyof Slot)[]>;

function checkSlot(slot: Slot, report: Report): void {
  const own: readonly string[] = LIMITS[slot.type];
  for (const name of Object.values(LIMITS).flat())
    if (slot[name] !== undefined && !own.includes(name))
      report(name, `has no effect on a slot of type ${slot.type}`);
  if (slot.type === "enum") checkOptions(slot.options, report);
  for (const name of ["earliest", "latest"] as const) {
    const day = slot[name];
    if (day !== undefined && !isDay(day)) report(name, "must be a day that exists");
  }
  checkOrder(slot.minLength, slot.maxLength, "maxLength", report);
  checkOrder(slot.minimum, slot.maximum, "maximum", report);
  checkOrder(slot.earliest, slot.latest, "latest", report);
}

function checkOrder<T extends number | string>(
  low: T | undefined,
  high: T | undefined,
  name: string,
  report: Report,
): void {
  if (low !== undefined && high !== undefined && low > high) report(name, `must be at least ${low}`);
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function checkOptions(options: Slot["options"], report: Report): void {
  if (options === undefined) return report("options", "must list the values of the enum");
  const values = options.map(({ value }) => value.toLowerCase());
  if (new Set(values).size < values.length) report("options", "must not have a value twice");
  const keys = options.flatMap(({ key }) => key ?? []);
  if (new Set(keys).size < keys.length) report("options", "must not use a key twice");
}

function checkTests(node: NodeOf<"condition">, { names }: Surroundings, report: Report): void {
  for (const [index, { tests }] of node.branches.entries()) {
    for (const [position, { name, is, value, values }] of tests.entries()) {
      const path = `branches.${index}.tests.${position}`;
      if (!names.has(name)) report(`${path}.name`, unknownName(name));
      const hasNoValue = is === "filled" || is === "empty" || is === "one_of";
      if (hasNoValue === (value !== undefined))
        report(`${path}.value`, hasNoValue ? `has no effect with ${is}` : `is required with ${is}`);
      if ((is === "one_of") !== (values !== undefined))
        report(`${path}.values`, is === "one_of" ? "is required with one_of" : `has no effect with ${is}`);
    }
  }
}

function checkExits({ exits }: NodeOf<"subPrompt">, report: Report): void {
  const names = new Set<string>(["human", "goodbye"]);
  for (const [index, { name }] of exits.entries()) {
    if (names.has(name))
      report(`exits.${index}.name`, `"${name}" is the name of an intent or of another exit`);
    names.add(name);
  }
}

function checkGraph(flow: FlowDefinition, report: Report): void {
  const ids = new Set(flow.nodes.map(({ id }) => id));
  const edges = listEdges(flow);
  let isComplete = true;
  for (const { path, from, to } of edges) {
    if (ids.has(to)) continue;
    isComplete = false;
    report(path, `${from === undefined ? "" : `node "${from}": `}"${to}" is not a node of the flow`);
  }
  // With a missing node, further findings would be misleading.
  if (!isComplete || ids.size < flow.nodes.length) return;
  const entries = edges.flatMap(({ from, to }) => (from === undefined ? [to] : []));
  const inner = edges.flatMap(({ from, to, isImmediate }) =>
    from === undefined ? [] : [{ from, to, isImmediate }],
  );
  const reached = reachableFrom(entries, inner);
  const ends = flow.nodes.flatMap(({ id, type }) => (type === "end" || type === "transfer" ? [id] : []));
  const ending = reachableFrom(
    ends,
    inner.map(({ from, to }) => ({ from: to, to: from })),
  );
  for (const [index, { id }] of flow.nodes.entries()) {
    if (!reached.has(id)) report(`nodes.${index}`, `node "${id}": no path leads to it`);
    if (!ending.has(id)) report(`nodes.${index}`, `node "${id}": no path leads from it to an end`);
  }
  const circle = findCircle(inner.filter(({ isImmediate }) => isImmediate));
  if (circle !== undefined) {
    const index = flow.nodes.findIndex(({ id }) => id === circle[0]);
    report(
      `nodes.${index}`,
      `node "${circle[0]}": the circle ${[...circle, circle[0]].join(" → ")} has no turn of the caller`,
    );
  }
}
