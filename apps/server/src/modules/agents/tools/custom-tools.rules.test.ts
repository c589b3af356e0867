import assert from "node:assert/strict";
import test from "node:test";
import type { CustomToolCreation } from "@parley/contract";
import { addTool, changeTool } from "./custom-tools.rules.ts";
import { readToolFunction } from "./tool-function.rules.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const parameters = { type: "object", properties: { number: { type: "string" } }, required: ["number"] };
const bare = { name: "x", description: "Looks an order up.", parameters };
const creation: CustomToolCreation = { name: "look_up", webhookUrl: "https://shop.example/", schema: bare };
const add = (change: Partial<CustomToolCreation>) => addTool([], "id", { ...creation, ...change }, now);

function refusal(change: Partial<CustomToolCreation>): string | undefined {
  try {
    add(change);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Error && "issues" in error && Array.isArray(error.issues));
    const [issue]: { path: string }[] = error.issues;
    return issue?.path;
  }
}

test("a new tool has every field", () => {
  assert.deepEqual(add({}), [
    {
      ...creation,
      id: "id",
      enabled: true,
      httpMethod: "POST",
      headers: [],
      queryParams: [],
      sendRawRequestBody: false,
      responseMode: "sync",
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
    },
  ]);
});

test("a function is read bare, wrapped, and with its type beside it", () => {
  const expected = { description: "Looks an order up.", parameters };
  for (const schema of [
    bare,
    { type: "function", function: bare },
    { function: bare },
    { type: "function", ...bare },
  ]) {
    assert.equal(refusal({ schema }), undefined);
    assert.deepEqual(readToolFunction(schema), expected);
  }
  assert.equal(refusal({ schema: { description: "Takes nothing." } }), undefined);
});

test("a schema that is not a function, or whose parameters are not JSON Schema, is rejected", () => {
  const schemas = {
    "the arguments' schema alone": parameters,
    "nothing at all": {},
    "another kind of tool": { type: "web_search" },
    "a function that is a string": { type: "function", function: "x" },
    "parameters that are a string": { ...bare, parameters: "x" },
    "parameters of another type": { ...bare, parameters: { type: "string" } },
    "an unknown type": { ...bare, parameters: { type: "object", properties: { a: { type: "strnig" } } } },
    "required as a word": { ...bare, parameters: { type: "object", required: "a" } },
    "an unknown draft is read as draft 7": {
      ...bare,
      parameters: { $schema: "x", type: "object", items: 3 },
    },
  };
  for (const [what, schema] of Object.entries(schemas)) assert.equal(refusal({ schema }), "schema", what);
  const tuples = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    prefixItems: [{}],
  };
  assert.equal(refusal({ schema: { ...bare, parameters: tuples } }), undefined);
});

test("a pattern that is no regular expression and a reference to nothing are rejected, with their place", () => {
  const issueOf = (properties: object, rest: object = {}): string => {
    try {
      add({ schema: { ...bare, parameters: { type: "object", properties, ...rest } } });
      return "";
    } catch (error) {
      assert.ok(error instanceof Error && "issues" in error && Array.isArray(error.issues));
      const [issue]: { path: string; message: string }[] = error.issues;
      assert.equal(issue?.path, "schema");
      return issue.message;
    }
  };
  assert.match(issueOf({ a: { type: "string", pattern: "(" } }), /"\(" at \/properties\/a is not one/);
  assert.match(
    issueOf({ a: { items: { anyOf: [{}, { pattern: "[z-a]" }] } } }),
    /at \/properties\/a\/items\/anyOf\/1/,
  );
  assert.match(issueOf({ a: { patternProperties: { "*": {} } } }), /"\*" at \/properties\/a/);
  for (const $ref of ["#/$defs/gone", "#/properties/b", "order.json", "https://example.com/order", "#order"])
    assert.match(issueOf({ a: { $ref } }), /at \/properties\/a refers to nothing/, $ref);
  assert.match(issueOf({}, { $defs: { a: { $ref: "#/$defs/b" } } }), /at \/\$defs\/a refers/);

  assert.equal(issueOf({ a: { pattern: "^\\p{L}+$" }, b: { pattern: "^[\\w\\-.]+$" } }), "");
  assert.equal(issueOf({ a: { $ref: "#/$defs/order" }, b: { $ref: "#" } }, { $defs: { order: {} } }), "");
  assert.equal(issueOf({ a: { $ref: "#order" } }, { $defs: { order: { $id: "#order" } } }), "");
  assert.equal(issueOf({ $ref: { type: "string" }, pattern: { type: "string" } }), "");
  assert.equal(issueOf({ a: { default: { $ref: "#/no/schema" }, enum: [{ pattern: "(" }] } }), "");
});

