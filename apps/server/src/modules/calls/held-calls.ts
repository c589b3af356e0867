import type { TranscriptItem } from "@parley/contract";
import type { Logger } from "pino";
import type { MediaCall } from "../../call-host/media-protocol.ts";
import { CallTrace, type SpanSink } from "../../platform/telemetry/call-trace.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { ResolvedAgent } from "../agents/agent-resolution.rules.ts";
import type { CallCommand, CallCommandAnswer, CallHere, CallHolder } from "../nodes/call-command.ts";
import { CallRecorder } from "./call-recorder.ts";
import type { CallsService } from "./calls.service.ts";
import { type CallSignalling, HeldCall, type ProviderNames } from "./held-call.ts";
import { firstMessageOf, toMediaCall } from "./media-call.rules.ts";
import { builtInVariables } from "./variables.rules.ts";

export interface HeldCallsOptions {
  nodeId: string;
  calls: CallsService;
  /** False while calls cannot be taken. */
  isReady: () => boolean;
  /** What the calls run on, as their records name it. */
  providerNames: (llmModel: string) => ProviderNames;
  metrics: Metrics;
  /** Undefined: nobody collects traces. */
  spans: SpanSink | undefined;
  logger: Logger;
}

/** A call as its record begins, and what its conversation runs on. */
export interface CallToHold {
  callId: string;
  conversationId: string;
  agent: ResolvedAgent;
  /** Those of the agent and whatever this call adds; what is built in goes over them. */
  variables: Record<string, string>;
  channel: "phone" | "web";
  direction: "inbound" | "outbound";
  /** Null: withheld, or a web call. */
  fromNumber: string | null;
  toNumber: string | null;
  at: Date;
}

const DRAIN_POLL_MS = 100;

/** The calls that this node holds, until their end is written down. */
export class HeldCalls implements CallHolder {
  readonly #options: HeldCallsOptions;
  readonly #calls = new Map<string, HeldCall>();
  /** Calls on their way to a record, and those that write their end. */
  readonly #running = new Set<Promise<void>>();
  #isDraining = false;

  constructor(options: HeldCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#calls.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isTakingCalls(): boolean {
    return !this.#isDraining && this.#options.isReady();
  }

  /** Undefined where this node does not hold the call. */
  get(callId: string): HeldCall | undefined {
    return this.#calls.get(callId);
  }

  findHere(callId: string): CallHere | undefined {
    const call = this.#calls.get(callId);
    if (call === undefined) return undefined;
    const { organizationId, isInProgress } = call;
    return { nodeId: this.#options.nodeId, organizationId, isInProgress };
  }

  carryOut(callId: string, command: CallCommand): Promise<CallCommandAnswer> | undefined {
    return this.#calls.get(callId)?.carryOut(command);
  }

  /** Others took this node for lost, and closed its calls: those whose records say so are hung up. */
  async endClosed(): Promise<void> {
    for (const id of await this.#options.calls.listEnded([...this.#calls.keys()])) {
      const endDetail = "the node was silent for too long";
      this.#calls.get(id)?.hangUp({ status: "failed", endReason: "node_lost", endDetail });
    }
  }

  /**
   * Carries a call, whose record has just been made, to its end; resolves when that is written down. Never rejects.
   *
   * @param signallingFor is told what a media process is to know of the call.
   */
  async carry(
    record: CallToHold,
    signallingFor: (mediaCall: Omit<MediaCall, "sampleRateHz">) => CallSignalling,
  ): Promise<void> {
    const { calls, metrics, spans, logger, providerNames } = this.#options;
    const { callId, agent } = record;
    const { call: mediaCall, unknownVariables } = describeMediaCall(record);
    const recorder = new CallRecorder(calls, callId, logger);
    if (unknownVariables.length > 0) recorder.item(noteUnknownVariables(unknownVariables));
    const call = new HeldCall({
      callId,
      organizationId: agent.organizationId,
      recorder,
      providerNames: providerNames(agent.document.llmModel),
      metrics,
      trace: spans && new CallTrace(spans, callId),
      logger,
    });
    this.#calls.set(callId, call);
    const running = call.run(signallingFor(mediaCall)).finally(() => this.#calls.delete(callId));
    this.watch(running);
    await running;
  }

  /** The node does not end before this has settled, or its time to end is over. */
  watch(running: Promise<void>): void {
    this.#running.add(running);
    const forget = (): void => void this.#running.delete(running);
    running.then(forget, forget);
  }

  /** Refuses new calls and lets the others end; those that have not by then are hung up. */
  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true;
    const deadline = performance.now() + deadlineMs;
    while (this.#running.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    for (const call of this.#calls.values()) {
      call.hangUp({ status: "failed", endReason: "node_lost", endDetail: "the node was shut down" });
    }
    await Promise.all(this.#running);
  }
}

function describeMediaCall(call: CallToHold): ReturnType<typeof toMediaCall> {
  const { agent, callId, conversationId, channel, direction, fromNumber, toNumber, variables } = call;
  const builtIn = builtInVariables({
    callId,
    fromNumber: fromNumber ?? "",
    toNumber: toNumber ?? "",
    direction,
    timezone: agent.document.timezone,
    now: call.at,
  });
  const { id: agentId, environment } = agent;
  return toMediaCall(
    { callId, conversationId, agentId, environment, channel, fromNumber, toNumber, variables },
    { ...agent.document, firstMessage: firstMessageOf(agent.document, direction) },
    { ...variables, ...builtIn },
  );
}

/** For whoever reads the conversation and wonders about a gap in what was said. */
function noteUnknownVariables(names: readonly string[]): TranscriptItem {
  const text = `The agent's texts name variables that have no value: ${names.join(", ")}.`;
  return { id: "unknown-variables", type: "system", text, startMs: 0, endMs: 0 };
}
