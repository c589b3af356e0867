import assert from "node:assert/strict";
import { test } from "node:test";
import { setBuiltInVariables, renderTemplate } from "./variables.rules.ts";

test("every occurrence of a variable is replaced, with or without spaces in the braces", () => {
  const { text } = renderTemplate("Hi {{name}}, {{ name }}!", { name: "Ada" });
  assert.equal(text, "Hi Ada, Ada!");
});

test("an unknown name renders as empty text and is reported once", () => {
  const rendered = renderTemplate("{{a}}-{{a}}-{{b}}", { b: "x" });
  assert.deepEqual(rendered, { text: "--x", unknownNames: ["a"] });
});

test("property names of JavaScript objects are not variables", () => {
  assert.deepEqual(renderTemplate("{{constructor}}", {}).unknownNames, ["constructor"]);
});

test("numbers, booleans and null render as text, null as empty text", () => {
  const variables = { age: 42, price: -0.5, zero: 0, vip: true, off: false, none: null };
  const { text, unknownNames } = renderTemplate(
    "{{age}} {{price}} {{zero}} {{vip}} {{off}} <{{none}}>",
    variables,
  );
  assert.deepEqual([text, unknownNames], ["42 -0.5 0 true false <>", []]);
});

test("a value that looks like a variable is not rendered again", () => {
  assert.equal(renderTemplate("{{a}}", { a: "{{b}}", b: "secret" }).text, "{{b}}");
});

test("the current time is in the agent's time zone", () => {
  const variables = setBuiltInVariables({
    callId: "c",
    fromNumber: "+15550100",
    toNumber: "+15550101",
    direction: "inbound",
    timezone: "America/New_York",
    now: new Date("2026-11-21T17:05:00Z"),
  });
  assert.match(variables.current_time, /Saturday.* 21 November 2026.* 12:05 \(America\/New_York\)/);
});
