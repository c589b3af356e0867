import assert from "node:assert/strict";
import test from "node:test";
import type { ToolInputSchema } from "@parley/conversation";
import { createArgumentCheck } from "./argument-check.ts";

const order: ToolInputSchema = {
  type: "object",
  properties: {
    number: { type: "string" },
    count: { type: "integer", minimum: 1 },
    pattern: { enum: ["dots", "stripes"] },
    lines: { type: "array", items: { $ref: "#/$defs/line" } },
  },
  required: ["number"],
  additionalProperties: false,
  $defs: { line: { type: "object", required: ["sku"] } },
};

test("arguments of the tool's shape pass, and what is wrong with others is named", () => {
  const check = createArgumentCheck(order);
  assert.deepEqual(check({ number: "1", count: 2, pattern: "dots", lines: [{ sku: "a" }] }), []);
  assert.match(check({}).join(), /number/);
  assert.match(check({ number: 5 }).join(), /^number /);
  assert.match(check({ number: "1", count: 0 }).join(), /^count .*1/);
  assert.match(check({ number: "1", pattern: "x" }).join(), /^pattern /);
  assert.match(check({ number: "1", lines: [{}] }).join(), /^lines\.0 /);
  assert.match(check({ number: "1", more: 1 }).join(), /additional/);
});

test("a regular expression of the schema is not run", () => {
  const check = createArgumentCheck({
    type: "object",
    properties: { text: { type: "string", pattern: "^(a+)+$" } },
    patternProperties: { "^(x+)+$": false },
    additionalProperties: false,
  });
  assert.deepEqual(check({ text: `${"a".repeat(60)}!`, [`${"x".repeat(60)}!`]: 1 }), []);
});

test("what only a regular expression tells apart is not refused", () => {
  const digits = { type: "string", pattern: "^[0-9]+$" };
  const check = createArgumentCheck({
    type: "object",
    properties: {
      name: { type: "string", not: digits },
      key: { oneOf: [digits, { type: "string", pattern: "^[a-z]+$" }] },
      // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
      code: { type: "string", if: digits, then: { maxLength: 2 } },
      tags: { type: "array", contains: digits, maxContains: 1 },
      count: { type: "integer", not: { const: 0 } },
    },
  });
  assert.deepEqual(check({ name: "Ada", key: "a", code: "abc", tags: ["1", "b"], count: 1 }), []);
  assert.match(check({ count: 0 }).join(), /^count /);
});

test("a schema that is endless or too deep leaves the check to the tool's server", () => {
  assert.deepEqual(createArgumentCheck({ $ref: "#" })({}), []);
  let deep: ToolInputSchema = { type: "object" };
  for (let level = 0; level < 20_000; level++) deep = { allOf: [deep] };
  assert.deepEqual(createArgumentCheck(deep)({}), []);
});
