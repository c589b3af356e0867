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
