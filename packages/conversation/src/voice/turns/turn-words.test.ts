import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyEnding, openEndingProbability, type TurnEnding } from "./turn-words.ts";

function endings(agentText: string, texts: Readonly<Record<string, TurnEnding>>, language = "en-GB"): void {
  for (const [text, ending] of Object.entries(texts)) {
    assert.equal(classifyEnding(text, { language, agentText }), ending, text);
  }
}

test("a sentence that breaks off is unfinished, even if the recognizer adds a full stop", () => {
  endings("", {
    "I would like to book a table for.": "unfinished",
    "It is on Monday, and": "unfinished",
    "My name is": "unfinished",
    "So, uh,": "unfinished",
    "Could you please send the?": "unfinished",
    "I would like to book a table.": "statement",
  });
});

test("some words are mostly followed by others and sometimes end a sentence", () => {
  endings("", {
    "I need it by": "trailing",
    "No, I can't do that.": "trailing",
    "I would like to move it to the day after.": "trailing",
  });
});

test("alternatives of the last word count in proportion to their probability", () => {
  const context = { language: "en", agentText: "" };
  const choices = [
    { text: "full", probability: 0.6 },
    { text: "for", probability: 0.2 },
    { text: "", probability: 0.1 },
  ];
  const shareOf = (text: string): number => {
    const share = openEndingProbability({ text, certainty: { confidence: 0.9, lastWord: choices } }, context);
    return Math.round(share * 100) / 100;
  };
  assert.equal(shareOf("I would like to book a table full."), 0.2);
  assert.equal(shareOf("I was there with full."), 0.3);
  assert.equal(openEndingProbability({ text: "a table for" }, context), 1);
  assert.equal(openEndingProbability({ text: "I would like a table" }, context), 0);
});

test("a question may end in a word that no statement ends in", () => {
  endings("", {
    "What do you need it for?": "question",
    "When does the shop close?": "question",
    "Can I park behind the building?": "question",
  });
});

test("one or two words are a whole answer only after a question of the agent", () => {
  endings("Would you like to book it?", { Yes: "answer", "No, thank you.": "closed", "At nine": "answer" });
  endings("I have booked it.", { Tuesday: "fragment" });
});

test("a number being read out continues until it has a usual number of digits", () => {
  endings("", {
    "My number is five five five": "number",
    "555 236": "number",
    "555-236-7891": "wholeNumber",
    "zero two zero seven nine four six zero nine five eight": "wholeNumber",
    "I have two": "statement",
  });
  endings("What is your phone number?", {
    "double seven": "number",
    "It is four": "number",
    "One fool": "number",
  });
});

test("a thank-you closes the turn", () => {
  endings("", { "That sounds very good, thank you.": "closed", "I'd like the blue one, please": "closed" });
});

test("words of other languages are not interpreted", () => {
  endings("", { "Ich möchte einen Tisch für": "unknown" }, "de");
});
