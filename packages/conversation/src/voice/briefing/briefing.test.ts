import assert from "node:assert/strict";
import { test } from "node:test";
import { EnergyVoiceActivityDetector } from "../../testing/energy-voice-activity.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FakeSpeechToText } from "../../testing/fake-speech-to-text.ts";
import { FakeTextToSpeech } from "../../testing/fake-text-to-speech.ts";
import { tone } from "../../testing/tone.ts";
import { Briefing, type BriefingOutcome } from "./briefing.ts";
import { briefingTexts } from "./briefing-texts.ts";

const FRAME_MS = 20;
const SILENCE = new Int16Array(160);
const { opening, question } = briefingTexts("en");
const SUMMARY = "Ada wants to return a lamp.";

/** A person who is briefed, on a fake clock. */
class Person {
  readonly clock = new FakeClock();
  readonly stt = new FakeSpeechToText(this.clock);
  readonly tts = new FakeTextToSpeech(this.clock);
  readonly steps: string[] = [];
  readonly briefing: Briefing;
  outcome: BriefingOutcome | undefined;
  /** Frames in which we were heard. */
  spokenFrames = 0;

  constructor() {
    this.briefing = new Briefing({
      sampleRateHz: 8000,
      agent: {
        firstMessage: "Hello from the shop.",
        firstMessageDelayMs: 0,
        startSpeaker: "user",
        silenceEndCallTimeoutSeconds: 30,
        maxConversationDurationSeconds: 600,
        disableInterruptions: true,
        interruptionThresholdMs: 160,
        minInterruptionWords: 4,
        language: "en",
        voice: "fake",
        voiceSpeed: 1,
        sttKeyterms: [],
      },
      stt: this.stt,
      tts: this.tts,
      vad: new EnergyVoiceActivityDetector(),
      now: () => this.clock.nowMs,
      summary: Promise.resolve(SUMMARY),
      onStep: (text) => this.steps.push(text),
      onFault: ({ message }) => this.steps.push(`fault: ${message}`),
      timers: this.clock,
    });
    void this.briefing.outcome.then((outcome) => (this.outcome = outcome));
  }

  static async answers({ waitForHumanMs = 30_000 } = {}): Promise<Person> {
    const person = new Person();
    void person.briefing.prepare(new AbortController().signal);
    await person.clock.advance(1_000);
    person.briefing.waitForHuman(waitForHumanMs);
    person.briefing.start();
    return person;
  }

  async say(text: string, durationMs: number): Promise<void> {
    this.stt.hearWords(text);
    for (let ms = 0; ms < durationMs; ms += FRAME_MS) await this.#tick(tone(FRAME_MS, 8000, 6_000));
  }

  async waitUntil(condition: () => boolean, limitMs = 90_000): Promise<void> {
    for (let ms = 0; !condition(); ms += FRAME_MS) {
      if (ms > limitMs) assert.fail(`still waiting; steps: ${this.steps.join(" | ")}`);
      await this.#tick(SILENCE);
    }
  }

  async hears(text: string): Promise<void> {
    await this.waitUntil(() => this.steps.some((step) => step.includes(text)));
  }

  async begins(): Promise<void> {
    await this.waitUntil(() => this.spokenFrames > 20);
  }

  async #tick(pcm: Int16Array): Promise<void> {
    await this.clock.advance(FRAME_MS);
    this.briefing.hear(pcm);
    if (this.briefing.nextFrame() !== undefined) this.spokenFrames++;
  }
}

test("a person hears what the call is about and takes it by voice", async () => {
  const person = await Person.answers();
  await person.say("Yes, hello?", 500);
  await person.hears(question);
  assert.deepEqual(person.steps, [
    "The person said: “Yes, hello?”",
    `The person heard: “${opening} ${SUMMARY} ${question}”`,
  ]);
  await person.say("Sure, put them through.", 900);
  await person.waitUntil(() => person.outcome !== undefined);
  assert.deepEqual(person.outcome, { isAccepted: true });
  assert.equal(person.steps.at(-1), "The person accepted with “Sure, put them through.”.");
  const { spokenFrames } = person;
  await person.say("Hello?", 500);
  assert.equal(person.spokenFrames, spokenFrames);
  assert.ok(person.stt.streams.every(({ isClosed }) => isClosed));
});

