import assert from "node:assert/strict";
import { test } from "node:test";
import { isFollowUp, readIntent } from "./small-talk.ts";

const examples: Record<string, string[]> = {
  question: [
    "what time do you open on Saturday",
    "is there anything vegan",
    "i need to cancel my appointment",
    "how do I say goodbye in Italian on your menu",
    "what is the right size",
    "do you repeat prescriptions",
    "can I get a hello kitty cake",
  ],
  goodbye: [
    "Great, thanks. Goodbye!",
    "okay bye",
    "thanks bye bye",
    "that's all, thank you",
    "no that's it thanks",
    "nothing else thank you",
    "have a nice day",
    "see you later",
  ],
  thanks: ["thank you", "okay great thanks a lot"],
  greeting: ["hello", "Hi there!", "good morning"],
  howAreYou: ["hi how are you", "How are you doing today?"],
  repeat: [
    "can you repeat that please",
    "sorry?",
    "pardon",
    "say that again",
    "I didn't catch that",
    "what did you say",
  ],
  identity: ["who are you", "who is this", "who am I speaking to", "what's your name"],
  isRobot: ["are you a robot", "am I talking to a real person", "is this a recording"],
  abilities: ["what can you do", "how can you help me", "I have a question"],
  canYouHear: ["can you hear me", "hello are you there"],
  no: ["no"],
  yes: ["yes", "okay", "yes please"],
  unclear: ["", "...", "?!"],
};

for (const [type, inputs] of Object.entries(examples)) {
  test(`${type} is recognized`, () => {
    for (const input of inputs) assert.equal(readIntent(input).type, type, input);
  });
}

test("courtesies are removed from a question", () => {
  const intent = readIntent("Hi, good morning! What time do you open?");
  assert.equal(intent.type === "question" && intent.text, "what time do you open");
});

test("short questions without a verb or with an initial conjunction refer to the one before", () => {
  for (const text of ["And on Sunday?", "what about children", "on Monday", "the small one"])
    assert.ok(isFollowUp(text), text);
  for (const text of ["Do you have parking?", "and I would also like to know if you take credit cards"]) {
    assert.ok(!isFollowUp(text), text);
  }
});

test("a goodbye is recognized in every spelling of recognizers", () => {
  for (const input of ["Great thanks, good-by.", "Goodby", "good bye", "Okay, goodbye!"]) {
    assert.equal(readIntent(input).type, "goodbye", input);
  }
});

test("a complete question that begins with “and” is independent", () => {
  assert.equal(isFollowUp("And how much is a check-up?"), false);
  assert.equal(isFollowUp("And on Sunday?"), true);
  assert.equal(isFollowUp("And is it free?"), true);
});
