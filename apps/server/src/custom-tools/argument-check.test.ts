import assert from "node:assert/strict";
import test from "node:test";
import type { ToolInputSchema } from "@parley/conversation";
import { processorMs } from "@parley/testing";
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

test("valid arguments pass, and problems of invalid ones are named", () => {
  const check = createArgumentCheck(order);
  assert.deepEqual(check({ number: "1", count: 2, pattern: "dots", lines: [{ sku: "a" }] }), []);
  assert.match(check({}).join(), /number/);
  assert.match(check({ number: 5 }).join(), /^number /);
  assert.match(check({ number: "1", count: 0 }).join(), /^count .*1/);
  assert.match(check({ number: "1", pattern: "x" }).join(), /^pattern /);
  assert.match(check({ number: "1", lines: [{}] }).join(), /^lines\.0 /);
  assert.match(check({ number: "1", more: 1 }).join(), /additional/);
});

test("the schema's regular expressions are not run", () => {
  const check = createArgumentCheck({
    type: "object",
    properties: { text: { type: "string", pattern: "^(a+)+$" } },
    patternProperties: { "^(x+)+$": false },
    additionalProperties: false,
  });
  assert.deepEqual(check({ text: `${"a".repeat(60)}!`, [`${"x".repeat(60)}!`]: 1 }), []);
});

test("differences that only a regular expression detects are not rejected", () => {
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

test("an endless or too deep schema leaves the check to the tool's server", () => {
  assert.deepEqual(createArgumentCheck({ $ref: "#" })({}), []);
  let deep: ToolInputSchema = { type: "object" };
  for (let level = 0; level < 20_000; level++) deep = { allOf: [deep] };
  assert.deepEqual(createArgumentCheck(deep)({}), []);
});

/** Each level is used twice by the previous one: 2^30 schemas in 2 kB. */
function doublings(levels: number, wrap = (pair: object[]): object => ({ allOf: pair })): ToolInputSchema {
  const $defs: Record<string, object> = { [`l${levels}`]: { type: "object" } };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/l${level + 1}` };
    $defs[`l${level}`] = wrap([next, next]);
  }
  return { type: "object", $ref: "#/$defs/l0", $defs };
}

test("an expensive schema leaves the check to the tool's server at once", () => {
  const nested: Record<string, unknown> = {};
  let at = nested;
  for (let level = 0; level < 40; level++) at = at["a"] = {} as Record<string, unknown>;
  const each = { properties: { a: { allOf: [{ $ref: "#" }, { $ref: "#" }] } } };
  const hostile: [string, ToolInputSchema, unknown][] = [
    ["pairs of references", doublings(30), {}],
    ["pairs of references under anyOf and not", doublings(30, (pair) => ({ anyOf: pair, not: pair[0] })), {}],
    ["itself twice for each level of the arguments", { type: "object", ...each }, nested],
    ["itself without end", { type: "object", anyOf: [{ $ref: "#" }, { $ref: "#" }] }, {}],
    [
      "a long enumeration for each item",
      {
        type: "object",
        properties: { list: { items: { enum: Array.from({ length: 4000 }, (_, index) => [index]) } } },
      },
      { list: Array.from({ length: 4000 }, () => ["x"]) },
    ],
    [
      "many items that are the same",
      { type: "object", properties: { list: { uniqueItems: true } } },
      { list: Array.from({ length: 200_000 }, () => 1) },
    ],
    [
      "a long text in a format",
      { type: "object", properties: { mail: { format: "email" } } },
      { mail: "a.".repeat(200_000) },
    ],
  ];
  for (const [name, schema, input] of hostile) {
    const ms = processorMs(() => assert.deepEqual(createArgumentCheck(schema)(input), [], name));
    // An unbounded check takes minutes to years.
    assert.ok(ms < 1_000, `${name}: ${ms} ms`);
  }
});

test("a large order, a tree and several doublings are checked", () => {
  const check = createArgumentCheck(order);
  const lines: object[] = Array.from({ length: 100 }, (_, index) => ({ sku: String(index) }));
  assert.deepEqual(check({ number: "1", lines }), []);
  assert.match(check({ number: "1", lines: [...lines, {}] }).join(), /^lines\.100 /);
  const tree = createArgumentCheck({
    type: "object",
    required: ["name"],
    properties: { children: { type: "array", items: { $ref: "#" } } },
  });
  const leaf = { name: "leaf", children: [] };
  assert.deepEqual(tree({ name: "root", children: [leaf, { name: "branch", children: [leaf, leaf] }] }), []);
  assert.match(tree({ name: "root", children: [leaf, {}] }).join(), /^children\.1 /);
  assert.match(createArgumentCheck(doublings(4))([]).join(), /object/);
});
