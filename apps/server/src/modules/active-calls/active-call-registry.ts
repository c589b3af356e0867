import { setTimeout as sleep } from "node:timers/promises";
import type { TranscriptItem } from "@parley/contract";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { CallSpans, type SpanSink } from "../../platform/telemetry/call-spans.ts";
import { forbidInTransaction } from "../../platform/database/transaction-scope.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { CallCommandAnswer, LocalCall, ActiveCallCommand } from "./call-command.ts";
import { CallRecorder } from "./call-recorder.ts";
import type { PreCallWebhook } from "../webhooks/pre-call-webhook.ts";
import type { ToolSigning } from "../webhooks/tool-signing.ts";
import type { CallSpool } from "./call-spool.ts";
import type { SipTraceRecorder } from "../sip-traces/sip-trace.recorder.ts";
import type { CallsService } from "../calls/calls.service.ts";
import { type CallOutcome, type CallSignaling, ActiveCall, type ProviderNames } from "./active-call.ts";
import {
  type ConversationSetup,
  type NewConversationSetup,
  setUpConversation,
  withGreeting,
} from "../conversations/setup/conversation-setup.rules.ts";

export interface ActiveCallRegistryOptions {
  nodeId: string;
  calls: CallsService;
  /** Of what the database does not take. */
  spool: CallSpool;
  /** Asked before each call whose agent names a server for it. */
  preCall: Pick<PreCallWebhook, "ask">;
  toolSigning: ToolSigning;
  /** False while calls cannot be taken. */
  isReady: () => boolean;
  /** What the calls run on, as their records name it. */
  providerNames: (llmModel: string) => ProviderNames;
  /** Has what an agent always says made ready for its next calls. */
  prepareSpeech?: (document: ResolvedAgent["document"]) => void;
  metrics: Metrics;
  /** Undefined: nobody collects traces. */
  spans: SpanSink | undefined;
  /** `undefined` if no SIP messages are kept. */
  sipTraces: Pick<SipTraceRecorder, "claim"> | undefined;
  clock: Clock;
  logger: Logger;
}

/** A call as its record begins, and what its conversation runs on. */
export interface CallToRegister extends NewConversationSetup {
  /** A browser test call, or one of a test run. */
  isTest?: boolean;
  /** Of a phone call. */
  sipCallId?: string;
}

const DRAIN_POLL_MS = 100;
/** For the ends of the last calls to be written down. */
const WRITE_GRACE_MS = 10_000;
const LONGEST_REASON = 500;
const LONGEST_NOTE = 2_000;

/** The calls that this node holds, until their end is written down. */
export class ActiveCallRegistry {
  readonly #options: ActiveCallRegistryOptions;
  readonly #calls = new Map<string, ActiveCall>();
  /** Calls on their way to a record, and those that write their end. */
  readonly #running = new Set<Promise<void>>();
  #isDraining = false;

  constructor(options: ActiveCallRegistryOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#calls.size;
  }

