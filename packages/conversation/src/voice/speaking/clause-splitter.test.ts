import assert from "node:assert/strict";
import { test } from "node:test";
import { ClauseSplitter } from "./clause-splitter.ts";

/** Splits a text that arrives in pieces of `size` characters. */
function split(text: string, size = 3): string[] {
  const splitter = new ClauseSplitter();
  const clauses: string[] = [];
  for (let i = 0; i < text.length; i += size) clauses.push(...splitter.push(text.slice(i, i + size)));
  clauses.push(...splitter.flush());
  assert.equal(clauses.join(""), text);
  return clauses.map((clause) => clause.trim());
}

test("the first clause ends at its first pause, later ones at the ends of sentences", () => {
  assert.deepEqual(split("We do have rooms, of course. They are large, quiet and cheap. Shall I book?"), [
    "We do have rooms,",
    "of course.",
    "They are large, quiet and cheap.",
    "Shall I book?",
  ]);
});

test("a first clause of one short word waits for more text", () => {
  assert.deepEqual(split("Yes, we are open. Come in."), ["Yes, we are open.", "Come in."]);
});

test("a first clause without punctuation is cut after some words", () => {
  const [first = ""] = split(`The thing that I wanted to tell you ${"about it ".repeat(10)}is this.`);
  assert.ok(first.length >= 40 && first.length <= 70, first);
});

test("the first clause is ready before its sentence is", () => {
  const splitter = new ClauseSplitter();
  assert.deepEqual(splitter.push("We do have rooms, and"), ["We do have rooms, "]);
});

for (const text of [
  "You will meet Dr. Smith and Mrs. Jones of St. Mary's.",
  "It takes 3.5 hours and costs $1,299.00 in all.",
  "We open at 9 a.m. and close late.",
  "The U.S. Army and J. R. Tolkien met there.",
  "Look at parley.example.com for it.",
  "Bring pens, paper, etc. with you.",
]) {
  test(`no sentence ends within: ${text}`, () => {
    assert.deepEqual(split(`Let me start with this. ${text}`), ["Let me start with this.", text]);
  });
}

test("a full stop before a capital ends a sentence also after a number", () => {
  assert.deepEqual(split("I am sure about this. It was in 1999. Then it closed."), [
    "I am sure about this.",
    "It was in 1999.",
    "Then it closed.",
  ]);
});

test("a list number belongs to its item", () => {
  assert.deepEqual(split("Here is how it works:\n1. Pay the bill.\n2. Go home."), [
    "Here is how it works:",
    "1. Pay the bill.",
    "2. Go home.",
  ]);
});

test("an ellipsis does not end a sentence that continues", () => {
  assert.deepEqual(split("I will just check. Well... maybe it is here... Yes! It is."), [
    "I will just check.",
    "Well... maybe it is here...",
    "Yes!",
    "It is.",
  ]);
});

test("a closing quotation mark belongs to its sentence", () => {
  assert.deepEqual(split('She said to me: "Come back." Then she left. (Really.) So.'), [
    "She said to me:",
    '"Come back."',
    "Then she left.",
    "(Really.)",
    "So.",
  ]);
});

test("scripts without spaces are split at their own marks", () => {
  assert.deepEqual(split("はい、営業しています。何名様ですか？お待ちしています。", 1), [
    "はい、営業しています。",
    "何名様ですか？",
    "お待ちしています。",
  ]);
});

test("no clause exceeds its maximum length", () => {
  for (const text of ["word ".repeat(200), "あいうえお".repeat(200), "x".repeat(1000), "a, ".repeat(400)]) {
    for (const clause of split(text, 7)) assert.ok(clause.length <= 220, `${clause.length}`);
  }
});

test("the pieces in which the text arrives do not change the clauses", () => {
  const text =
    'Well, let me see... Dr. Who, at 3.5 p.m., said: "Yes!" And no.\n\n- One\n- Two, 1,000 of them. 了解です。';
  const whole = split(text, 1);
  for (const size of [2, 3, 5, 11]) assert.deepEqual(split(text, size), whole);
});
