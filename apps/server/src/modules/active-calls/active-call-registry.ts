import { setTimeout as sleep } from "node:timers/promises";
import type { TranscriptItem } from "@parley/contract";
import { errorMessage } from "@parley/conversation/error-message";
import type { SearchKnowledge } from "@parley/conversation";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { CallSpans, type SpanSink } from "../../platform/telemetry/call-spans.ts";
import { inOrganization } from "../../platform/organization-scope.ts";
import { forbidInTransaction } from "../../platform/database/transaction-scope.ts";
import type { MediaCall, TextOutcome } from "../../media/media-protocol.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { CallCommandAnswer, LocalCall, ActiveCallCommand } from "./call-command.ts";
import { CallRecorder } from "./call-recorder.ts";
import type { DoNotCallService } from "../do-not-call/do-not-call.service.ts";
import type { PreCallWebhook } from "../webhooks/pre-call-webhook.ts";
import type { KnowledgeSearch } from "../knowledge-bases/search/knowledge-search.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import type { CallSpool } from "./call-spool.ts";
import type { PlaceShares } from "./place-shares.ts";
import type { ConversationMemory, Recalled } from "../customers/memory/conversation-memory.ts";
import type { SipTraceRecorder } from "../sip-traces/sip-trace.recorder.ts";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import {
  type ActiveCallOptions,
  type CallOutcome,
  type CallSignaling,
  ActiveCall,
  type ProviderNames,
  toTransferRoutes,
} from "./active-call.ts";
import {
  type ConversationSetup,
  type NewConversationSetup,
  numberOfOtherSide,
  setUpConversation,
  toKnowledgeSetup,
  withContinuation,
  withGreeting,
} from "../conversations/setup/conversation-setup.rules.ts";

export interface ActiveCallRegistryOptions {
  nodeId: string;
  calls: CallsService;
  placeShares: PlaceShares;
  /** Writes that the database has not accepted yet. */
  spool: CallSpool;
  /** Called before each call whose agent has a pre-call webhook. */
  preCall: Pick<PreCallWebhook, "ask">;
  toolSigning: ToolSigning;
  doNotCall: Pick<DoNotCallService, "addForAgent">;
  memory: Pick<ConversationMemory, "recall">;
  knowledgeSearch: Pick<KnowledgeSearch, "forConversation">;
  /** False if the node cannot take calls. */
  isReady: () => boolean;
  /** Provider names as stored on the call record. */
  providerNames: (llmModel: string, ownProviders?: ProviderConfiguration) => ProviderNames;
  providerKeys: Pick<ProviderKeysService, "findOwn">;
  /** Synthesizes the agent's fixed phrases for its next calls. */
  prepareSpeech?: (document: ResolvedAgent["document"]) => void;
  metrics: Metrics;
  /** `undefined` when tracing is disabled. */
  spans: SpanSink | undefined;
  /** `undefined` if no SIP messages are kept. */
  sipTraces: Pick<SipTraceRecorder, "claim"> | undefined;
  clock: Clock;
  logger: Logger;
}

/** A call as its record begins, and what its conversation runs on. */
export interface CallToRegister extends NewConversationSetup {
  callId: string;
  channel: "phone" | "web";
  /** A browser test call, or one of a test run. */
  isTest?: boolean;
  /** Only for phone calls. */
  sipCallId?: string;
  /** Only for calls of a campaign. */
  campaignId?: string;
}

/** A text message that an agent sends during a call. */
export interface CallText {
  callId: string;
  agent: ResolvedAgent;
  /** E.164. */
  otherNumber: string;
  text: string;
}

/** Queues a message. Rejects with a reason for the model. */
export type SendCallText = (message: CallText) => Promise<void>;

/** Configuration of a call's conversation. */
export type CallSetup = ConversationSetup & Pick<MediaCall, "callId" | "organizationId" | "ownProviders">;

const DRAIN_POLL_MS = 100;
/** Grace period for writing the last call records. */
const WRITE_GRACE_MS = 10_000;
const MAX_REASON_CHARACTERS = 500;
const MAX_NOTE_CHARACTERS = 2_000;

/** The active calls of this node, each until its end is written. */
export class ActiveCallRegistry {
  readonly #options: ActiveCallRegistryOptions;
  readonly #calls = new Map<string, ActiveCall>();
  /** Calls that are about to get a record, and calls whose end is being written. */
  readonly #running = new Set<Promise<void>>();
  #isDraining = false;
  #sendText: SendCallText = async () => await Promise.reject(new Error("messages are not available"));

