import assert from "node:assert/strict";
import test from "node:test";
import type { CustomTool, Variables } from "@parley/contract";
import { renderTool } from "./webhook-tool.rules.ts";

const tool: CustomTool = {
  id: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c14",
  name: "look_up",
  webhookUrl: "https://shop.example/orders",
  schema: {
    type: "function",
    function: { name: "x", description: "Looks up.", parameters: { type: "object", required: ["number"] } },
  },
  enabled: true,
  httpMethod: "GET",
  headers: [],
  queryParams: [],
  sendRawRequestBody: true,
  responseMode: "async",
  createdAt: "2026-11-21T09:30:00.000Z",
  updatedAt: "2026-11-21T09:30:00.000Z",
};

const urlOf = (webhookUrl: string, variables: Variables): string =>
  renderTool({ ...tool, webhookUrl }, variables).tool.url;

test("a tool has the name and parameters of its definition", () => {
  assert.deepEqual(renderTool(tool, {}), {
    tool: {
      id: tool.id,
      name: "look_up",
      description: "Looks up.",
      inputSchema: { type: "object", required: ["number"] },
      isAsync: true,
      method: "GET",
      url: "https://shop.example/orders",
      headers: [],
      queryParams: [],
      isRawBody: true,
    },
    unknownNames: [],
  });
});

test("variables are rendered in headers, query parameters, path and query, and unknown ones are reported once", () => {
  const { tool: rendered, unknownNames } = renderTool(
    {
      ...tool,
      webhookUrl: "https://shop.example/{{shop}}/orders?by={{from_number}}&at={{nothing}}",
      headers: [{ key: "X-{{shop}}", value: "{{ shop }}-{{nothing}}" }],
      queryParams: [{ key: "shop", value: "{{shop}}" }],
    },
    { shop: "north & west", from_number: "+1415" },
  );
  assert.equal(rendered.url, "https://shop.example/north%20%26%20west/orders?by=%2B1415&at=");
  assert.deepEqual(rendered.headers, [{ key: "X-{{shop}}", value: "north & west-" }]);
  assert.deepEqual(rendered.queryParams, [{ key: "shop", value: "north & west" }]);
  assert.deepEqual(unknownNames, ["nothing"]);
});

test("a variable never chooses the host", () => {
  for (const template of [
    "https://{{host}}/orders",
    "https://{{host}}.shop.example/",
    "https://{{user}}:{{host}}@shop.example/",
    "https:{{host}}",
    String.raw`https:\\{{host}}`,
  ]) {
    assert.ok(!urlOf(template, { host: "evil.example", user: "evil.example" }).includes("evil"), template);
  }
});

test("a variable neither leaves its path segment nor begins a query", () => {
  const pathOf = (value: string): string => {
    const { host, pathname, search } = new URL(urlOf("https://shop.example/a/{{x}}/b", { x: value }));
    assert.deepEqual([host, search], ["shop.example", ""]);
    return pathname;
  };
  assert.equal(pathOf("../../admin"), "/a/..%2F..%2Fadmin/b");
  assert.equal(pathOf(".."), "/a/%252E%252E/b");
  assert.equal(pathOf("."), "/a/%252E/b");
  assert.equal(pathOf("?x=1#y"), "/a/%3Fx%3D1%23y/b");
  assert.equal(pathOf("\\@evil.example"), "/a/%5C%40evil.example/b");
  assert.equal(pathOf("\ud800"), "/a/%EF%BF%BD/b");
});
