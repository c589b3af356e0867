import assert from "node:assert/strict";
import { test } from "node:test";
import { interrupts } from "./turn-interruption.ts";

const rules = { language: "en-GB", ignoreWords: [], minWords: 0 };
const agentText = "We are open from nine in the morning until six in the evening.";

test("words that only show that one listens do not interrupt, in any spelling", () => {
  for (const text of ["Uh-huh.", "Mm-hmm", "Mhm.", "Okay, okay.", "Yeah, right.", "Oh, I see.", ""]) {
    assert.equal(interrupts(text, rules, agentText), false, text);
  }
  for (const text of ["Stop.", "No.", "Okay, but wait.", "I see a problem."]) {
    assert.equal(interrupts(text, rules, agentText), true, text);
  }
});

test("in another language only the listed words are ignored", () => {
  const german = { ...rules, language: "de", ignoreWords: ["Ja genau", "Aha"] };
  assert.equal(interrupts("Aha, ja genau.", german, ""), false);
  assert.equal(interrupts("Genau", german, ""), true);
});

test("fewer words than the least do not interrupt", () => {
  assert.equal(interrupts("Wait, please", { ...rules, minWords: 3 }, ""), false);
  assert.equal(interrupts("Wait a moment", { ...rules, minWords: 3 }, ""), true);
});

test("what the agent itself has just said is its echo", () => {
  assert.equal(interrupts("nine in the morning.", rules, agentText), false);
  assert.equal(interrupts("And on Sunday morning?", rules, agentText), true);
});
