import { errorMessage } from "@parley/conversation/error-message";
import {
  emergencyTexts,
  type KnowledgePassage,
  PhraseBook,
  type TransferResult,
  type VoiceConversation,
  VoiceSpeeds,
} from "@parley/conversation";
import { MediaWheel, PortPool } from "@parley/rtp";
import { createProviders, type Providers } from "../model-providers/conversation-providers.ts";
import { ProviderCircuits } from "../model-providers/provider-circuits.ts";
import { monotonicMs } from "../platform/monotonic-clock.ts";
import type { Lease } from "../model-providers/organization-sets.ts";
import type { ProviderSet } from "../model-providers/provider-set.ts";
import { CallScope } from "../platform/call-scope.ts";
import { systemClock } from "../platform/clock.ts";
import { OutboundClient } from "../platform/outbound-http/outbound-client.ts";
import { type ConversationResources, createCallConversation } from "./call-conversation.ts";
import { type CallParts, HostedCall, type OpenPerson } from "./hosted-call.ts";
import { PendingRequests } from "./pending-requests.ts";
import type {
  FromMedia,
  KnowledgeOutcome,
  MediaCall,
  MediaConfiguration,
  TextOutcome,
  ToMedia,
  WebPorts,
} from "./media-protocol.ts";
import { PhoneMedia } from "./phone/phone-media.ts";
import { RecordingSpools } from "./recording/recording-spool.ts";
import { reportError } from "./report-error.ts";
import { ConditionedLine } from "./tester/conditioned-line.ts";
import { createWarmTransfer } from "./call-briefing.ts";
import { TurnLogs } from "./turn-logs.ts";
import { WebMedia } from "./web/web-media.ts";

/** Longest wait for a prepared greeting. After it the call is answered, and the greeting is spoken as it is synthesized. */
const PREPARATION_DEADLINE_MS = 2_000;
/** Resources that most calls need. */
const FIRST_PHRASES_STYLE = { sampleRateHz: 8000, language: "en", speed: 1 } as const;
const LOAD_INTERVAL_MS = 1_000;
/** The main process signs faster, even without its database. */
const SIGNATURE_DEADLINE_MS = 2_000;
const TEXT_DEADLINE_MS = 5_000;
/** For a search that a tool waits for; the wait of a reply is shorter. */
const KNOWLEDGE_DEADLINE_MS = 5_000;

export interface MediaHost {
  receive: (message: Exclude<ToMedia, MediaConfiguration>) => void;
  /** Ends every call. Idempotent. */
  close: () => Promise<void>;
}

/** Creates the host of a media process's calls. Rejects if a provider's model cannot be loaded. */
export async function createMediaHost(
  configuration: MediaConfiguration,
  send: (message: FromMedia) => void,
): Promise<MediaHost> {
  const providers = await createProviders(configuration, send);
  return new Host(configuration, providers, send);
}

