import assert from "node:assert/strict";
import { test } from "node:test";
import { readPrompt } from "./prompt-knowledge.ts";

const spoken = (prompt: string): string[] => readPrompt(prompt).facts.map((fact) => fact.spoken);

test("an instruction to the agent is not a fact", () => {
  const prompt = `You are Robin. You speak softly. Be polite, and never argue.
If the caller is angry, stay calm. When asked about prices, say that they vary.
Do not give medical advice. Your goal is to book appointments. You must ask for a name.
End the call when they say goodbye. Always answer in English. Please keep it short.`;
  assert.deepEqual(spoken(prompt), []);
});

test("a section of rules is skipped as a whole, except for the agent's identity", () => {
  const prompt = `## Role
You are Ida.
The customer comes first.
## Prices
A wash costs ten euros.`;
  assert.deepEqual(spoken(prompt), ["A wash costs ten euros."]);
  assert.equal(readPrompt(prompt).identity, "I am Ida.");
});

test("sentences for callers are facts even if they begin like instructions", () => {
  const prompt =
    "If you cancel within a day, we charge ten pounds. You can park behind the house. Call us on 555 0100.";
  assert.deepEqual(spoken(prompt), [
    "If you cancel within a day, we charge ten pounds.",
    "You can park behind the house.",
    "Call us on 555 0100.",
  ]);
});

test("list items repeat their heading, sentences do not", () => {
  const prompt = `**Hours**
- Monday: closed
* We open at 9 a.m. on Sundays.
Prices:
1. Haircut: **20** pounds`;
  assert.deepEqual(spoken(prompt), [
    "Hours: Monday: closed.",
    "We open at 9 a.m. on Sundays.",
    "Prices: Haircut: 20 pounds.",
  ]);
  assert.deepEqual(readPrompt(prompt).topics, ["Hours", "Prices"]);
});

test("an answer is a fact that its question finds", () => {
  const [fact] = readPrompt("Q: Do you have Wi-Fi?\nA: Yes, ask at the desk. It is free.").facts;
  assert.equal(fact?.spoken, "Yes, ask at the desk. It is free.");
  assert.deepEqual(fact?.about, ["Yes, ask at the desk. It is free.", "Do you have Wi-Fi?"]);
});

test("statements about the agent's company are read out in the first person", () => {
  const knowledge = readPrompt(
    "You are Mo from Acme and you love your work. You offer free delivery. Your address is Hill 1.",
  );
  assert.equal(knowledge.identity, "I am Mo from Acme and I love my work.");
  assert.deepEqual(
    knowledge.facts.map((fact) => fact.spoken),
    ["We offer free delivery.", "Our address is Hill 1."],
  );
});

test("times and titles do not end sentences", () => {
  assert.deepEqual(spoken("We close at 5 p.m. Mondays. Dr. Moreau sees children."), [
    "We close at 5 p.m. Mondays.",
    "Dr. Moreau sees children.",
  ]);
});
