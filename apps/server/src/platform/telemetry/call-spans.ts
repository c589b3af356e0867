import { randomBytes } from "node:crypto";
import type { ProviderPart, TurnLatency } from "@parley/conversation";
import type { Span } from "./otlp-exporter.ts";

/** Receives finished spans. */
export interface SpanSink {
  add: (span: Span) => void;
}

/** The spans of one call: one for the call, one for each answer of the agent, and in it one for each part of the wait. */
export class CallSpans {
  readonly #sink: SpanSink;
  readonly #now: () => number;
  readonly #callId: string;
  readonly #traceId = randomBytes(16).toString("hex");
  readonly #spanId = newSpanId();
  readonly #startMs: number;
  readonly #faults: NonNullable<Span["events"]>[number][] = [];

  /** `now`: milliseconds since 1970. */
  constructor(sink: SpanSink, callId: string, now: () => number = Date.now) {
    this.#sink = sink;
    this.#now = now;
    this.#callId = callId;
    this.#startMs = now();
  }

  /** The agent begins to be heard. */
  turn(latency: TurnLatency): void {
    const { decisionMs, llmFirstTokenMs, toolMs, clauseMs, ttsFirstByteMs } = latency;
    const { totalMs, sttMs, endpointingMs, waitMs } = latency;
    const endMs = this.#now();
    const startMs = endMs - totalMs;
    const spanId = newSpanId();
    this.#add("turn", {
      startMs,
      endMs,
      spanId,
      attributes: { ...toSeconds({ sttMs, endpointingMs, toolMs, waitMs, totalMs }) },
    });
    let atMs = startMs;
    for (const [name, durationMs] of [
      ["end of turn", decisionMs],
      ["language model", llmFirstTokenMs + toolMs],
      ["first clause", clauseMs],
      ["speech synthesis", ttsFirstByteMs],
    ] as const) {
      this.#add(name, { startMs: atMs, endMs: atMs + durationMs, parentSpanId: spanId });
      atMs += durationMs;
    }
  }

  fault(part: ProviderPart, provider: string, message: string): void {
    const attributes = { part, provider, "exception.message": message };
    this.#faults.push({ atMs: this.#now(), name: "provider fault", attributes });
  }

  end(endReason: string): void {
    this.#sink.add({
      traceId: this.#traceId,
      spanId: this.#spanId,
      name: "call",
      startMs: this.#startMs,
      endMs: this.#now(),
      attributes: { "parley.call.id": this.#callId, "parley.call.end_reason": endReason },
      events: this.#faults,
      ...(endReason.startsWith("error_") && { error: endReason }),
    });
  }

  #add(
    name: string,
    { attributes = {}, parentSpanId = this.#spanId, spanId = newSpanId(), ...times }: SpanDetails,
  ): void {
    const all = { "parley.call.id": this.#callId, ...attributes };
    this.#sink.add({ traceId: this.#traceId, spanId, parentSpanId, name, attributes: all, ...times });
  }
}

type SpanDetails = Pick<Span, "startMs" | "endMs"> &
  Partial<Pick<Span, "attributes" | "parentSpanId" | "spanId">>;

function newSpanId(): string {
  return randomBytes(8).toString("hex");
}

/** OpenTelemetry's durations are seconds. */
function toSeconds(durations: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(durations).map(([name, ms]) => [`parley.turn.${name.replace(/Ms$/, "")}`, ms / 1000]),
  );
}