class Host implements MediaHost {
  readonly #resources: ConversationResources;
  readonly #providers: Providers;
  readonly #send: (message: FromMedia) => void;
  readonly #rtpTimeoutMs: number;
  readonly #web: WebPorts;
  readonly #ports: PortPool;
  readonly #wheel: MediaWheel;
  readonly #turnLogs: TurnLogs | undefined;
  readonly #spools: RecordingSpools;
  /** The main process has the current secrets, which never leave it. Without its answer a request is sent unsigned. */
  readonly #signatures = new PendingRequests<Record<string, string>>({}, SIGNATURE_DEADLINE_MS);
  readonly #texts = new PendingRequests<TextOutcome>(
    { isQueued: false, reason: "the message could not be sent in time" },
    TEXT_DEADLINE_MS,
  );
  readonly #searches = new PendingRequests<KnowledgeOutcome>(
    { reason: "the search took too long" },
    KNOWLEDGE_DEADLINE_MS,
  );
  readonly #doNotCallRequests = new PendingRequests<boolean>(false);
  /** The deadline is that of the tool. */
  readonly #transfers = new PendingRequests<TransferResult>({
    isTransferred: false,
    reason: "the transfer could not be carried out",
  });
  /** Calls by id. A promise while the call's port is being opened. */
  readonly #calls = new Map<string, Promise<HostedCall | undefined>>();
  readonly #loadTimer: NodeJS.Timeout;

  constructor(configuration: MediaConfiguration, providers: Providers, send: (message: FromMedia) => void) {
    const phrases = new PhraseBook();
    const outbound = new OutboundClient({ isPrivateAllowed: configuration.isPrivateWebhookAllowed });
    const circuits = new ProviderCircuits(monotonicMs);
    this.#providers = providers;
    this.#resources = { providers, circuits, phrases, speeds: new VoiceSpeeds(), outbound };
    this.#send = send;
    this.#rtpTimeoutMs = configuration.rtpTimeoutMs;
    this.#web = configuration.web;
    this.#ports = new PortPool(configuration.rtpPorts);
    this.#wheel = new MediaWheel({ onError: (error) => reportError("the media wheel", error) });
    const { turnLogs } = configuration;
    this.#turnLogs =
      turnLogs &&
      new TurnLogs({ ...turnLogs, clock: systemClock, onError: (error) => reportError("a turn log", error) });
    this.#spools = new RecordingSpools({
      folder: configuration.recordingFolder,
      reserveBytes: configuration.diskReserveBytes,
      onError: (error, callId) => reportError(`the recording of call ${callId}`, error),
    });
    // A remote voice may be gone when the first call needs it. A local one would take the processor from the first call, for a
    // voice that perhaps no agent has: its phrases are made when an agent is saved.
    const voices = providers.standard.voicesFor({ voiceId: "", fallbackVoiceId: undefined, language: "en" });
    if (configuration.providers.textToSpeech.provider !== "local")
      void phrases.prepare(voices, FIRST_PHRASES_STYLE, emergencyTexts("en"));
    this.#loadTimer = setInterval(() => this.#reportLoad(), LOAD_INTERVAL_MS);
  }

  receive(message: Exclude<ToMedia, MediaConfiguration>): void {
    if (message.type === "open" || message.type === "openWeb") {
      const { type, call } = message;
      const openMedia = (parts: CallParts): Promise<PhoneMedia | WebMedia> =>
        type === "open" ? this.#openPhone(call, parts) : this.#openWeb(call, parts);
      this.#calls.set(call.callId, this.#open(call, openMedia));
      return;
    }
    if (message.type === "speechFit") return this.#providers.useSpeechFit(message.fit);
    if (message.type === "signed") return this.#signatures.answer(message.signatureId, message.headers);
    if (message.type === "textSent") return this.#texts.answer(message.textId, message.outcome);
    if (message.type === "knowledgeFound") return this.#searches.answer(message.searchId, message.outcome);
    if (message.type === "addedToDoNotCall")
      return this.#doNotCallRequests.answer(message.requestId, message.isAdded);
    if (message.type === "transferred") return this.#transfers.answer(message.requestId, message.result);
    // A call that has ended was reported already.
    void this.#calls.get(message.callId)?.then((call) => {
      if (call === undefined) return;
      // `close` follows an exception as well.
      if (message.type === "close") void this.#close(message.callId, call);
      else if (message.type === "finish") call.finish();
      else call.receive(message);
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#loadTimer);
    for (const [callId, opening] of this.#calls) {
      const call = await opening;
      if (call !== undefined) await this.#close(callId, call);
    }
    this.#wheel.close();
    await this.#spools.close();
    const { phrases, outbound } = this.#resources;
    phrases.close();
    this.#signatures.end();
    this.#texts.end();
    this.#searches.end();
    this.#doNotCallRequests.end();
    this.#transfers.end();
    await outbound.close();
    await this.#providers.close();
  }

  /** Never rejects. `undefined` if the call could not be opened, which is then reported. */
  async #open(
    call: MediaCall,
    openMedia: (parts: CallParts) => Promise<PhoneMedia | WebMedia>,
  ): Promise<HostedCall | undefined> {
    const { callId } = call;
    let parts: CallParts | undefined;
    let lease: Lease<ProviderSet> | undefined;
    try {
      lease = await this.#useProviders(call);
      const opened = this.#createParts(call, lease);
      parts = opened;
      const { scope, conversation } = opened;
      const media = await openMedia(parts);
      const signal = AbortSignal.timeout(PREPARATION_DEADLINE_MS);
      void scope
        .run(async () => await conversation.prepare(signal))
        .then(() => this.#send({ type: "prepared", callId }));
      return new HostedCall(
        callId,
        opened,
        media,
        this.#send,
        async (person) => await this.#openPersonMedia(call, opened, person),
      );
    } catch (error) {
      lease?.release();
      parts?.scope.end();
      parts?.conversation.close();
      void parts?.turnLog?.close();
      void parts?.spool?.close();
      this.#calls.delete(callId);
      this.#send({ type: "openFailed", callId, message: errorMessage(error) });
      return undefined;
    }
  }

  async #useProviders({ organizationId, ownProviders }: MediaCall): Promise<Lease<ProviderSet>> {
    const { standard, own } = this.#providers;
    if (ownProviders === undefined) return { set: standard, release: () => {} };
    return await own.use(organizationId, ownProviders);
  }

  #createParts(call: MediaCall, { set, release }: Lease<ProviderSet>): CallParts {
    const { callId } = call;
    const scope = new CallScope((error) => this.#fail(callId, error));
    const turnLog = this.#turnLogs?.open(callId, () => conversation.turnSettings);
    const conversation: VoiceConversation = scope.run(() =>
      createCallConversation(call, scope, set, this.#resources, {
        sign: async (message) =>
          await this.#signatures.ask((signatureId) =>
            this.#send({ type: "sign", callId, signatureId, message }),
          ),
        sendText: async (text) => await this.#sendText(callId, text),
        searchKnowledge: async (query) => await this.#searchKnowledge(callId, query),
        press: async (keys, signal) => await this.#pressKeys(callId, keys, signal),
        addToDoNotCall: async () => await this.#addToDoNotCall(callId),
        transfer: async (destination, signal) => await this.#transfer(callId, destination, signal),
        onEvent: (event) => this.#send({ type: "event", callId, event }),
        onDecision: turnLog?.onDecision,
      }),
    );
    const spool = call.isRecorded ? this.#spools.open(callId, call.sampleRateHz) : undefined;
    const { sampleRateHz, hasNoiseSuppression, transfer } = call;
    const { noiseSuppressor } = this.#resources.providers;
    const warm = transfer?.warm;
    return {
      scope,
      conversation,
      turnLog,
      spool,
      sampleRateHz,
      beginWarmTransfer:
        warm &&
        (() =>
          createWarmTransfer({ ...call, warm }, scope, set, this.#resources, {
            conversation,
            onEvent: (event) => this.#send({ type: "event", callId, event }),
          })),
      openNoiseSuppression: hasNoiseSuppression ? () => noiseSuppressor.open({ sampleRateHz }) : undefined,
      releaseProviders: release,
    };
  }

  async #openPhone(
    { callId, isIPv6, sampleRateHz, tester }: MediaCall,
    parts: CallParts,
  ): Promise<PhoneMedia> {
    const media = await PhoneMedia.open({
      address: isIPv6 === true ? "::" : "0.0.0.0",
      ports: this.#ports,
      wheel: this.#wheel,
      scope: parts.scope,
      conversation: parts.conversation,
      sampleRateHz,
      timeoutMs: this.#rtpTimeoutMs,
      onTimeout: (silentMs) => this.#send({ type: "mediaTimeout", callId, silentMs }),
      tap: parts.spool,
      tester: tester && new ConditionedLine(tester.conditions, sampleRateHz),
    });
    this.#send({ type: "opened", callId, rtpPort: media.port });
    return media;
  }

  /** Media of the person to whom a call is transferred, at the sample rate of the call. */
  async #openPersonMedia(
    { sampleRateHz }: MediaCall,
    { scope }: Pick<CallParts, "scope">,
    { conversation, isIPv6, onTimeout }: Parameters<OpenPerson>[0],
  ): Promise<PhoneMedia> {
    return await PhoneMedia.open({
      address: isIPv6 ? "::" : "0.0.0.0",
      ports: this.#ports,
      wheel: this.#wheel,
      scope,
      conversation,
      sampleRateHz,
      timeoutMs: this.#rtpTimeoutMs,
      onTimeout,
    });
  }

  async #openWeb({ callId }: MediaCall, parts: CallParts): Promise<WebMedia> {
    const media = await WebMedia.open({
      web: this.#web,
      wheel: this.#wheel,
      scope: parts.scope,
      conversation: parts.conversation,
      tap: parts.spool,
      onConnected: () => this.#send({ type: "connected", callId }),
      onAbandoned: (silentMs) => this.#send({ type: "mediaTimeout", callId, silentMs }),
    });
    this.#send({ type: "openedWeb", callId });
    return media;
  }

  /** Reports an exception in the call. The main process then closes the call. */
  #fail(callId: string, error: unknown): void {
    reportError(`call ${callId}`, error);
    const message = errorMessage(error);
    this.#send({ type: "callFault", callId, message });
    void this.#calls.get(callId)?.then((call) => call?.fail(message));
  }

  /** The deadline is that of tools. */
  async #addToDoNotCall(callId: string): Promise<void> {
    const isAdded = await this.#doNotCallRequests.ask((requestId) =>
      this.#send({ type: "addToDoNotCall", callId, requestId }),
    );
    if (!isAdded) throw new Error("the number could not be added to the list");
  }

  /** Rejects with a reason for the model. */
  async #sendText(callId: string, text: string): Promise<void> {
    const outcome = await this.#texts.ask((textId) => this.#send({ type: "sendText", callId, textId, text }));
    if (!outcome.isQueued) throw new Error(outcome.reason);
  }

  /** Rejects with a reason for the model. */
  async #searchKnowledge(callId: string, query: string): Promise<KnowledgePassage[]> {
    const { passages, reason } = await this.#searches.ask((searchId) =>
      this.#send({ type: "searchKnowledge", callId, searchId, query }),
    );
    if (passages === undefined) throw new Error(reason);
    return passages;
  }

  async #transfer(callId: string, destination: number, signal: AbortSignal): Promise<TransferResult> {
    const call = await this.#calls.get(callId);
    await call?.whenSaid(signal);
    return await this.#transfers.ask((requestId) =>
      this.#send({ type: "transfer", callId, requestId, destination }),
    );
  }

  async #pressKeys(callId: string, keys: string, signal: AbortSignal): Promise<void> {
    const call = await this.#calls.get(callId);
    if (call === undefined) throw new Error("the call is over");
    await call.press(keys, signal);
  }

  async #close(callId: string, call: HostedCall): Promise<void> {
    if (this.#calls.delete(callId)) await call.close();
  }

  #reportLoad(): void {
    this.#send({
      type: "load",
      calls: this.#calls.size,
      wheelLagP99Ms: this.#wheel.lagP99Ms,
      lagCounts: this.#wheel.takeLagCounts(),
      residentBytes: process.memoryUsage.rss(),
      openCircuits: this.#resources.circuits.openCount,
    });
  }
}
