import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import type { SampleRateHz } from "../providers/speech-to-text.ts";
import type { TextToSpeech, TextToSpeechEvent, TextToSpeechStream } from "../providers/text-to-speech.ts";

/** An adapter under test with the server behind it. */
export interface TextToSpeechSubject {
  tts: TextToSpeech;
  voice: string;
  sampleRateHz: SampleRateHz;
  close?: () => Promise<void> | void;
}

/** Maximum wait for an answer. */
const ANSWER_DEADLINE_MS = 20_000;
/** Time in which an unwanted event would arrive. */
const QUIET_MS = 150;
const CLAUSES = [
  "Good morning, this is a test.",
  "It has more than one clause.",
  "This is the last of them.",
];

/** Registers the tests that every speech synthesizer must pass, under the adapter's name. */
export function textToSpeechConformance(
  name: string,
  makeSubject: () => Promise<TextToSpeechSubject> | TextToSpeechSubject,
): void {
  function check(behavior: string, body: (session: Session) => Promise<void>): void {
    test(`${name}: ${behavior}`, async () => {
      const subject = await makeSubject();
      const session = new Session(subject);
      try {
        await body(session);
      } finally {
        session.stream.close();
        await subject.close?.();
      }
    });
  }

  check("clauses are spoken in order, each ended once and before the next begins", async (session) => {
    session.speakAll();
    await session.ended();
    const order = session.events.flatMap((event) => {
      if (event.type === "audio") return [`audio ${event.clauseId}`];
      return event.type === "clauseEnded" ? [`end ${event.clauseId}`] : [];
    });
    const runs = order.filter((entry, i) => entry !== order[i - 1]);
    assert.deepEqual(
      runs,
      CLAUSES.flatMap((_, i) => [`audio ${i + 1}`, `end ${i + 1}`]),
    );
  });

  check("the audio is as long as a voice needs for the text, and not silent", async (session) => {
    session.speakAll();
    await session.ended();
    const seconds = session.samples / session.subject.sampleRateHz;
    const characters = CLAUSES.join(" ").length;
    assert.ok(
      seconds > characters / 40 && seconds < characters / 5,
      `${seconds} s for ${characters} characters`,
    );
    assert.ok(session.peak > 500, `peak ${session.peak}`);
  });

  check("after the last audio comes one ended and nothing more", async (session) => {
    session.speakAll();
    await session.ended();
    await sleep(QUIET_MS);
    assert.equal(session.events.filter(({ type }) => type === "ended").length, 1);
    assert.equal(session.events.at(-1)?.type, "ended");
  });

  check("speech begins before the text is complete", async (session) => {
    session.stream.speak(1, CLAUSES[0] ?? "");
    await session.until(() => session.events.some(({ type }) => type === "audio"));
    session.stream.speak(2, CLAUSES[1] ?? "");
    session.stream.end();
    await session.ended();
    assert.ok(session.events.some((event) => event.type === "audio" && event.clauseId === 2));
  });

  check("a reply without a clause ends without audio", async (session) => {
    session.stream.end();
    await session.ended();
    assert.equal(session.samples, 0);
  });

  check("after pause and resume the rest is spoken", async (session) => {
    session.speakAll();
    await session.until(() => session.samples > 0);
    session.stream.pause();
    await sleep(QUIET_MS);
    session.stream.resume();
    await session.ended();
    assert.ok(
      session.events.some((event) => event.type === "clauseEnded" && event.clauseId === CLAUSES.length),
    );
  });

  check("no event follows close, which may be called twice", async (session) => {
    session.speakAll();
    await session.until(() => session.samples > 0);
    session.stream.close();
    session.stream.close();
    const count = session.events.length;
    await sleep(QUIET_MS);
    assert.equal(session.events.length, count);
  });

  check("word timings lie within their clause and do not go back", async (session) => {
    session.speakAll();
    await session.ended();
    for (let id = 1; id <= CLAUSES.length; id++) {
      const words = session.events.flatMap((event) =>
        event.type === "words" && event.clauseId === id ? event.words : [],
      );
      let previousMs = 0;
      for (const { text, startMs, endMs } of words) {
        assert.ok(
          startMs >= previousMs && endMs >= startMs,
          `${text} ${startMs}–${endMs} after ${previousMs}`,
        );
        assert.ok((CLAUSES[id - 1] ?? "").includes(text.trim()), text);
        previousMs = startMs;
      }
      assert.ok(previousMs <= session.clauseMs(id) + 100);
    }
  });
}

class Session {
  readonly subject: TextToSpeechSubject;
  readonly stream: TextToSpeechStream;
  readonly events: TextToSpeechEvent[] = [];
  samples = 0;
  peak = 0;

  constructor(subject: TextToSpeechSubject) {
    this.subject = subject;
    this.stream = subject.tts.open({
      voice: subject.voice,
      sampleRateHz: subject.sampleRateHz,
      language: "en",
      speed: 1,
      onEvent: (event) => this.#receive(event),
    });
    assert.equal(this.events.length, 0, "no event comes before open has returned");
  }

  speakAll(): void {
    CLAUSES.forEach((text, i) => this.stream.speak(i + 1, text));
    this.stream.end();
  }

  async ended(): Promise<void> {
    await this.until(() => this.events.some(({ type }) => type === "ended"));
  }

  clauseMs(clauseId: number): number {
    const samples = this.events.reduce(
      (sum, event) => (event.type === "audio" && event.clauseId === clauseId ? sum + event.pcm.length : sum),
      0,
    );
    return (samples * 1000) / this.subject.sampleRateHz;
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + ANSWER_DEADLINE_MS;
    while (!condition()) {
      const failure = this.events.find((event) => event.type === "failed");
      if (failure !== undefined) throw failure.error;
      assert.ok(Date.now() < deadline, `nothing within ${ANSWER_DEADLINE_MS} ms`);
      await sleep(10);
    }
  }

  #receive(event: TextToSpeechEvent): void {
    this.events.push(event);
    if (event.type !== "audio") return;
    this.samples += event.pcm.length;
    for (const sample of event.pcm) this.peak = Math.max(this.peak, Math.abs(sample));
  }
}
