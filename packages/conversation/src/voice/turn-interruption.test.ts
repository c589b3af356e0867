import assert from "node:assert/strict";
import { test } from "node:test";
import { type Interjection, interrupts } from "./turn-interruption.ts";

const rules = { language: "en-GB", ignoreWords: [], minWords: 0 };
const AGENT_TEXT = "We are open from nine in the morning until six in the evening.";

const said = (text: string, agentText = AGENT_TEXT, voicedMs = 600): Interjection => ({
  text,
  agentText,
  voicedMs,
});

test("words that only show that one listens do not interrupt, in any spelling", () => {
  for (const text of ["Uh-huh.", "Mm-hmm", "Mhm.", "Okay, okay.", "Yeah, right.", "Oh, I see.", ""]) {
    assert.equal(interrupts(said(text), rules), false, text);
  }
  for (const text of ["Stop.", "No.", "Okay, but wait.", "I see a problem."]) {
    assert.equal(interrupts(said(text), rules), true, text);
  }
});

test("in another language only the listed words are ignored", () => {
  const german = { ...rules, language: "de", ignoreWords: ["Ja genau", "Aha"] };
  assert.equal(interrupts(said("Aha, ja genau.", ""), german), false);
  assert.equal(interrupts(said("Genau", ""), german), true);
});

test("fewer words than the least do not interrupt", () => {
  assert.equal(interrupts(said("Wait, please", ""), { ...rules, minWords: 3 }), false);
  assert.equal(interrupts(said("Wait a moment", ""), { ...rules, minWords: 3 }), true);
});

test("what the agent itself has just said is its echo", () => {
  assert.equal(interrupts(said("nine in the morning."), rules), false);
  assert.equal(interrupts(said("And on Sunday morning?"), rules), true);
});

test("one short word interrupts where it calls for attention, and else may be a misheard uh-huh", () => {
  assert.equal(interrupts(said("Stop!", "", 300), rules), true);
  assert.equal(interrupts(said("Clay.", "", 300), rules), false);
  assert.equal(interrupts(said("Clay.", "", 600), rules), true);
});
