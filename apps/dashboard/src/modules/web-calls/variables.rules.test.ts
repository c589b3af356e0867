import assert from "node:assert/strict";
import { test } from "node:test";
import { rebaseRows, rowsOf, valuesOf, withValues } from "./variables.rules.ts";

test("what the agent has is a row each, and says nothing until it is given a value", () => {
  const rows = rowsOf({ order: "4711", customer: "Ada" });
  assert.deepEqual(
    rows.map(({ name, configured }) => [name, configured]),
    [
      ["customer", "Ada"],
      ["order", "4711"],
    ],
  );
  assert.deepEqual(valuesOf(rows), {});
});

test("values that were given are sent under their trimmed names; rows without a name are not", () => {
  const [first, second] = rowsOf({ customer: "Ada", order: "" });
  assert(first !== undefined && second !== undefined);
  const rows = [
    { ...first, value: "Grace" },
    { ...second, name: " city ", value: "Oslo" },
    { ...second, name: " ", value: "lost" },
  ];
  assert.deepEqual(valuesOf(rows), { customer: "Grace", city: "Oslo" });
});

test("a value keeps the type that the agent's variable has, if the text allows it", () => {
  const rows = rowsOf({ age: 42, vip: true, name: "7", none: null });
  const withValues = (values: Record<string, string>) =>
    valuesOf(rows.map((row) => ({ ...row, value: values[row.name] ?? "" })));
  assert.deepEqual(withValues({ age: "43.5", vip: "false", name: "8", none: "9" }), {
    age: 43.5,
    vip: false,
    name: "8",
    none: "9",
  });
  assert.deepEqual(withValues({ age: "old", vip: "no" }), { age: "old", vip: "no" });
});

test("the variables of an earlier call are filled in where they differ, and keep their types", () => {
  const rows = withValues(rowsOf({ age: 42, name: "Ada" }), {
    age: 43,
    name: "Ada",
    city: "Oslo",
    vip: true,
  });
  assert.deepEqual(
    rows.map(({ name, value, isKnown }) => [name, value, isKnown]),
    [
      ["age", "43", true],
      ["name", "", true],
      ["city", "Oslo", false],
      ["vip", "true", false],
    ],
  );
  assert.deepEqual(valuesOf(rows), { age: 43, city: "Oslo", vip: true });
});

test("what was written stays if the agent is saved with other variables meanwhile", () => {
  const written = withValues(rowsOf({ age: 42, name: "Ada" }), { age: 43, city: "Oslo" });
  const rows = rebaseRows(written, { age: 40, city: "Bergen", order: "1" });
  assert.deepEqual(
    rows.map(({ name, value, isKnown }) => [name, value, isKnown]),
    [
      ["age", "43", true],
      ["city", "Oslo", true],
      ["order", "", true],
    ],
  );
  const renamed = rebaseRows(written, {});
  assert.deepEqual(
    renamed.map(({ name, value, isKnown }) => [name, value, isKnown]),
    [
      ["age", "43", false],
      ["city", "Oslo", false],
    ],
  );
});