  constructor(options: ActiveCallRegistryOptions) {
    this.#options = options;
  }

  /** The division of this node's places among organizations. */
  get placeShares(): PlaceShares {
    return this.#options.placeShares;
  }

  /** Sends the messages of agents during calls by this function. */
  sendTextsBy(send: SendCallText): void {
    this.#sendText = send;
  }

  get size(): number {
    return this.#calls.size;
  }

  get ids(): string[] {
    return [...this.#calls.keys()];
  }

  /** The calls, each until its end is written. */
  all(): Iterable<ActiveCall> {
    return this.#calls.values();
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isTakingCalls(): boolean {
    return !this.#isDraining && this.#options.isReady();
  }

  /** Returns the call, or `undefined` if it does not belong to this node. */
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

  /** Hangs up the calls that other nodes have closed because they took this node for lost. */
  async endClosed(): Promise<void> {
    for (const id of await this.#options.calls.listEnded(this.ids)) {
      const endDetail = "the node sent no heartbeat for too long";
      this.#calls.get(id)?.hangUp({ status: "failed", endReason: "node_lost", endDetail });
    }
  }

  /**
   * Runs a call, whose record was just created, to its end. Resolves when the end is written. Never rejects.
   *
   * @param signalingFor Receives `prepare`, which returns the conversation's setup. Signaling calls `prepare`
   *   once, before the call is answered or placed. `prepare` may take seconds, and rejects if the call ends
   *   meanwhile or the pre-call webhook rejects it.
   */
  async carry(
    record: CallToRegister,
    signalingFor: (prepare: () => Promise<CallSetup>) => CallSignaling,
  ): Promise<void> {
    forbidInTransaction("a call");
    const {
      calls,
      spool,
      toolSigning,
      doNotCall,
      metrics,
      spans,
      clock,
      logger,
      providerNames,
      providerKeys,
    } = this.#options;
    const { callId, agent } = record;
    const recorder = new CallRecorder({ calls, callId, spool, clock, logger });
    const call = new ActiveCall({
      callId,
      organizationId: agent.organizationId,
      recorder,
      providerNames: providerNames(agent.document.llmModel),
      isRecorded: agent.document.recordingEnabled,
      isTest: record.isTest === true,
      ...transfersOf(agent.document),
      sign: toolSigning.signerFor(agent.organizationId),
      addToDoNotCall: async () => {
        if (record.isSimulated === true) return;
        await doNotCall.addForAgent(agent.organizationId, numberOfOtherSide(record) ?? "");
      },
      sendText: async (text) => await this.#trySendText(record, text),
      searchKnowledge: this.#searchFor(agent),
      metrics,
      trace: spans && new CallSpans(spans, callId),
      clock,
      logger,
    });
    this.#calls.set(callId, call);
    // Another node may have written the agent's configuration.
    this.#options.prepareSpeech?.(agent.document);
    const endTrace = record.sipCallId && this.#options.sipTraces?.claim(record.sipCallId, callId);
    const signaling = signalingFor(async () => {
      const ownProviders = await providerKeys.findOwn(agent.organizationId);
      if (ownProviders !== undefined)
        call.useProviderNames(providerNames(agent.document.llmModel, ownProviders));
      const { setup, unknownVariables } = await this.#setUp(await this.#ask(record, call, recorder));
      if (unknownVariables.length > 0) recorder.item(noteUnknownVariables(unknownVariables));
      return { ...setup, callId, organizationId: agent.organizationId, ownProviders };
    });
    const running = inOrganization(agent.organizationId, async () => await call.run(signaling)).finally(
      () => {
        this.#calls.delete(callId);
        if (endTrace) endTrace();
      },
    );
    this.watch(running);
    await running;
  }

  #searchFor({ organizationId, document }: ResolvedAgent): SearchKnowledge {
    return this.#options.knowledgeSearch.forConversation(organizationId, toKnowledgeSetup(document));
  }

  /** Sets up the conversation with what the agent knows of earlier ones. */
  async #setUp(record: CallToRegister) {
    const otherNumber = record.isTest === true ? undefined : numberOfOtherSide(record);
    const { text, isContinued } = await this.#recall({ ...record, otherNumber });
    const agent = isContinued ? withContinuation(record.agent) : record.agent;
    return setUpConversation({ ...record, agent, memory: text });
  }

