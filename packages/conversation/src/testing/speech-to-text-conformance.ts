import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import type {
  SampleRateHz,
  SpeechToText,
  SpeechToTextEvent,
  SpeechToTextStream,
} from "../providers/speech-to-text.ts";

/** An adapter under test with the server behind it. */
export interface SpeechToTextSubject {
  stt: SpeechToText;
  sampleRateHz: SampleRateHz;
  /** Speech that the recognizer understands, and the text expected for it. */
  speech: Int16Array;
  expected: RegExp;
  /** Makes the server fail the open stream, if it can. */
  breakConnection?: () => void;
  close?: () => Promise<void> | void;
}

/** Maximum wait for an answer. */
const ANSWER_DEADLINE_MS = 20_000;
/** Time in which an unwanted event would arrive. */
const QUIET_MS = 150;

/** Registers the tests that every speech recognizer must pass, under the adapter's name. */
export function speechToTextConformance(
  name: string,
  makeSubject: () => Promise<SpeechToTextSubject> | SpeechToTextSubject,
): void {
  function check(behavior: string, body: (session: Session, context: TestContext) => Promise<void>): void {
    test(`${name}: ${behavior}`, async (context) => {
      const subject = await makeSubject();
      const session = new Session(subject);
      try {
        await body(session, context);
      } finally {
        session.stream.close();
        await subject.close?.();
      }
    });
  }

  check("the text of an utterance comes with the id of the flush that asked for it", async (session) => {
    session.speak();
    session.stream.flush(7);
    const flushed = await session.flushed(7);
    assert.match(flushed.text, session.subject.expected);
    await sleep(QUIET_MS);
    assert.equal(session.events.filter(({ type }) => type === "flushed").length, 1);
  });

  check("a later flush supersedes an unanswered one", async (session) => {
    session.speak();
    session.stream.flush(1);
    session.stream.flush(2);
    await session.flushed(2);
    await sleep(QUIET_MS);
    const ids = session.events.flatMap((event) => (event.type === "flushed" ? [event.flushId] : []));
    assert.equal(ids.at(-1), 2);
    assert.ok(ids.length <= 2 && new Set(ids).size === ids.length, ids.join());
  });

  check("an utterance goes on after a flush and can be flushed again", async (session) => {
    session.speak();
    session.stream.flush(1);
    await session.flushed(1);
    session.write(session.subject.speech);
    session.stream.flush(2);
    assert.match((await session.flushed(2)).text, session.subject.expected);
  });

  check("a forgotten utterance leaves nothing to the next", async (session) => {
    session.speak();
    session.stream.flush(1);
    const { text } = await session.flushed(1);
    session.stream.endUtterance();
    session.speak();
    session.stream.flush(2);
    const next = await session.flushed(2);
    assert.ok(next.text.length < text.length * 1.5, `${text} / ${next.text}`);
  });

  check("no event follows close, which may be called twice", async (session) => {
    session.speak();
    session.stream.flush(1);
    session.stream.close();
    session.stream.close();
    const count = session.events.length;
    await sleep(QUIET_MS);
    assert.equal(session.events.length, count);
  });

  check(
    "a lost connection is reported once, as an error that says whether a retry may help",
    async (session, context) => {
      const { breakConnection } = session.subject;
      if (breakConnection === undefined) return context.skip("the subject cannot break its connection");
      session.speak();
      await sleep(QUIET_MS);
      breakConnection();
      await session.until(() => session.events.some(({ type }) => type === "failed"));
      await sleep(QUIET_MS);
      const failures = session.events.flatMap((event) => (event.type === "failed" ? [event.error] : []));
      assert.equal(failures.length, 1);
      assert.equal(failures[0]?.name, "ProviderError");
    },
  );
}

class Session {
  readonly subject: SpeechToTextSubject;
  readonly stream: SpeechToTextStream;
  readonly events: SpeechToTextEvent[] = [];

  constructor(subject: SpeechToTextSubject) {
    this.subject = subject;
    this.stream = subject.stt.open({
      sampleRateHz: subject.sampleRateHz,
      language: "en",
      keyterms: [],
      onEvent: (event) => this.events.push(event),
    });
    assert.equal(this.events.length, 0, "no event comes before open has returned");
  }

  /** Writes half a second of silence and then the speech, as an utterance. */
  speak(): void {
    this.write(new Int16Array(this.subject.sampleRateHz / 2));
    this.stream.startUtterance(320);
    this.write(this.subject.speech);
  }

  /** Writes in frames of 20 ms from one reused buffer, as a call does. */
  write(pcm: Int16Array): void {
    const frame = new Int16Array(this.subject.sampleRateHz / 50);
    for (let i = 0; i < pcm.length; i += frame.length) {
      frame.fill(0);
      frame.set(pcm.subarray(i, i + frame.length));
      this.stream.write(frame);
    }
  }

  async flushed(flushId: number): Promise<SpeechToTextEvent & { type: "flushed" }> {
    const find = (): (SpeechToTextEvent & { type: "flushed" }) | undefined =>
      this.events.flatMap((event) =>
        event.type === "flushed" && event.flushId === flushId ? [event] : [],
      )[0];
    await this.until(() => find() !== undefined);
    const found = find();
    assert.ok(found);
    return found;
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + ANSWER_DEADLINE_MS;
    while (!condition()) {
      assert.ok(
        Date.now() < deadline,
        `nothing within ${ANSWER_DEADLINE_MS} ms: ${JSON.stringify(this.events)}`,
      );
      await sleep(10);
    }
  }
}
