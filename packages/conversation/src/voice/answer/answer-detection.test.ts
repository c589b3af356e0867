import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import {
  type AnswerEffect,
  type AnswerEvent,
  type AnsweredBy,
  type AnswerRules,
  type AnswerState,
  answerStep,
  initialAnswerState,
} from "./answer-detection.ts";

const WINDOW_MS = 32;

/** Drives the detection with windows; requested words come after a delay. */
class Answer {
  state: AnswerState;
  nowMs = 0;
  recognitionMs = 120;
  /** What a recognizer would write of the speech so far. */
  said = "";
  readonly effects: (AnswerEffect & { atMs: number })[] = [];
  #due: { atMs: number; isWhole: boolean } | undefined;

  constructor(rules: Partial<AnswerRules> = {}) {
    this.state = initialAnswerState({ language: "en", hasModel: false, ...rules }, 0);
  }

  get verdicts(): AnsweredBy[] {
    return this.effects.flatMap((effect) => (effect.type === "decided" ? [effect.by] : []));
  }

  get decidedAtMs(): number {
    return this.effects.find(({ type }) => type === "decided")?.atMs ?? Infinity;
  }

  get releasedAtMs(): number {
    return this.effects.find(({ type }) => type === "released")?.atMs ?? Infinity;
  }

  send(event: AnswerEvent): void {
    const { state, effects } = answerStep(this.state, event);
    this.state = state;
    for (const effect of effects) {
      this.effects.push({ ...effect, atMs: event.atMs });
      if (effect.type === "released") assert.ok(!state.isVoiced, "the agent may speak over the callee");
      if (effect.type === "requestWords")
        this.#due = { atMs: this.nowMs + this.recognitionMs, isWhole: false };
    }
  }

  /** Words of speech that takes 250 ms each, and then a pause. */
  speak(text: string, pauseMs = 0): this {
    for (const word of text.split(" ")) {
      this.said = `${this.said} ${word}`.trim();
      this.#pass(250, true);
    }
    return this.pause(pauseMs);
  }

  pause(durationMs: number): this {
    if (durationMs > 0 && this.said !== "")
      this.#due = { atMs: this.nowMs + WINDOW_MS + this.recognitionMs, isWhole: true };
    return this.#pass(durationMs, false);
  }

  beep(frequencyHz = 1000, durationMs = 400): this {
    this.send({ type: "tone", atMs: this.nowMs, frequencyHz, durationMs: 120, isOver: false });
    this.#pass(durationMs, false);
    this.send({ type: "tone", atMs: this.nowMs, frequencyHz, durationMs, isOver: true });
    return this;
  }

  #pass(durationMs: number, isVoiced: boolean): this {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs;) {
      this.nowMs += WINDOW_MS;
      this.send({ type: "window", atMs: this.nowMs, endMs: this.nowMs, isVoiced });
      if (this.#due === undefined || this.nowMs < this.#due.atMs) continue;
      const { isWhole } = this.#due;
      this.#due = undefined;
      this.send({ type: "words", atMs: this.nowMs, text: this.said, isWhole });
    }
    return this;
  }
}

test("a short hello is a person's as soon as it has ended", () => {
  const call = new Answer().pause(600).speak("Hello?");
  const endedAtMs = call.nowMs;
  call.pause(2_000);
  assert.deepEqual(call.verdicts, ["human"]);
  assert.ok(call.decidedAtMs - endedAtMs <= 400, String(call.decidedAtMs - endedAtMs));
});

test("a company's greeting is a person's, by its words, although it is long", () => {
  const call = new Answer().pause(400).speak("Parker and Sons this is Lucy how may I help you", 1_500);
  assert.deepEqual(call.verdicts, ["human"]);
});

