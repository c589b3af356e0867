import assert from "node:assert/strict";
import { test } from "node:test";
import { createDocument } from "./agent-document.rules.ts";
import { fixedSpeechOf } from "./fixed-speech.rules.ts";

const document = {
  ...createDocument({ name: "Front desk" }),
  firstMessage: "Hello, this is the library.",
  firstMessageOutbound: "Hello, {{name}}.",
  voiceSpeed: 1.1,
};

const LOCAL = { textToSpeech: { provider: "local" }, providerAccess: {} } as const;
const ELEVENLABS = {
  textToSpeech: { provider: "elevenlabs" },
  providerAccess: { elevenlabs: { baseUrl: "https://voices.example" } },
} as const;

test("the message for mailboxes is fixed if it is left", () => {
  const leaving = { ...document, voicemailAction: "leave_message", voicemailMessage: "Call us." } as const;
  assert.deepEqual(fixedSpeechOf({ ...leaving, voicemailEnabled: true }, LOCAL)?.texts.slice(-1), [
    "Call us.",
  ]);
  assert.ok(fixedSpeechOf(leaving, LOCAL)?.texts.includes("Call us.") === false);
});

test("greetings without variables are fixed, in each direction", () => {
  const { texts, speed, voice } = fixedSpeechOf(document, LOCAL) ?? {};
  assert.deepEqual([texts, speed, voice], [["Hello, this is the library."], 1.1, document.voiceId ?? ""]);
  const outbound = fixedSpeechOf({ ...document, firstMessageOutbound: "We call you back." }, LOCAL);
  assert.deepEqual(outbound?.texts, ["Hello, this is the library.", "We call you back."]);
});

test("the agent's own phrases are fixed, those of its language are prepared anyway", () => {
  const phrases = { ...document.phrases, fillers: ["One moment, I look it up."], farewell: "Bye, {{name}}." };
  assert.deepEqual(fixedSpeechOf({ ...document, phrases }, LOCAL)?.texts, [
    "Hello, this is the library.",
    "One moment, I look it up.",
  ]);
});

test("a greeting worded by the model is not fixed, nor is an absent one", () => {
  assert.deepEqual(fixedSpeechOf({ ...document, firstMessageMode: "generated" }, LOCAL)?.texts, []);
  assert.deepEqual(fixedSpeechOf({ ...document, firstMessage: null }, LOCAL)?.texts, []);
});

test("a vendor's voice has no fixed speech; a local voice beside a vendor has", () => {
  assert.equal(fixedSpeechOf({ ...document, voiceId: null }, ELEVENLABS), undefined);
  assert.equal(fixedSpeechOf({ ...document, voiceId: "elevenlabs/abc" }, ELEVENLABS), undefined);
  assert.equal(fixedSpeechOf({ ...document, voiceId: "dittli/male" }, ELEVENLABS)?.voice, "dittli/male");
});