test("a broken schema that an earlier release stored does not block changes of other fields", () => {
  const [tool] = add({});
  assert.ok(tool !== undefined);
  const schema = { ...bare, parameters: { type: "object", properties: { a: { pattern: "(" } } } };
  const stored = [{ ...tool, schema }];
  assert.equal(changeTool(stored, "id", { enabled: false, schema }, now)[0]?.enabled, false);
  assert.throws(() => changeTool(add({}), "id", { schema }, now), { code: "invalid_body" });
});

test("a schema that is too long for a language model is rejected", () => {
  const describedBy = (length: number) => ({ schema: { ...bare, description: "x".repeat(length) } });
  assert.equal(refusal(describedBy(60_000)), undefined);
  assert.equal(refusal(describedBy(70_000)), "schema");
});

test("a short schema that expands beyond the limits is rejected, and the error names what is too large", () => {
  const issueOf = (parameters: object): string => {
    try {
      add({ schema: { ...bare, parameters } });
      return "";
    } catch (error) {
      assert.ok(error instanceof Error && "issues" in error && Array.isArray(error.issues));
      const [issue]: { message: string }[] = error.issues;
      return issue?.message ?? "";
    }
  };
  const pairs = (levels: number): object => {
    const $defs: Record<string, object> = { [`l${levels}`]: {} };
    for (let level = 0; level < levels; level++) {
      const next = { $ref: `#/$defs/l${level + 1}` };
      $defs[`l${level}`] = { allOf: [next, next] };
    }
    return { type: "object", properties: { a: { $ref: "#/$defs/l0" } }, $defs };
  };
  let deep: object = {};
  for (let level = 0; level < 100_000; level++) deep = { not: deep };
  const chain = Object.fromEntries(
    Array.from({ length: 100 }, (_, level) => [`l${level}`, { $ref: `#/$defs/l${level + 1}` }]),
  );
  const values = Array.from({ length: 1_001 }, (_, index) => [index]);
  assert.match(issueOf(pairs(30)), /5000 schemas.*"\$ref"/);
  assert.match(issueOf({ type: "object", not: deep }), /64 levels/);
  assert.match(issueOf({ type: "object", $ref: "#/$defs/l0", $defs: { ...chain, l100: {} } }), /64 levels/);
  assert.match(issueOf({ type: "object", properties: { a: { enum: values } } }), /1000 values/);

  const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };
  for (const usual of [pairs(5), tree, { type: "object", properties: { a: { enum: values.slice(1) } } }])
    assert.equal(issueOf(usual), "");
});

test("variables are allowed in a webhook's path and query, not in its host", () => {
  assert.equal(refusal({ webhookUrl: "https://shop.example/{{ customer }}/orders?id={{id}}" }), undefined);
  for (const webhookUrl of [
    "https://{{host}}/",
    "https://{{host}}.example?x",
    "https://user:secret@shop.example/",
    "https://exa mple/",
    "https://[::1/",
    "https://",
  ]) {
    assert.equal(refusal({ webhookUrl }), "webhookUrl", webhookUrl);
  }
});

test("names are unique within an agent, and the built-in tool's name is reserved", () => {
  assert.equal(refusal({ name: "end_call" }), "name");
  assert.equal(refusal({ name: "add_to_do_not_call" }), "name");
  assert.equal(refusal({ name: "play_keypad_touch_tone" }), "name");
  const tools = add({});
  assert.throws(() => addTool(tools, "other", creation, now), { code: "invalid_body" });
  const two = addTool(tools, "other", { ...creation, name: "other" }, now);
  assert.throws(() => changeTool(two, "other", { name: "look_up" }, now), { code: "invalid_body" });
  assert.equal(changeTool(two, "other", { name: "other", enabled: false }, now)[1]?.enabled, false);
  assert.throws(() => changeTool(two, "third", {}, now), { code: "not_found" });
});

test("the number of tools per agent is limited", () => {
  const tools = Array.from({ length: 100 }, (_, index) => add({ name: `tool-${index}` })).flat();
  assert.throws(() => addTool(tools, "one", creation, now), { code: "invalid_body" });
});
