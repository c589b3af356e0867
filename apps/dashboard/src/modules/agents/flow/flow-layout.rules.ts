/** Places the nodes of a flow on layers, by their distance from the start. */
import type { Agent, FlowNode } from "@parley/client";

export type FlowDefinition = NonNullable<Agent["flowDefinition"]>;

export const BOX = { width: 196, height: 56, gapX: 28, gapY: 52 } as const;

export interface PlacedNode {
  node: FlowNode;
  x: number;
  y: number;
}

interface PlacedEdge {
  from: string;
  to: string;
  label: string;
  /** Path of an SVG. */
  line: string;
}

export interface FlowLayout {
  nodes: readonly PlacedNode[];
  edges: readonly PlacedEdge[];
  width: number;
  height: number;
}

/** Layers grow downward; edges that lead up go around on the right, those within a layer below it. Missing targets and nodes without an id are left out. */
export function layOut({ start, nodes, intents = {} }: FlowDefinition): FlowLayout {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const entries = [
    start,
    ...Object.values(intents).flatMap((intent) => ("next" in intent ? [intent.next] : [])),
  ];
  const layers = layersOf(byId, entries);
  const widest = Math.max(1, ...layers.map(({ length }) => length));
  const width = widest * (BOX.width + BOX.gapX) + BOX.gapX;
  const places = new Map<string, PlacedNode>();
  for (const [depth, layer] of layers.entries()) {
    const left = (width - layer.length * (BOX.width + BOX.gapX) + BOX.gapX) / 2;
    for (const [index, node] of layer.entries()) {
      const x = left + index * (BOX.width + BOX.gapX);
      places.set(node.id, { node, x, y: BOX.gapX + depth * (BOX.height + BOX.gapY) });
    }
  }
  const edges = [...places.values()].flatMap((from) =>
    edgesOf(from.node).flatMap(([label, id]) => {
      const to = places.get(id);
      return to === undefined ? [] : [{ from: from.node.id, to: id, label, line: drawEdge(from, to) }];
    }),
  );
  const height = layers.length * (BOX.height + BOX.gapY) + BOX.gapX;
  return { nodes: [...places.values()], edges, width, height };
}

/** Nodes by their distance from the entries; those that no path leads to come last. */
function layersOf(byId: ReadonlyMap<string, FlowNode>, entries: readonly string[]): FlowNode[][] {
  const layers: FlowNode[][] = [];
  const seen = new Set<string>();
  let ids = [...entries];
  while (ids.length > 0) {
    const layer: FlowNode[] = [];
    for (const id of ids) {
      const node = byId.get(id);
      if (node === undefined || seen.has(id)) continue;
      seen.add(id);
      layer.push(node);
    }
    if (layer.length > 0) layers.push(layer);
    ids = layer.flatMap((node) => edgesOf(node).map(([, id]) => id));
  }
  const lost = [...byId.values()].filter(({ id }) => !seen.has(id));
  return lost.length === 0 ? layers : [...layers, lost];
}

/** Where a node leads, each with a word. */
function edgesOf(node: FlowNode): [label: string, to: string][] {
  switch (node.type) {
    case "say":
      return [["", node.next]];
    case "ask":
      return [
        ["", node.next],
        ["exhausted", node.onExhausted],
      ];
    case "condition":
      return [
        ...node.branches.map(({ next }, index): [string, string] => [`${index + 1}`, next]),
        ["otherwise", node.otherwise],
      ];
    case "judge":
      return [
        ...node.branches.map(({ next }, index): [string, string] => [`${index + 1}`, next]),
        ["otherwise", node.otherwise],
      ];
    case "tool":
    case "message":
      return [
        ["", node.next],
        ["failure", node.onFailure],
      ];
    case "transfer":
      return [["failure", node.onFailure]];
    case "subPrompt":
      return [
        ...node.exits.map(({ name, next }): [string, string] => [name, next]),
        ["turns used up", node.onMaxTurns],
      ];
    case "end":
      return [];
  }
}

function drawEdge(from: PlacedNode, to: PlacedNode): string {
  const [x1, y1] = [from.x + BOX.width / 2, from.y + BOX.height];
  const [x2, y2] = [to.x + BOX.width / 2, to.y];
  // Between two nodes of a row it hangs below them: a straight line would run behind what stands between.
  if (from.y === to.y && from !== to) {
    const below = y1 + BOX.gapY * 0.8;
    return `M${x1} ${y1} C${x1} ${below} ${x2} ${below} ${x2} ${y1}`;
  }
  if (y2 > y1) return `M${x1} ${y1} C${x1} ${y1 + BOX.gapY / 2} ${x2} ${y2 - BOX.gapY / 2} ${x2} ${y2}`;
  const [side, top] = [from.x + BOX.width, to.y + BOX.height / 2];
  const out = Math.max(side, to.x + BOX.width) + BOX.gapX;
  const middle = from.y + BOX.height / 2;
  return `M${side} ${middle} C${out} ${middle} ${out} ${top} ${to.x + BOX.width} ${top}`;
}

/** A few words about a node. */
export function summaryOf(node: FlowNode): string {
  switch (node.type) {
    case "say":
    case "message":
      return node.text;
    case "ask":
      return node.prompt;
    case "condition":
      return node.branches.flatMap(({ tests }) => tests.map(({ name, is }) => `${name} ${is}`)).join(", ");
    case "judge":
      return node.branches.map(({ condition }) => condition).join(", ");
    case "tool":
      return node.tool;
    case "transfer":
      return node.route;
    case "subPrompt":
      return node.prompt;
    case "end":
      return node.text ?? "";
  }
}
