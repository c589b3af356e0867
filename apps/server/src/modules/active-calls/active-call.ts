import { randomUUID } from "node:crypto";
import { errorMessage } from "@parley/conversation/error-message";
import { type CallEndReason, type LiveCallEvent, MAX_RECORDED_PROVIDER_FAILURES } from "@parley/contract";
import type {
  ProviderFault,
  SearchKnowledge,
  TransferResult,
  TurnLatency,
  VoiceEvent,
} from "@parley/conversation";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { CallMedia, MediaLegHandlers } from "../../media/media-legs.ts";
import type { SignRequest } from "../../custom-tools/webhook-tool.ts";
import { CallScope } from "../../platform/call-scope.ts";
import type { CallSpans } from "../../platform/telemetry/call-spans.ts";
import type { Metrics, TurnParts } from "../../platform/telemetry/metrics.ts";
import type { CallCommandAnswer, ActiveCallCommand } from "./call-command.ts";
import { toCallQuality } from "../calls/call-quality.rules.ts";
import type { AgentDocument } from "../agents/agent-document.rules.ts";
import type { CallRecorder } from "./call-recorder.ts";
import type { CallAnswer, FinalCallStatus } from "../calls/calls.service.ts";

export type ProviderNames = Omit<CallAnswer, "at" | "isRecorded">;

export interface CallOutcome {
  status: FinalCallStatus;
  endReason: CallEndReason;
  endDetail?: string;
}

/** How the other side is reached: over SIP, or by a browser. */
export interface CallSignaling {
  /**
   * Opens the call's media and establishes the call. Settles soon after `call.signal` aborts. A rejection
   * ends the call.
   */
  establish: (call: ActiveCall) => Promise<void>;
  /** Ends the call for the other side, at any stage; the media is closed after that. Does not reject. */
  end: (outcome: CallOutcome) => void | Promise<void>;
  /** Sends an event of the call to the other side, if it receives events. */
  sendEvent?: (event: LiveCallEvent) => void;
  /** Transfers the call. Absent if it can only be simulated. */
  transfer?: (call: ActiveCall, route: TransferRoute) => Promise<TransferResult>;
}

/** A destination of transfers, from the agent's document. */
export type TransferRoute = AgentDocument["transferRoutes"][number] & {
  /** `undefined` for a transfer without an announcement. */
  warm: Pick<AgentDocument["warmTransferConfig"], "callerIdMode"> | undefined;
};

/** Returns the agent's destinations. In warm transfers the shorter of two limits applies. */
export function toTransferRoutes({
  transferRoutes,
  transferMode,
  warmTransferConfig: config,
}: AgentDocument): TransferRoute[] {
  if (transferMode === "cold") return transferRoutes.map((route) => ({ ...route, warm: undefined }));
  return transferRoutes.map((route) => ({
    ...route,
    dialTimeoutSeconds: Math.min(route.dialTimeoutSeconds, config.dialTimeoutSeconds),
    waitForHumanSeconds: Math.min(route.waitForHumanSeconds, config.waitForHumanSeconds),
    warm: config,
  }));
}

export interface ActiveCallOptions {
  callId: string;
  organizationId: string;
  recorder: Pick<CallRecorder, "ringing" | "answered" | "item" | "turn" | "providerFailure" | "finish">;
  providerNames: ProviderNames;
  isRecorded: boolean;
  /** Whether transfers are simulated. */
  isTest: boolean;
  transferRoutes: readonly TransferRoute[];
  /** Longest time for which the caller and a person may talk after a transfer. */
  maxTransferredMs: number;
  /** Signs the requests of the call's tools. */
  sign: SignRequest;
  /** Puts the other side's number on the do-not-call list. Rejects if it could not. */
  addToDoNotCall: () => Promise<void>;
  /** Sends a text message to the other side. Never rejects. */
  sendText: MediaLegHandlers["onSendText"];
  /** Searches the agent's knowledge bases. */
  searchKnowledge: SearchKnowledge;
  metrics: Pick<
    Metrics,
    "observeCall" | "observeFault" | "observeTurn" | "observeLostAudio" | "observeProviderFailure"
  >;
  /** `undefined` when tracing is disabled. */
  trace: CallSpans | undefined;
  clock: Clock;
  logger: Logger;
}

/** A call that this node runs, over SIP or WebRTC: its media, its record and its end. */
export class ActiveCall {
  readonly #options: ActiveCallOptions;
  readonly #over = new AbortController();
  readonly #decided = Promise.withResolvers<CallOutcome>();
  #outcome: CallOutcome | undefined;
  #media: CallMedia | undefined;
  #isAnswered = false;
  /** Whether a mailbox or a fax machine has answered. */
  #isVoicemail = false;
  #isTransferring = false;
  /** Whether the caller talks to a person by now. */
  #isTransferred = false;
  #signaling: CallSignaling | undefined;
  #endedAt: Date | undefined;
  #providerFailures = 0;
  #providerNames: ProviderNames;

  constructor(options: ActiveCallOptions) {
    this.#options = options;
    this.#providerNames = options.providerNames;
  }

  get id(): string {
    return this.#options.callId;
  }