test("an answer during the summary counts, whatever the agent does with interruptions", async () => {
  const person = await Person.answers();
  await person.say("Hello?", 500);
  await person.begins();
  await person.say("Yes, put them through.", 900);
  await person.waitUntil(() => person.outcome !== undefined, 5_000);
  assert.deepEqual(person.outcome, { isAccepted: true });
});

test("keys decide at any time: 1 accepts, 2 refuses, others are answered with the question", async () => {
  const [accepting, refusing] = [await Person.answers(), await Person.answers()];
  await accepting.say("Hello?", 500);
  await accepting.begins();
  accepting.briefing.dtmf("5");
  await accepting.waitUntil(() => accepting.spokenFrames > 200);
  assert.equal(accepting.outcome, undefined);
  accepting.briefing.dtmf("1");
  refusing.briefing.dtmf("2");
  refusing.briefing.dtmf("1");
  await accepting.clock.advance(0);
  assert.deepEqual(accepting.outcome, { isAccepted: true });
  assert.match(accepting.steps.at(-2) ?? "", /^The person heard/);
  const refused = { isAccepted: false, failure: "refused", detail: "by pressing 2" };
  assert.deepEqual(refusing.outcome, refused);
});

test("something else is answered with the whole, and “no” refuses", async () => {
  const person = await Person.answers();
  await person.say("Hello?", 500);
  await person.hears(question);
  await person.say("Sorry, who is it?", 900);
  await person.waitUntil(() => person.steps.filter((step) => step.includes(SUMMARY)).length === 2);
  await person.say("No, I am in a meeting.", 900);
  await person.waitUntil(() => person.outcome !== undefined);
  const outcome = { isAccepted: false, failure: "refused", detail: "with “No, I am in a meeting.”" };
  assert.deepEqual(person.outcome, outcome);
});

test("a silent person is asked once more, and refuses by further silence", async () => {
  const person = await Person.answers();
  await person.say("Hello?", 500);
  await person.waitUntil(() => person.outcome !== undefined);
  assert.deepEqual(person.outcome, {
    isAccepted: false,
    failure: "refused",
    detail: "the person did not say",
  });
  assert.deepEqual(person.steps.slice(1, 3), [
    `The person heard: “${opening} ${SUMMARY} ${question}”`,
    `The person heard: “${question}”`,
  ]);
});

test("a mailbox hears nothing", async () => {
  const person = await Person.answers();
  await person.say(
    "Hi, this is Sam, I can't come to the phone, please leave a message after the tone",
    3_000,
  );
  await person.waitUntil(() => person.outcome !== undefined);
  assert.ok(person.outcome?.isAccepted === false && person.outcome.failure === "voicemail");
  assert.equal(person.spokenFrames, 0);
});

test("without a word of a person in time nobody is there", async () => {
  const person = await Person.answers({ waitForHumanMs: 5_000 });
  await person.waitUntil(() => person.outcome !== undefined, 5_100);
  assert.ok(person.outcome?.isAccepted === false && person.outcome.failure === "no answer");
});

test("a voice that fails ends it with the reason", async () => {
  const person = new Person();
  person.tts.behaviors.push("failForGood", "failForGood", "failForGood", "failForGood");
  person.briefing.start();
  await person.say("Hello?", 500);
  await person.waitUntil(() => person.outcome !== undefined);
  assert.ok(person.outcome?.isAccepted === false && person.outcome.failure === "unreachable");
});

test("a person who puts us on hold decides nothing, and the briefing ends", async () => {
  const person = await Person.answers();
  await person.say("Hello?", 500);
  await person.begins();
  for (let ms = 0; ms <= 120_000; ms += FRAME_MS) person.briefing.standStill(FRAME_MS);
  await person.clock.advance(0);
  const detail = "no decision in 120 s";
  assert.deepEqual(person.outcome, { isAccepted: false, failure: "refused", detail });
});

test("an end before the answer releases everything", async () => {
  const closed = new Person();
  void closed.briefing.prepare(new AbortController().signal);
  closed.briefing.close();
  await closed.clock.advance(0);
  assert.ok(closed.outcome?.isAccepted === false && closed.outcome.failure === "hung up");
  assert.ok(closed.stt.streams.every(({ isClosed }) => isClosed));
});
