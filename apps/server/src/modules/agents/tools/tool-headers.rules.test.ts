import assert from "node:assert/strict";
import test from "node:test";
import type { CustomToolCreation } from "@parley/contract";
import { addTool, changeTool } from "./custom-tools.rules.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const creation: CustomToolCreation = {
  name: "look_up",
  webhookUrl: "https://shop.example/",
  schema: { description: "x" },
};

function refusal(key: string, value = "x"): string | undefined {
  const headers = [
    { key: "X-Shop", value: "{{shop}}" },
    { key, value },
  ];
  try {
    addTool([], "id", { ...creation, headers }, now);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Error && "issues" in error && Array.isArray(error.issues));
    const [issue]: { path: string }[] = error.issues;
    return issue?.path;
  }
}

test("headers of the connection and of Parley are rejected when a tool is saved", () => {
  for (const key of [
    "Host",
    "host",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "TE",
    "Trailer",
    "Upgrade",
  ])
    assert.equal(refusal(key), "headers.1.key", key);
  for (const key of ["Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Expect", "Content-Encoding"])
    assert.equal(refusal(key), "headers.1.key", key);
  for (const key of ["webhook-id", "Webhook-Signature", "X-Service-Signature", "X-Parley-Call-Id"])
    assert.equal(refusal(key), "headers.1.key", key);
  for (const key of ["Authorization", "X-Api-Key", "Cookie", "Content-Type", "User-Agent", "X-Parleys"])
    assert.equal(refusal(key), undefined, key);
});

test("a header that HTTP cannot carry is rejected when a tool is saved", () => {
  for (const key of ["X Shop", "X:Shop", "X\r\nHost", "{{name}}", "Größe", "(x)"])
    assert.equal(refusal(key), "headers.1.key", key);
  for (const value of ["a\r\nHost: evil", "a\u0000b", "a\u007f"])
    assert.equal(refusal("X-Value", value), "headers.1.value", JSON.stringify(value));
  for (const value of ["", "a\tb", "Grüße", "{{ name }}"])
    assert.equal(refusal("X-Value", value), undefined, value);
});

test("headers that were stored before this rule do not block changes of other fields", () => {
  const [tool] = addTool([], "id", creation, now);
  assert.ok(tool !== undefined);
  const stored = { ...tool, headers: [{ key: "Host", value: "x" }] };
  assert.equal(changeTool([stored], "id", { enabled: false }, now)[0]?.enabled, false);
  assert.equal(changeTool([stored], "id", { ...stored, enabled: false }, now)[0]?.enabled, false);
  const more = { headers: [...stored.headers, { key: "X-New", value: "x" }] };
  assert.throws(() => changeTool([stored], "id", more, now), { code: "invalid_body" });
});
