import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInVariables, renderTemplate } from "./variables.rules.ts";

test("a variable is replaced wherever it stands, with or without spaces in the braces", () => {
  const { text } = renderTemplate("Hi {{name}}, {{ name }}!", { name: "Ada" });
  assert.equal(text, "Hi Ada, Ada!");
});

test("an unknown name renders empty and is reported once", () => {
  const rendered = renderTemplate("{{a}}-{{a}}-{{b}}", { b: "x" });
  assert.deepEqual(rendered, { text: "--x", unknownNames: ["a"] });
});

test("names of the language's own objects are not variables", () => {
  assert.deepEqual(renderTemplate("{{constructor}}", {}).unknownNames, ["constructor"]);
});

test("a value that looks like a variable is left as it is", () => {
  assert.equal(renderTemplate("{{a}}", { a: "{{b}}", b: "secret" }).text, "{{b}}");
});

test("the current time is told in the agent's time zone", () => {
  const variables = builtInVariables({
    callId: "c",
    fromNumber: "+15550100",
    toNumber: "+15550101",
    direction: "inbound",
    timezone: "America/New_York",
    now: new Date("2026-11-21T17:05:00Z"),
  });
  assert.match(variables["current_time"] ?? "", /Saturday.* 21 November 2026.* 12:05 \(America\/New_York\)/);
});