test("a person who asks something is known before their words end, and the agent waits for the end", () => {
  const call = new Answer().pause(300).speak("Parker and Sons who is calling please we are rather busy");
  assert.deepEqual(call.verdicts, ["human"]);
  assert.equal(call.releasedAtMs, Infinity);
  const endedAtMs = call.nowMs;
  call.pause(1_000);
  assert.deepEqual(call.verdicts, ["human"]);
  assert.ok(call.releasedAtMs > endedAtMs + 300, String(call.releasedAtMs - endedAtMs));
});

test("a recording that asks something first is a recording, and the agent is not released before", () => {
  const call = new Answer().pause(300).speak("Hi who is there well I am out so leave a message", 300);
  assert.deepEqual(call.verdicts, ["human", "machine"]);
  assert.equal(call.releasedAtMs, Infinity);
});

test("a mailbox's greeting is recognized while it speaks", () => {
  const call = new Answer()
    .pause(300)
    .speak("Hi this is Sam I can't come to the phone right now so please leave");
  assert.deepEqual(call.verdicts, ["machine"]);
  assert.ok(call.decidedAtMs <= 4_500, String(call.decidedAtMs));
});

test("long speech without a cue is a recording's, if no model can be asked", () => {
  const words = "The wonderful world of winter wood and wool and wine of ours";
  assert.deepEqual(new Answer().pause(300).speak(`${words} ${words}`).verdicts, ["machine"]);
  // People who explain themselves speak so long too, and wait for an answer then.
  assert.deepEqual(new Answer().pause(300).speak(words, 900).verdicts, ["human"]);
});

test("the model decides words whose length and cues disagree, and is not waited for without end", () => {
  const text = "Well well dear guests and friends now";
  const asked = new Answer({ hasModel: true }).pause(300).speak(text, 600);
  const questions = asked.effects.flatMap((effect) => (effect.type === "ask" ? [effect.text] : []));
  assert.equal(questions.length, 1);
  assert.ok(text.startsWith(questions[0] ?? "?"), questions[0]);
  assert.deepEqual(asked.verdicts, []);
  asked.send({ type: "opinion", atMs: asked.nowMs, by: "machine" });
  assert.deepEqual(asked.verdicts, ["machine"]);
  const silent = new Answer({ hasModel: true }).pause(300).speak(text, 2_000);
  assert.deepEqual(silent.verdicts, ["human"]);
});

test("nobody's words are silence, which a recording corrects by any word, and a person by none", () => {
  const call = new Answer().pause(2_400);
  assert.deepEqual(call.verdicts, ["silence"]);
  call.speak("You have reached the Millers", 400);
  assert.deepEqual(call.verdicts, ["silence", "machine"]);
  assert.deepEqual(new Answer().pause(2_400).speak("Yes who is this", 500).verdicts, ["silence"]);
});

test("a recording that pauses after its hello corrects the verdict; a person who is not there does not", () => {
  const call = new Answer().pause(300).speak("Hello", 500);
  assert.deepEqual(call.verdicts, ["human"]);
  call.speak("please leave a message after the tone", 300);
  assert.deepEqual(call.verdicts, ["human", "machine"]);
  const person = new Answer().pause(300).speak("Hello", 500).speak("he is not available", 500);
  assert.deepEqual(person.verdicts, ["human"]);
});

test("a beep after words is a mailbox's; before any word only a silence after it makes it one", () => {
  assert.deepEqual(new Answer().pause(200).speak("Sam", 100).beep().verdicts, ["machine"]);
  assert.deepEqual(new Answer().pause(300).beep().pause(500).verdicts, []);
  assert.deepEqual(new Answer().pause(300).beep().pause(1_200).verdicts, ["machine"]);
  // A tone of the line before a person speaks.
  assert.deepEqual(new Answer().pause(300).beep().speak("Hello", 500).verdicts, ["human"]);
  // A ringing tone.
  assert.deepEqual(new Answer().beep(425, 1_000).pause(1_200).verdicts, []);
});

