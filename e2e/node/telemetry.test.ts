import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import type { CallDetail } from "@parley/contract";
import { type Family, readExposition } from "../../apps/server/src/platform/telemetry/testing.ts";
import { createAgent } from "../support/platform/agents.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { readRecording, toPackets, withSilence } from "../support/audio/recordings.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { waitFor } from "@parley/testing";
import { talkBySipp } from "../support/phone/sipp-person.ts";

const CALLERS = ["+15550900001", "+15550900002"];
/** The exporter's interval and some. */
const EXPORT_DEADLINE_MS = 15_000;

/** Fields of a span in OTLP's JSON encoding. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; doubleValue?: number } }[];
}

/** Receives spans by OTLP over HTTP, as a collector does. */
class Collector {
  readonly spans: Span[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void json(request).then((body) => {
        if (request.url === "/v1/traces") this.#take(body as { resourceSpans: ResourceSpans[] });
        response.setHeader("content-type", "application/json").end("{}");
      });
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, "127.0.0.1");
    await once(collector.#server, "listening");
    return collector;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  /** The spans of one call, the call's own first. */
  of(callId: string): Span[] {
    const own = this.spans.filter((span) => attribute(span, "parley.call.id") === callId);
    return own.toSorted((a, b) => Number(a.name !== "call") - Number(b.name !== "call"));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #take({ resourceSpans }: { resourceSpans: ResourceSpans[] }): void {
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) this.spans.push(...spans);
  }
}

interface ResourceSpans {
  scopeSpans: { spans: Span[] }[];
}

function attribute(span: Span, name: string): string | number | undefined {
  const value = span.attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.doubleValue;
}

describe("the telemetry of a platform", { skip: skipWithout("sipp") }, () => {
  let providers: ScriptedProviders;
  let collector: Collector;
  let platform: Platform;
  let calls: CallDetail[];
  let families: Map<string, Family>;

  before(async () => {
    providers = await startScriptedProviders("When are you open?", () => ({
      text: "We are open until five.",
    }));
    collector = await Collector.start();
    platform = await Platform.start({
      env: { ...providers.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    const { number } = await createAgent(platform, { firstMessage: "Hello.", voiceId: "elevenlabs/rachel" });
    const recording = withSilence(await readRecording("go-forward.wav"), { beforeMs: 300, afterMs: 1500 });
    const audio = toPackets(recording, "PCMU");
    calls = [];
    for (const from of CALLERS) calls.push(await talkBySipp(platform, { from, number, audio }));
    families = readExposition(await (await fetch(`${platform.url}/metrics`)).text());
  });
  after(async () => {
    await platform.stop();
    await collector.close();
    await providers.close();
  });

  function turnMetric(suffix: string, part: string): number | undefined {
    const samples = families.get("parley_turn_seconds")?.samples ?? [];
    return samples.find(({ name, labels }) => name.endsWith(suffix) && labels["part"] === part)?.value;
  }

  test("the histograms contain each part of each turn of a call's record", () => {
    const turns = calls.flatMap((call) => call.turns);
    assert.ok(turns.length >= CALLERS.length, "each caller was answered");
    for (const [part, field] of [
      ["endpointing", "endpointingMs"],
      ["stt", "sttMs"],
      ["llm_first_token", "llmFirstTokenMs"],
      ["tool", "toolMs"],
      ["llm_first_clause", "llmFirstClauseMs"],
      ["tts_first_byte", "ttsFirstByteMs"],
      ["wait", "waitMs"],
      ["overhead", "overheadMs"],
      ["total", "totalMs"],
    ] as const) {
      assert.equal(turnMetric("_count", part), turns.length, part);
      const recordedS = turns.reduce((sum, turn) => sum + (turn[field] ?? 0), 0) / 1000;
      const measuredS = turnMetric("_sum", part) ?? Number.NaN;
      assert.ok(
        Math.abs(measuredS - recordedS) < 0.001 * turns.length,
        `${part}: ${measuredS}, ${recordedS}`,
      );
    }
  });

  test("calls are counted by how they ended, and no speech was lost", () => {
    const ended = families.get("parley_calls_total")?.samples ?? [];
    assert.deepEqual(
      ended.map(({ labels, value }) => [labels["end_reason"], value]),
      [["user_hangup", CALLERS.length]],
    );
    assert.equal(families.get("parley_active_calls")?.samples[0]?.value, 0);
    assert.equal(families.get("parley_lost_speech_total")?.samples[0]?.value, 0);
  });

  test("a collector receives a span of each call, with its turns and their parts", async () => {
    for (const call of calls) {
      const spans = await waitFor(
        "the call's spans",
        () =>
          collector.of(call.id).length > 0 &&
          collector.of(call.id)[0]?.name === "call" &&
          collector.of(call.id),
        EXPORT_DEADLINE_MS,
      );
      const [root] = spans;
      assert.ok(root !== undefined && root.parentSpanId === undefined);
      assert.equal(attribute(root, "parley.call.end_reason"), "user_hangup");
      assert.ok(spans.every(({ traceId }) => traceId === root.traceId));
      const turns = spans.filter(({ name }) => name === "turn");
      assert.equal(turns.length, call.turns.length);
      for (const [index, turn] of turns.entries()) {
        assert.equal(turn.parentSpanId, root.spanId);
        assert.ok(isWithin(turn, root));
        const totalMs = call.turns[index]?.totalMs ?? Number.NaN;
        const recorded = Number(attribute(turn, "parley.turn.total")) * 1000;
        assert.ok(Math.abs(recorded - totalMs) < 1, `${recorded} ms, ${totalMs} ms`);
        const parts = spans.filter(({ parentSpanId }) => parentSpanId === turn.spanId);
        assert.deepEqual(
          parts.map(({ name }) => name),
          ["end of turn", "language model", "first clause", "speech synthesis"],
        );
      }
    }
    assert.equal(new Set(calls.map(({ id }) => collector.of(id)[0]?.traceId)).size, calls.length);
  });
});

function isWithin(inner: Span, outer: Span): boolean {
  return (
    BigInt(inner.startTimeUnixNano) >= BigInt(outer.startTimeUnixNano) &&
    BigInt(inner.endTimeUnixNano) <= BigInt(outer.endTimeUnixNano)
  );
}
