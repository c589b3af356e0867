import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { TextToSpeech, TextToSpeechEvent, TextToSpeechStream } from "@parley/conversation";
import { textToSpeechConformance } from "@parley/conversation/testing";
import { assertProviderError, faultCases } from "./fault-cases.ts";
import { API_KEY, DEADLINE_MS, QUIET_MS, until, wireChecks, type Wire, type WireCall } from "./wire.ts";

const SAMPLE_RATE_HZ = 8000;
const MID_STREAM = 2;
const CLAUSES = ["Good morning to you.", "How can I help?", "We are open until five."];
/** Wait that exceeds five times the usual time of an answer. */
const GIVE_UP_MS = 1_100;

/**
 * Registers the tests for a voice reached over the network: the behavior of every voice, and the outcome for a reply
 * under every fault of a vendor. Its server sends audio in chunks of at most 240 ms.
 */
export function conformsAsTextToSpeech(name: string, wire: Wire<TextToSpeech>): void {
  behaves(name, wire);
  const check = wireChecks(name, wire);

  for (const { name: what, fault, error, deadlineMs } of faultCases(MID_STREAM)) {
    check(
      `${what}: fails once, and the next reply is spoken`,
      { fault: firstOnly(fault), deadlineMs },
      async (call) => {
        const reply = new Reply(call);
        reply.speakAll();
        assertProviderError(await reply.failure(), error);
        if (!("after" in fault) || fault.after === 0) assert.equal(reply.audioMs, 0);
        else assert.ok(reply.audioMs > 0 && reply.audioMs < 1_000, `${reply.audioMs} ms of audio`);
        await sleep(QUIET_MS);
        assert.equal(reply.events.filter(({ type }) => type === "failed").length, 1);
        assert.equal(reply.events.at(-1)?.type, "failed");
        await new Reply(call).isSpoken();
      },
    );
  }

  check("status 401: fails once and is not retryable", { apiKey: "another" }, async (call) => {
    const reply = new Reply(call);
    reply.speakAll();
    assertProviderError(await reply.failure(), { kind: "status", status: 401, isRetryable: false });
    await sleep(QUIET_MS);
    assert.equal(reply.events.length, 1);
  });

  const { after, outcome } = wire.nonsense;
  check(
    `messages that make no sense: ${outcome}`,
    { fault: () => ({ type: "nonsense", after }) },
    async (call) => {
      const reply = new Reply(call);
      if (outcome === "skipped") return await reply.isSpoken();
      reply.speakAll();
      assertProviderError(await reply.failure(), { kind: "connection" });
      assert.equal(reply.audioMs, 0);
    },
  );

  check("closed before it begins to connect", {}, async (call) => {
    await new Reply(call).closesInSilence();
  });

  check("closed while it connects", { fault: () => ({ type: "stallConnect" }) }, async (call) => {
    const reply = new Reply(call);
    reply.speakAll();
    await until(() => call.server.stats.connections > 0, "no connection");
    await reply.closesInSilence();
  });

  check("closed before the first byte", { fault: firstOnly({ type: "stall", after: 0 }) }, async (call) => {
    const reply = new Reply(call);
    reply.speakAll();
    await until(() => call.server.stats.exchanges.length > 0, "nothing asked of the server");
    await reply.closesInSilence();
  });

  for (const isPaused of [false, true]) {
    check(`closed in mid-stream${isPaused ? ", paused" : ""}: the next reply is spoken`, {}, async (call) => {
      const reply = new Reply(call);
      reply.speakAll();
      await until(() => reply.audioMs > 0, "no audio");
      if (isPaused) reply.stream.pause();
      await reply.closesInSilence();
      await new Reply(call).isSpoken();
    });
  }

  check(
    "a reply abandoned for its silence: its connection is not reused",
    { fault: firstOnly({ type: "stall", after: 0 }) },
    async (call) => {
      const reply = new Reply(call);
      reply.speakAll();
      await sleep(GIVE_UP_MS);
      await reply.closesInSilence();
      await new Reply(call).isSpoken();
    },
  );

  check("a connection that dies between two replies: has no effect", {}, async (call) => {
    await new Reply(call).isSpoken();
    call.server.cutConnections();
    await sleep(QUIET_MS);
    await new Reply(call).isSpoken();
  });

  check("a pause is not a stall", { deadlineMs: DEADLINE_MS }, async (call) => {
    const reply = new Reply(call);
    reply.speakAll();
    await until(() => reply.audioMs > 0, "no audio");
    reply.stream.pause();
    await sleep(2 * DEADLINE_MS);
    reply.stream.resume();
    await reply.over();
  });
}

function firstOnly<Fault>(fault: Fault): (index: number) => Fault | undefined {
  return (index) => (index === 0 ? fault : undefined);
}

function behaves(name: string, wire: Wire<TextToSpeech>): void {
  textToSpeechConformance(name, async () => {
    const server = await wire.startServer({ apiKey: API_KEY, fault: () => undefined });
    const tts = wire.connect({ baseUrl: server.url, apiKey: API_KEY, deadlineMs: 5_000 });
    return {
      tts,
      voice: "voice",
      sampleRateHz: SAMPLE_RATE_HZ,
      close: async () => {
        await tts.close?.();
        await server.close();
      },
    };
  });
}

class Reply {
  readonly stream: TextToSpeechStream;
  readonly events: TextToSpeechEvent[] = [];

  constructor({ provider }: WireCall<TextToSpeech>) {
    this.stream = provider.open({
      voice: "voice",
      sampleRateHz: SAMPLE_RATE_HZ,
      language: "en",
      speed: 1,
      onEvent: (event) => this.events.push(event),
    });
  }

  get audioMs(): number {
    const samples = this.events.reduce(
      (sum, event) => sum + (event.type === "audio" ? event.pcm.length : 0),
      0,
    );
    return (samples * 1000) / SAMPLE_RATE_HZ;
  }

  speakAll(): void {
    for (const [index, text] of CLAUSES.entries()) this.stream.speak(index + 1, text);
    this.stream.end();
  }

  /** Resolves when all of it was spoken. */
  async over(): Promise<void> {
    const isOver = (): boolean => this.events.some(({ type }) => type === "ended" || type === "failed");
    await until(isOver, "neither an end nor a failure");
    const failure = this.events.find((event) => event.type === "failed");
    if (failure !== undefined) throw failure.error;
    const ended = this.events.flatMap((event) => (event.type === "clauseEnded" ? [event.clauseId] : []));
    assert.deepEqual(
      ended,
      CLAUSES.map((_, index) => index + 1),
    );
  }

  async isSpoken(): Promise<void> {
    this.speakAll();
    await this.over();
    assert.ok(this.audioMs > 2_000, `${this.audioMs} ms of audio`);
  }

  async failure(): Promise<unknown> {
    await until(
      () => this.events.some(({ type }) => type === "ended" || type === "failed"),
      "neither an end nor a failure",
    );
    const last = this.events.at(-1);
    return last?.type === "failed" ? last.error : last;
  }

  async closesInSilence(): Promise<void> {
    this.stream.close();
    this.stream.close();
    const told = this.events.length;
    await sleep(QUIET_MS);
    assert.equal(this.events.length, told, "an event follows close");
  }
}
