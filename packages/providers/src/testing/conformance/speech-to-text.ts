import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { SpeechToText, SpeechToTextEvent, SpeechToTextStream } from "@parley/conversation";
import { speechToTextConformance, tone } from "@parley/conversation/testing";
import { assertProviderError, faultCases } from "./fault-cases.ts";
import { API_KEY, QUIET_MS, until, wireChecks, type Wire, type WireCall } from "./wire.ts";

const SAMPLE_RATE_HZ = 8000;
const MID_STREAM = 1;
/** The text that the server always recognizes. */
export const HEARD_TEXT = "Good morning to you.";

export interface SpeechToTextWire extends Wire<SpeechToText> {
  /** Outcome if a vendor stalls after it sent some text: that text is the answer, or the flush fails. */
  stallAfterText: "answered" | "failed";
}

/**
 * Registers the tests for a recognizer reached over the network: the behavior of every recognizer, and the outcome for
 * a call's stream under every fault of a vendor. Its server recognizes `HEARD_TEXT` in all speech, and sends part of it
 * before a flush if the protocol has partials.
 */
export function conformsAsSpeechToText(name: string, wire: SpeechToTextWire): void {
  behaves(name, wire);
  const check = wireChecks(name, wire);

  for (const { name: what, fault, error, deadlineMs } of faultCases(MID_STREAM)) {
    const isAnswered =
      wire.stallAfterText === "answered" && fault.type === "stall" && fault.after === MID_STREAM;
    const outcome = isAnswered ? "what was heard is the answer" : "fails once, and is served again";
    check(
      `${what}: ${outcome}`,
      { fault: (index) => (index === 0 ? fault : undefined), deadlineMs },
      async (call) => {
        const session = new Session(call);
        session.ask(1);
        await session.settled(1);
        if (isAnswered) assert.deepEqual(session.failures, []);
        else assertProviderError(session.failures[0], error);
        await sleep(QUIET_MS);
        assert.ok(session.failures.length <= 1, "told more than once");
        if (session.failures[0]?.isRetryable !== false) await session.isServedAgain();
        session.stream.close();
      },
    );
  }

  check("status 401: fails once and is not retryable", { apiKey: "another" }, async (call) => {
    const session = new Session(call);
    session.ask(1);
    await session.settled(1);
    assertProviderError(session.failures[0], { kind: "status", status: 401, isRetryable: false });
    await sleep(QUIET_MS);
    assert.equal(session.failures.length, 1);
    session.stream.close();
  });

  const { after, outcome } = wire.nonsense;
  check(
    `messages that make no sense: ${outcome}`,
    { fault: () => ({ type: "nonsense", after }) },
    async (call) => {
      const session = new Session(call);
      session.ask(1);
      await session.settled(1);
      if (outcome === "failed") assertProviderError(session.failures[0], { kind: "connection" });
      else assert.equal(session.answer(1)?.text, HEARD_TEXT);
      session.stream.close();
    },
  );

  check("closed while it connects", { fault: () => ({ type: "stallConnect" }) }, async (call) => {
    const session = new Session(call);
    session.ask(1);
    await until(() => call.server.stats.connections > 0, "no connection");
    await session.closesInSilence();
  });

  check("closed before it begins to connect", {}, async (call) => {
    await new Session(call).closesInSilence();
  });

  for (const [stage, stallAfter] of [
    ["before the first byte", 0],
    ["in mid-stream", MID_STREAM],
  ] as const) {
    const fault = (): { type: "stall"; after: number } => ({ type: "stall", after: stallAfter });
    check(`closed ${stage}`, { fault }, async (call) => {
      const session = new Session(call);
      session.ask(1);
      await until(() => call.server.stats.exchanges.length > 0, "nothing asked of the server");
      await session.closesInSilence();
    });
  }

  check("a connection that dies between two utterances", {}, async (call) => {
    const session = new Session(call);
    session.ask(1);
    await session.settled(1);
    call.server.cutConnections();
    await sleep(QUIET_MS);
    assert.ok(session.failures.length <= 1, "told more than once");
    await session.isServedAgain();
    session.stream.close();
  });
}

function behaves(name: string, wire: SpeechToTextWire): void {
  speechToTextConformance(name, async () => {
    const server = await wire.startServer({ apiKey: API_KEY, fault: () => undefined });
    const stt = wire.connect({ baseUrl: server.url, apiKey: API_KEY, deadlineMs: 5_000 });
    return {
      stt,
      sampleRateHz: SAMPLE_RATE_HZ,
      speech: tone(1000, SAMPLE_RATE_HZ, 6000),
      expected: new RegExp(HEARD_TEXT),
      close: async () => {
        await stt.close?.();
        await server.close();
      },
    };
  });
}

class Session {
  readonly stream: SpeechToTextStream;
  readonly #events: SpeechToTextEvent[] = [];

  constructor({ provider }: WireCall<SpeechToText>) {
    this.stream = provider.open({
      sampleRateHz: SAMPLE_RATE_HZ,
      language: "en",
      keyterms: ["Parley"],
      onEvent: (event) => this.#events.push(event),
    });
  }

  get failures(): (SpeechToTextEvent & { type: "failed" })["error"][] {
    return this.#events.flatMap((event) => (event.type === "failed" ? [event.error] : []));
  }

  answer(flushId: number): (SpeechToTextEvent & { type: "flushed" }) | undefined {
    return this.#events.find((event) => event.type === "flushed" && event.flushId === flushId) as
      | (SpeechToTextEvent & { type: "flushed" })
      | undefined;
  }

  /** Writes an utterance and flushes it. */
  ask(flushId: number): void {
    this.stream.endUtterance();
    for (let ms = 0; ms < 500; ms += 20) this.stream.write(tone(20, SAMPLE_RATE_HZ, 6000));
    this.stream.startUtterance(500);
    this.stream.flush(flushId);
  }

  async settled(flushId: number): Promise<void> {
    const isSettled = (): boolean => this.answer(flushId) !== undefined || this.failures.length > 0;
    await until(isSettled, () => `neither answer nor failure: ${JSON.stringify(this.#events)}`);
  }

  /** Flushes repeatedly, as a call with an unanswered caller would. */
  async isServedAgain(): Promise<void> {
    for (let flushId = 2; flushId < 100; flushId++) {
      const told = this.failures.length;
      this.ask(flushId);
      await until(
        () => this.answer(flushId) !== undefined || this.failures.length > told,
        "neither answer nor failure",
      );
      if (this.answer(flushId)?.text === HEARD_TEXT) return;
      await sleep(50);
    }
    assert.fail("never served again");
  }

  async closesInSilence(): Promise<void> {
    this.stream.close();
    this.stream.close();
    const told = this.#events.length;
    await sleep(QUIET_MS);
    assert.equal(this.#events.length, told, "an event follows close");
  }
}