test("a fax machine is recognized by its tones", () => {
  const answering = new Answer().pause(400);
  answering.send({ type: "tone", atMs: 800, frequencyHz: 2100, durationMs: 320, isOver: false });
  assert.deepEqual(answering.verdicts, ["fax"]);
  assert.deepEqual(new Answer().pause(400).beep(1100, 500).verdicts, ["fax"]);
});

test("a screening service and a menu are neither a person nor a mailbox", () => {
  const text = "Please state your name after the tone and stay on the line";
  assert.deepEqual(new Answer().pause(300).speak(text, 600).verdicts, ["screening"]);
  assert.deepEqual(new Answer().pause(300).speak("For sales press one", 600).verdicts, ["screening"]);
});

test("a menu that does not pause is recognized while it speaks, and the agent waits for its end", () => {
  const words = Array.from({ length: 40 }, () => "one").join(" ");
  const call = new Answer().pause(300).speak(`For sales press one ${words}`);
  assert.deepEqual(call.verdicts, ["screening"]);
  assert.ok(call.decidedAtMs <= 8_000, String(call.decidedAtMs));
  assert.equal(call.releasedAtMs, Infinity);
  call.pause(600);
  assert.ok(call.releasedAtMs < Infinity);
  assert.deepEqual(call.verdicts, ["screening"]);
});

test("noise without words is forgotten", () => {
  const call = new Answer();
  call.send({ type: "window", atMs: 320, endMs: 320, isVoiced: true });
  call.send({ type: "window", atMs: 352, endMs: 352, isVoiced: false });
  call.send({ type: "words", atMs: 480, text: "", isWhole: true });
  call.nowMs = 480;
  call.pause(2_000);
  assert.deepEqual(call.verdicts, ["silence"]);
});

test("whatever is heard, a verdict comes in time and is corrected at most once, to a recording or a fax machine", () => {
  const random = seededRandom(20);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const words = [
    "hello",
    "yes",
    "please",
    "leave",
    "a",
    "message",
    "press",
    "one",
    "name",
    "the",
    "tone",
    "we",
  ];
  for (let run = 0; run < 3_000; run++) {
    const call = new Answer({ hasModel: random() < 0.5, language: pick(["en", "de", "xx"]) });
    call.recognitionMs = random() * 1_500;
    for (let step = 0; step < 12; step++) {
      const kind = random();
      if (kind < 0.4)
        call.speak(Array.from({ length: 1 + Math.floor(random() * 9) }, () => pick(words)).join(" "));
      else if (kind < 0.8) call.pause(random() * 2_500);
      else if (kind < 0.9) call.beep(pick([425, 1000, 1100, 2100]), 120 + random() * 900);
      else
        call.send({ type: "opinion", atMs: call.nowMs, by: pick(["human", "machine", undefined] as const) });
    }
    call.pause(3_000);
    const what = JSON.stringify({ run, verdicts: call.verdicts, said: call.said });
    assert.ok(call.verdicts.length === 1 || call.verdicts.length === 2, what);
    const [first, second] = call.verdicts;
    if (second !== undefined) {
      assert.ok(first !== "machine" && first !== "fax", what);
      assert.ok(second === "machine" || second === "fax", what);
    }
    const releases = call.effects.filter(({ type }) => type === "released").length;
    const isRecording = ["machine", "fax"].includes(call.verdicts.at(-1) ?? "");
    assert.ok(releases === 1 || (releases === 0 && isRecording), what);
    assert.ok(call.decidedAtMs <= 12_000, `${call.decidedAtMs} ${what}`);
    assert.ok(call.effects.filter(({ type }) => type === "requestWords").length <= 12, what);
    assert.ok(call.effects.filter(({ type }) => type === "ask").length <= 1, what);
    const after = answerStep(call.state, { type: "window", atMs: 60_000, endMs: 60_000, isVoiced: true });
    assert.deepEqual(after.effects, []);
  }
});