  get ids(): string[] {
    return [...this.#calls.keys()];
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isTakingCalls(): boolean {
    return !this.#isDraining && this.#options.isReady();
  }

  /** Undefined where this node does not hold the call. */
  get(callId: string): ActiveCall | undefined {
    return this.#calls.get(callId);
  }

  findLocal(callId: string): LocalCall | undefined {
    const call = this.#calls.get(callId);
    if (call === undefined) return undefined;
    const { organizationId, isInProgress } = call;
    return { nodeId: this.#options.nodeId, organizationId, isInProgress };
  }

  carryOut(callId: string, command: ActiveCallCommand): Promise<CallCommandAnswer> | undefined {
    return this.#calls.get(callId)?.carryOut(command);
  }

  /** Others took this node for lost, and closed its calls: those whose records say so are hung up. */
  async endClosed(): Promise<void> {
    for (const id of await this.#options.calls.listEnded(this.ids)) {
      const endDetail = "the node sent no heartbeat for too long";
      this.#calls.get(id)?.hangUp({ status: "failed", endReason: "node_lost", endDetail });
    }
  }

  /**
   * Carries a call, whose record has just been made, to its end; resolves when that is written down. Never rejects.
   *
   * @param signalingFor is given what makes the call ready for its media, to be used once and before the call is answered
   *   or placed. That may take seconds, and rejects once the call has ended, as it does where there is to be no call.
   */
  async carry(
    record: CallToRegister,
    signalingFor: (prepare: () => Promise<ConversationSetup>) => CallSignaling,
  ): Promise<void> {
    forbidInTransaction("a call");
    const { calls, spool, toolSigning, metrics, spans, clock, logger, providerNames } = this.#options;
    const { callId, agent } = record;
    const recorder = new CallRecorder({ calls, callId, spool, clock, logger });
    const call = new ActiveCall({
      callId,
      organizationId: agent.organizationId,
      recorder,
      providerNames: providerNames(agent.document.llmModel),
      isRecorded: agent.document.recordingEnabled,
      sign: toolSigning.signerFor(agent.organizationId),
      metrics,
      trace: spans && new CallSpans(spans, callId),
      clock,
      logger,
    });
    this.#calls.set(callId, call);
    // Other nodes may have written the agent.
    this.#options.prepareSpeech?.(agent.document);
    const endTrace = record.sipCallId && this.#options.sipTraces?.claim(record.sipCallId, callId);
    const signaling = signalingFor(async () => {
      const { setup, unknownVariables } = setUpConversation(await this.#ask(record, call, recorder));
      if (unknownVariables.length > 0) recorder.item(noteUnknownVariables(unknownVariables));
      return setup;
    });
    const running = call.run(signaling).finally(() => {
      this.#calls.delete(callId);
      if (endTrace) endTrace();
    });
    this.watch(running);
    await running;
  }

  /** What the agent's server makes of the call. Rejects where the call is over by then. */
  async #ask(record: CallToRegister, call: ActiveCall, recorder: CallRecorder): Promise<CallToRegister> {
    const { agent, callId: id, at: _at, sipCallId: _sipCallId, isTest = false, ...facts } = record;
    const { preCallWebhookUrl: url } = agent.document;
    if (url === null) return record;
    const { id: agentId, environment, organizationId } = agent;
    const data = { ...facts, id, agentId, environment, isTest, campaignId: null };
    const { answer, problems } = await this.#options.preCall.ask({ organizationId, url, data }, call.signal);
    if (problems.length > 0) recorder.item(notePreCallProblems(problems));
    if (answer.reject !== undefined) call.hangUp(rejectedByWebhook(answer.reject.reason));
    call.signal.throwIfAborted();
    const variables = { ...record.variables, ...answer.variables };
    if (answer.variables !== undefined) recorder.variables(variables);
    return { ...record, variables, agent: withGreeting(agent, answer.firstMessage) };
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
    // A database that is away does not keep the node from ending: what it has not taken by then is in the spool.
    const timer = new AbortController();
    await Promise.race([
      Promise.all(this.#running),
      sleep(WRITE_GRACE_MS, undefined, { signal: timer.signal }).catch(() => undefined),
    ]);
    timer.abort();
  }
}

function rejectedByWebhook(reason: string | undefined): CallOutcome {
  const outcome = { status: "canceled", endReason: "rejected_by_webhook" } as const;
  return reason === undefined ? outcome : { ...outcome, endDetail: reason.slice(0, LONGEST_REASON) };
}

/** For whoever wonders why the call went on as if nobody had been asked. */
function notePreCallProblems(problems: readonly string[]): TranscriptItem {
  const text = `The pre-call webhook, or part of its answer, was ignored: ${problems.join("; ")}.`;
  return { id: "pre-call-webhook", type: "system", text: text.slice(0, LONGEST_NOTE), startMs: 0, endMs: 0 };
}

/** For whoever reads the conversation and wonders about a gap in what was said. */
function noteUnknownVariables(names: readonly string[]): TranscriptItem {
  const text = `The agent's configuration uses variables without a value: ${names.join(", ")}.`;
  return { id: "unknown-variables", type: "system", text, startMs: 0, endMs: 0 };
}