  /** A call without what its agent remembers is better than none. */
  async #recall(record: Parameters<ConversationMemory["recall"]>[0]): Promise<Recalled> {
    try {
      return await this.#options.memory.recall(record);
    } catch (error) {
      const { conversationId } = record;
      this.#options.logger.warn({ err: error, conversationId }, "reading earlier conversations failed");
      return { text: undefined, isContinued: false };
    }
  }

  /** Applies the pre-call webhook's answer to the call. Rejects if the call has ended meanwhile. */
  async #ask(record: CallToRegister, call: ActiveCall, recorder: CallRecorder): Promise<CallToRegister> {
    const {
      agent,
      callId: id,
      at: _at,
      sipCallId: _sipCallId,
      isSimulated: _isSimulated,
      isTest = false,
      campaignId = null,
      ...facts
    } = record;
    const { preCallWebhookUrl: url } = agent.document;
    if (url === null) return record;
    const { id: agentId, environment, organizationId } = agent;
    const data = { ...facts, id, agentId, environment, isTest, campaignId };
    const { answer, problems } = await this.#options.preCall.ask({ organizationId, url, data }, call.signal);
    if (problems.length > 0) recorder.item(notePreCallProblems(problems));
    if (answer.reject) call.hangUp(rejectedByWebhook(answer.reject));
    call.signal.throwIfAborted();
    const variables = { ...record.variables, ...answer.variables };
    if (answer.variables !== undefined) recorder.variables(variables);
    return { ...record, variables, agent: withGreeting(agent, answer.firstMessage) };
  }

  async #trySendText(record: CallToRegister, text: string): Promise<TextOutcome> {
    const { callId, agent } = record;
    if (record.isSimulated === true) return { isQueued: true };
    const otherNumber = numberOfOtherSide(record);
    if (otherNumber === undefined) return { isQueued: false, reason: "the other side has no number" };
    try {
      await this.#sendText({ callId, agent, otherNumber, text });
      return { isQueued: true };
    } catch (error) {
      this.#options.logger.warn({ err: error, callId }, "sending a message during a call failed");
      return { isQueued: false, reason: errorMessage(error) };
    }
  }

  /** Makes `drain` wait for a promise, up to its deadline. */
  watch(running: Promise<void>): void {
    this.#running.add(running);
    const forget = (): void => void this.#running.delete(running);
    running.then(forget, forget);
  }

  /** Refuses new calls and waits for the others to end; hangs up those that are left at the deadline. */
  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true;
    const deadline = performance.now() + deadlineMs;
    while (this.#running.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    for (const call of this.#calls.values()) {
      call.hangUp({ status: "failed", endReason: "node_lost", endDetail: "the node was shut down" });
    }
    // An unreachable database does not block the shutdown: unaccepted writes are in the spool.
    const timer = new AbortController();
    await Promise.race([
      Promise.all(this.#running),
      sleep(WRITE_GRACE_MS, undefined, { signal: timer.signal }).catch(() => undefined),
    ]);
    timer.abort();
  }
}

function transfersOf(
  document: ResolvedAgent["document"],
): Pick<ActiveCallOptions, "transferRoutes" | "maxTransferredMs"> {
  return {
    transferRoutes: toTransferRoutes(document),
    maxTransferredMs: document.maxConversationDurationSeconds * 1000,
  };
}

function rejectedByWebhook(reject: true | { reason?: string }): CallOutcome {
  const reason = reject === true ? undefined : reject.reason;
  const outcome = { status: "canceled", endReason: "rejected_by_webhook" } as const;
  return reason === undefined ? outcome : { ...outcome, endDetail: reason.slice(0, MAX_REASON_CHARACTERS) };
}

/** Transcript item that explains why the webhook had no effect, or only part of it. */
function notePreCallProblems(problems: readonly string[]): TranscriptItem {
  const text = `The pre-call webhook, or part of its answer, was ignored: ${problems.join("; ")}.`;
  return {
    id: "pre-call-webhook",
    type: "system",
    text: text.slice(0, MAX_NOTE_CHARACTERS),
    startMs: 0,
    endMs: 0,
  };
}

/** Transcript item that explains gaps in what the agent said. */
function noteUnknownVariables(names: readonly string[]): TranscriptItem {
  const text = `The agent's configuration uses variables without a value: ${names.join(", ")}.`;
  return { id: "unknown-variables", type: "system", text, startMs: 0, endMs: 0 };
}