  /** Resolves once the call's outcome is known. Never rejects. */
  get decided(): Promise<CallOutcome> {
    return this.#decided.promise;
  }

  /** Aborts once the call's outcome is known. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get organizationId(): string {
    return this.#options.organizationId;
  }

  /** True after the answer, until the call is over. */
  get isInProgress(): boolean {
    return this.#isAnswered && !this.signal.aborted;
  }

  /** `undefined` while the call goes on. */
  get endedAt(): Date | undefined {
    return this.#endedAt;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Handlers for events of the call's media. */
  readonly mediaHandlers: MediaLegHandlers = {
    onEvent: (event) => this.#receive(event),
    onSign: async (message) => await this.#options.sign(message),
    onDoNotCall: async () => await this.#addToDoNotCall(),
    onSendText: async (text) => await this.#options.sendText(text),
    onTransfer: async (destination) => await this.#transferTo(destination),
    onPersonTimeout: (silentMs) =>
      this.hangUp({
        ...transferred,
        endDetail: `the person sent no audio for ${Math.round(silentMs / 1000)} s`,
      }),
    onSearchKnowledge: async (query) => {
      try {
        return { passages: [...(await this.#options.searchKnowledge(query))] };
      } catch (error) {
        return { reason: errorMessage(error) };
      }
    },
    onMediaTimeout: (silentMs) =>
      this.hangUp({
        status: "failed",
        endReason: "media_timeout",
        endDetail: `no RTP or RTCP received for ${Math.round(silentMs / 1000)} s`,
      }),
    onFault: (endDetail) => this.#fail(endDetail),
    onLost: (endDetail) => this.hangUp({ status: "failed", endReason: "error_internal", endDetail }),
  };

  /** Sets the names for the call's record, before its answer. */
  useProviderNames(names: ProviderNames): void {
    this.#providerNames = names;
  }

  /** Gives the call its media, which the call closes at its end. */
  takeMedia(media: CallMedia): void {
    this.#media = media;
  }

  /** Records that the other side's phone rings. */
  ringing(): void {
    this.#options.recorder.ringing(this.#options.clock.now());
  }

  /** Records that the call was answered. */
  answered(): void {
    const { recorder, isRecorded, clock } = this.#options;
    this.#isAnswered = true;
    recorder.answered({ ...this.#providerNames, isRecorded, at: clock.now() });
  }

  /**
   * Ends the call. The first outcome wins: the events that follow from it (a BYE, closed media) do not
   * replace it.
   */
  hangUp(outcome: CallOutcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = this.#withCause(outcome);
    this.#decided.resolve(this.#outcome);
    this.#over.abort();
  }

  /** A hang-up by the other side has another meaning at a mailbox, and between two people. */
  #withCause(outcome: CallOutcome): CallOutcome {
    if (outcome.endReason !== "user_hangup") return outcome;
    if (this.#isTransferred) return { ...outcome, ...transferred };
    return this.#isVoicemail ? { ...outcome, ...mailboxHungUp } : outcome;
  }

  /** Notes that the caller talks to a person from now on, and no longer to the agent. The call ends after its longest duration. */
  noteTransferred(): void {
    this.#isTransferred = true;
    const { maxTransferredMs } = this.#options;
    const endDetail = `${maxTransferredMs / 1000} s after the transfer`;
    const timer = setTimeout(
      () => this.hangUp({ status: "completed", endReason: "max_duration", endDetail }),
      maxTransferredMs,
    );
    void this.decided.then(() => clearTimeout(timer));
  }

  /** Carries out a command from the API, on any node. */
  async carryOut(command: ActiveCallCommand): Promise<CallCommandAnswer> {
    if (this.signal.aborted) return "refused";
    switch (command.type) {
      case "instruct": {
        if (!this.#isAnswered) return "refused";
        const isTaken = await this.#media?.instruct({ text: command.text, speak: command.speak });
        return isTaken === true ? "done" : "refused";
      }
      case "hangUp":
        this.hangUp(
          this.#isAnswered
            ? { status: "completed", endReason: "api_hangup" }
            : { status: "canceled", endReason: "canceled" },
        );
        return "done";
    }
  }

  /** Runs the call to its end. Resolves when the end is written. Never rejects. */
  async run(signaling: CallSignaling): Promise<void> {
    const scope = new CallScope((error) => this.#fail(error));
    await scope.run(async () => await this.#run(signaling));
    scope.end();
  }

  async #run(signaling: CallSignaling): Promise<void> {
    const { recorder, metrics, trace, logger, callId } = this.#options;
    this.#signaling = signaling;
    try {
      await signaling.establish(this);
    } catch (error) {
      if (!this.signal.aborted) logger.error({ err: error, callId }, "establishing a call failed");
      const endDetail = errorMessage(error);
      this.hangUp({ status: "failed", endReason: "error_internal", endDetail });
    }
    const outcome = await this.decided;
    const endedAt = this.#options.clock.now();
    this.#endedAt = endedAt;
    await signaling.end(outcome);
    // The conversation's last words arrive before its leg is closed.
    const statistics = await this.#media?.close();
    const quality = statistics && toCallQuality(statistics);
    await recorder.finish({ ...outcome, endedAt, ...(quality && { quality }) });
    metrics.observeCall(outcome.endReason);
    trace?.end(outcome.endReason);
    logger.info({ callId, ...outcome, media: statistics }, "call ended");
  }

  /** Ends this call after an unexpected exception, here or in the media process; other calls continue. */
  #fail(error: unknown): void {
    const { logger, metrics, callId } = this.#options;
    const endDetail = errorMessage(error);
    metrics.observeFault();
    logger.error({ err: error, callId }, "call ended by an exception");
    this.hangUp({ status: "failed", endReason: "error_internal", endDetail });
  }

  #noteProviderFailure({ part, provider, kind, message, takenOverBy }: ProviderFault): void {
    const { recorder, metrics, trace, logger, callId, clock } = this.#options;
    trace?.fault(part, provider, message);
    metrics.observeProviderFailure(part, provider, takenOverBy !== undefined);
    logger.warn({ callId, part, provider, reason: message, takenOverBy }, "provider fault");
    this.#providerFailures += 1;
    if (this.#providerFailures > MAX_RECORDED_PROVIDER_FAILURES) return;
    const about = { part, provider, kind, message, takenOverBy: takenOverBy ?? null };
    recorder.providerFailure({ id: randomUUID(), at: clock.now().toISOString(), ...about });
  }

  /** Never rejects. */
  async #transferTo(destination: number): Promise<TransferResult> {
    const { transferRoutes, isTest, logger, callId } = this.#options;
    const route = transferRoutes[destination];
    if (route === undefined) return { isTransferred: false, reason: "there is no such destination" };
    if (this.#isTransferring) return { isTransferred: false, reason: "a transfer is under way already" };
    const signaling = this.#signaling;
    if (isTest || signaling?.transfer === undefined) {
      this.#media?.noteTransfer(`Transferred to ${route.to_number} (simulated: no call was placed).`);
      return simulated;
    }
    this.#isTransferring = true;
    try {
      const result = await signaling.transfer(this, route);
      logger.info({ callId, to: route.to_number, ...result }, "transfer");
      return result;
    } catch (error) {
      logger.error({ err: error, callId }, "a transfer failed");
      return { isTransferred: false, reason: "the transfer could not be carried out" };
    } finally {
      this.#isTransferring = false;
    }
  }

  async #addToDoNotCall(): Promise<boolean> {
    const { addToDoNotCall, logger, callId } = this.#options;
    try {
      await addToDoNotCall();
      logger.info({ callId }, "the agent added the number to the do-not-call list");
      return true;
    } catch (error) {
      logger.warn({ err: error, callId }, "adding a number to the do-not-call list failed");
      return false;
    }
  }

  #receive(event: VoiceEvent): void {
    const { recorder, metrics, trace, logger, callId } = this.#options;
    switch (event.type) {
      case "item":
        this.#signaling?.sendEvent?.(event);
        return recorder.item(event.item);
      case "turn": {
        const turn = toTurnParts(event.latency);
        metrics.observeTurn(turn);
        trace?.turn(event.latency);
        const recorded = { id: randomUUID(), ...turn };
        this.#signaling?.sendEvent?.({ type: "turn", turn: recorded });
        return recorder.turn(recorded);
      }
      case "fault":
        return this.#noteProviderFailure(event);
      case "audioLost":
        metrics.observeLostAudio();
        return logger.warn({ callId, lostMs: event.lostMs }, "agent speech lost: no packet was sent");
      case "ended": {
        const { endReason, endDetail } = event;
        // Two people talk from now on.
        if (endReason === "transferred") return;
        const status = endReason.startsWith("error_") ? "failed" : "completed";
        return this.hangUp({ status, endReason, ...(endDetail !== undefined && { endDetail }) });
      }
      case "answeredBy":
        this.#isVoicemail = event.by === "machine" || event.by === "fax";
        return logger.info({ callId, answeredBy: event.by, atMs: event.atMs }, "answer recognized");
      case "state":
      case "itemStarted":
        return this.#signaling?.sendEvent?.(event);
    }
  }
}

const simulated: TransferResult = { isTransferred: true, isSimulated: true };
/** End of a call after its transfer, by either side. */
const transferred = { status: "completed", endReason: "transferred" } as const;

/** A mailbox ends the call when its time is over, or because it heard nothing. */
const mailboxHungUp = {
  endReason: "voicemail",
  endDetail: "the mailbox ended the call before the message did",
} as const;

/** Splits a turn's latency into parts, whose sum is the total: our own part is what the others leave. */
function toTurnParts(latency: TurnLatency): TurnParts {
  const { endpointingMs, textWaitMs: sttMs, llmFirstTokenMs, toolMs, clauseMs: llmFirstClauseMs } = latency;
  const { ttsFirstByteMs, waitMs, totalMs } = latency;
  const parts = { endpointingMs, sttMs, llmFirstTokenMs, toolMs, llmFirstClauseMs, ttsFirstByteMs, waitMs };
  const othersMs = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
  return { ...parts, overheadMs: Math.max(0, totalMs - othersMs), totalMs };
}
