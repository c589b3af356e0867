import assert from "node:assert/strict";
import { test } from "node:test";
import { hasMoreValues } from "./json-values.ts";

test("values in lists, objects and nested ones are counted", () => {
  for (const value of [[1, 2, 3], { a: 1, b: 2, c: 3 }, [[[]]], { a: { b: {} } }, [{ a: 1 }, 2]]) {
    const json = JSON.stringify(value);
    assert.equal(hasMoreValues(json, 3), false, json);
    assert.equal(hasMoreValues(json, 2), true, json);
  }
});

test("text inside strings is not counted, including escaped quotes and backslashes", () => {
  for (const text of [",[{,[{", '",[{"', '\\",[{', "\\\\", '\\\\",', "é\u2028,"])
    assert.equal(hasMoreValues(JSON.stringify({ [text]: text, other: text }), 2), false, text);
});

test("any text is accepted", () => {
  for (const text of ["", '"', "\\", '"\\', "nul", "]]]]"]) assert.equal(hasMoreValues(text, 0), false, text);
  assert.equal(hasMoreValues("[".repeat(100), 99), true);
});
