import type { FlowDefinition, FlowNode } from "@parley/contract";

export interface FlowEdge {
  /** Place in the definition. */
  path: string;
  /** `undefined`: the start or an intent. */
  from: string | undefined;
  to: string;
  /** Whether the flow takes it without a turn of the caller. */
  isImmediate: boolean;
}

/** The edges of a flow, with those that lead into it. */
export function listEdges({ start, nodes, intents = {} }: FlowDefinition): FlowEdge[] {
  const entries = Object.entries(intents).flatMap(([name, intent]) =>
    "next" in intent
      ? [{ path: `intents.${name}.next`, from: undefined, to: intent.next, isImmediate: false }]
      : [],
  );
  return [
    { path: "start", from: undefined, to: start, isImmediate: true },
    ...entries,
    ...nodes.flatMap((node, index) =>
      targetsOf(node).map(([path, to]) => ({
        path: `nodes.${index}.${path}`,
        from: node.id,
        to,
        isImmediate: node.type !== "ask" && node.type !== "subPrompt",
      })),
    ),
  ];
}

function targetsOf(node: FlowNode): [path: string, to: string][] {
  switch (node.type) {
    case "say":
      return [["next", node.next]];
    case "ask":
      return [
        ["next", node.next],
        ["onExhausted", node.onExhausted],
      ];
    case "condition":
    case "judge":
      return [
        ...node.branches.map(({ next }, index): [string, string] => [`branches.${index}.next`, next]),
        ["otherwise", node.otherwise],
      ];
    case "tool":
    case "message":
      return [
        ["next", node.next],
        ["onFailure", node.onFailure],
      ];
    case "transfer":
      return [["onFailure", node.onFailure]];
    case "subPrompt":
      return [
        ...node.exits.map(({ next }, index): [string, string] => [`exits.${index}.next`, next]),
        ["onMaxTurns", node.onMaxTurns],
      ];
    case "end":
      return [];
  }
}

type Edge = Pick<FlowEdge, "to"> & { from: string };

function byOrigin(edges: readonly Edge[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const known = targets.get(from);
    if (known === undefined) targets.set(from, [to]);
    else known.push(to);
  }
  return targets;
}

/** The nodes that these and the edges lead to, these included. */
export function reachableFrom(ids: readonly string[], edges: readonly Edge[]): Set<string> {
  const targets = byOrigin(edges);
  const reached = new Set(ids);
  // A set is iterated with what is added meanwhile.
  for (const id of reached) for (const to of targets.get(id) ?? []) reached.add(to);
  return reached;
}

/** The nodes of one circle in order; `undefined` if there is none. */
export function findCircle(edges: readonly Edge[]): string[] | undefined {
  const targets = byOrigin(edges);
  const done = new Set<string>();
  for (const root of targets.keys()) {
    if (done.has(root)) continue;
    // The path from the root, with the targets that are still to be followed at each node.
    const path = new Map([[root, [...(targets.get(root) ?? [])]]]);
    const order = [root];
    for (let last = order.at(-1); last !== undefined; last = order.at(-1)) {
      const to = path.get(last)?.pop();
      if (to === undefined) {
        done.add(last);
        path.delete(last);
        order.pop();
      } else if (path.has(to)) return order.slice(order.indexOf(to));
      else if (!done.has(to)) {
        path.set(to, [...(targets.get(to) ?? [])]);
        order.push(to);
      }
    }
  }
  return undefined;
}
