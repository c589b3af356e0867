import assert from "node:assert/strict";
import { test } from "node:test";
import { interrupts, isCommand, type SpokenOver } from "./turn-interruption.ts";

const sentence = (text: string): SpokenOver => ({ text, voicedMs: 1200 });
const rules = { language: "en-GB", ignoreWords: [], ignoresBackchannels: true, minWords: 0 };
const agentText = "We are open from nine in the morning until six in the evening.";

test("words that only show attention do not interrupt, in any spelling", () => {
  for (const text of ["Uh-huh.", "Mm-hmm", "Mhm.", "Okay, okay.", "Yeah, right.", "Oh, I see.", ""]) {
    assert.equal(interrupts(sentence(text), rules, agentText), false, text);
  }
  for (const text of ["Stop.", "No.", "Okay, but wait.", "I see a problem."]) {
    assert.equal(interrupts(sentence(text), rules, agentText), true, text);
  }
});

test("in another language its own words and the listed ones are ignored, not the English ones", () => {
  const german = { ...rules, language: "de", ignoreWords: ["Na logo"] };
  assert.equal(interrupts(sentence("Aha, ja genau, na logo."), german, ""), false);
  assert.equal(interrupts(sentence("Exactly"), german, ""), true);
  const onlyListed = { ...german, ignoresBackchannels: false };
  assert.equal(interrupts(sentence("Na logo"), onlyListed, ""), false);
  assert.equal(interrupts(sentence("Genau"), onlyListed, ""), true);
});

test("fewer words than the minimum do not interrupt", () => {
  assert.equal(interrupts(sentence("Wait, please"), { ...rules, minWords: 3 }, ""), false);
  assert.equal(interrupts(sentence("Wait a moment"), { ...rules, minWords: 3 }, ""), true);
});

test("the agent's own recent words are its echo", () => {
  assert.equal(interrupts(sentence("nine in the morning."), rules, agentText), false);
  assert.equal(interrupts(sentence("And on Sunday morning?"), rules, agentText), true);
  const words = "We open at nine in the morning, and on Sunday until one.";
  assert.equal(interrupts(sentence("Hold on and hold on."), rules, words), true);
  const both = "We are open from nine in the morning until six please book me a table";
  assert.equal(interrupts(sentence(both), rules, agentText), true);
});

test("a sound too short for words interrupts only if it is an interrupting word or answers a question", () => {
  const brief = (text: string): SpokenOver => ({ text, voicedMs: 380 });
  for (const text of ["That's all.", "Clay."]) {
    assert.equal(interrupts(brief(text), rules, agentText), false, text);
    assert.equal(interrupts(sentence(text), rules, agentText), true, text);
  }
  for (const text of ["Wait.", "Stuff", "Bye!"])
    assert.equal(interrupts(brief(text), rules, agentText), true, text);
  assert.equal(interrupts(brief("Tuesday."), rules, "On which day? We are open"), true);
  assert.equal(interrupts(brief("Warte."), { ...rules, language: "de" }, agentText), true);
});

test("a short word that the recognizer finds likely to be a command counts as one", () => {
  const heard = (text: string, probability: number): SpokenOver => ({
    text,
    voicedMs: 200,
    certainty: {
      confidence: 0.4,
      lastWord: [
        { text: "So", probability: 0.3 },
        { text: "Stop", probability },
      ],
    },
  });
  assert.equal(isCommand(heard("So", 0.24), rules, agentText), true);
  assert.equal(interrupts(heard("So", 0.24), rules, agentText), true);
  assert.equal(isCommand(heard("So", 0.05), rules, agentText), false);
  assert.equal(isCommand(heard("I think so", 0.24), rules, agentText), false);
});
