import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleFlows } from "@parley/contract";
import { BOX, layOut } from "./flow-layout.rules.ts";

test("no two nodes overlap, every edge between them is drawn, and everything is inside the picture", () => {
  for (const flow of Object.values(sampleFlows)) {
    const { nodes, edges, width, height } = layOut(flow);
    assert.deepEqual(nodes.map(({ node }) => node.id).toSorted(), flow.nodes.map(({ id }) => id).toSorted());
    for (const [index, one] of nodes.entries()) {
      assert.ok(
        one.x >= 0 && one.x + BOX.width <= width && one.y >= 0 && one.y + BOX.height <= height,
        one.node.id,
      );
      for (const other of nodes.slice(index + 1)) {
        const isApart = Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height;
        assert.ok(isApart, `${one.node.id} ${other.node.id}`);
      }
    }
    for (const { from, to } of edges) assert.notEqual(from, undefined, to);
    assert.ok(edges.length >= nodes.length - 1);
  }
});

test("an edge between nodes of a row does not run behind those that stand between", () => {
  const ask = { type: "ask", prompt: "?", slot: { name: "a", type: "string" } } as const;
  const nodes = [
    { ...ask, id: "first", next: "left", onExhausted: "middle" },
    { ...ask, id: "left", next: "right", onExhausted: "middle" },
    { id: "middle", type: "end" } as const,
    { id: "right", type: "end" } as const,
  ];
  const { nodes: placed, edges } = layOut({
    start: "first",
    nodes,
    intents: { human: { next: "right" }, goodbye: { next: "left" } },
  });
  for (const { from, to, line } of edges) {
    const points = (line.match(/-?[\d.]+/g) ?? []).map(Number);
    const at = (t: number, axis: 0 | 1): number =>
      [1, 3, 3, 1].reduce(
        (sum, factor, index) =>
          sum + factor * (1 - t) ** (3 - index) * t ** index * (points[2 * index + axis] ?? 0),
        0,
      );
    for (let t = 0; t <= 1; t += 0.02) {
      const hidden = placed.find(
        ({ node, x, y }) =>
          ![from, to].includes(node.id) &&
          at(t, 0) > x &&
          at(t, 0) < x + BOX.width &&
          at(t, 1) > y &&
          at(t, 1) < y + BOX.height,
      );
      assert.equal(hidden, undefined, `${from} ${to}`);
    }
  }
});

test("a node that no path leads to is shown last, and a missing target is left out", () => {
  const say = { type: "say", text: "Hi" } as const;
  const nodes = [
    { ...say, id: "lost", next: "nowhere" },
    { ...say, id: "first", next: "first" },
  ];
  const layout = layOut({ start: "first", nodes });
  assert.deepEqual(
    layout.nodes.map(({ node }) => node.id),
    ["first", "lost"],
  );
  assert.deepEqual(
    layout.edges.map(({ from, to }) => `${from} ${to}`),
    ["first first"],
  );
});
