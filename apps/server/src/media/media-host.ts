import { errorMessage } from "@parley/conversation/error-message";
import {
  createKeypadTool,
  Dialogue,
  emergencyTexts,
  PhraseBook,
  VoiceConversation,
  VoiceSpeeds,
} from "@parley/conversation";
import { MediaWheel, PortPool } from "@parley/rtp";
import { createWebhookTool, type SignRequest } from "../custom-tools/webhook-tool.ts";
import { CallScope } from "../platform/call-scope.ts";
import { monotonicMs } from "../platform/monotonic-clock.ts";
import { OutboundClient } from "../platform/outbound-http/outbound-client.ts";
import { PhoneMedia } from "./phone/phone-media.ts";
import { type RecordingSpool, RecordingSpools } from "./recording/recording-spool.ts";
import { createProviders, type Providers } from "../model-providers/conversation-providers.ts";
import { RemoteSigner } from "./remote-signer.ts";
import { type TurnLog, TurnLogs } from "./turn-logs.ts";
import { WebMedia } from "./web/web-media.ts";
import {
  scopeLanguageModel,
  scopeSpeechToText,
  scopeTextToSpeech,
  scopeTurnEnd,
  scopeVoiceActivity,
} from "../model-providers/scoped-providers.ts";
import type { FromMedia, MediaCall, MediaConfiguration, ToMedia, WebPorts } from "./media-protocol.ts";

/** Longest wait for a prepared greeting. After it the call is answered, and the greeting is spoken as it is synthesized. */
const PREPARATION_DEADLINE_MS = 2_000;
/** Resources that most calls need. */
const FIRST_PHRASES_STYLE = { sampleRateHz: 8000, language: "en", speed: 1 } as const;
const LOAD_INTERVAL_MS = 1_000;

interface HostedCall {
  scope: CallScope;
  turnLog: TurnLog | undefined;
  conversation: VoiceConversation;
  media: PhoneMedia | WebMedia;
  spool: RecordingSpool | undefined;
}

/** Owner of a call's resources, with the call's scope. */
type CallParts = Omit<HostedCall, "media">;

/** Messages for one call, except `close`. */
type CallMessage = Exclude<
  ToMedia,
  { type: "configure" | "speechFit" | "open" | "openWeb" | "signed" | "finish" | "close" }
>;

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
  readonly #providers: Providers;
  readonly #send: (message: FromMedia) => void;
  readonly #rtpTimeoutMs: number;
  readonly #web: WebPorts;
  readonly #ports: PortPool;
  readonly #wheel: MediaWheel;
  readonly #phrases = new PhraseBook();
  readonly #speeds = new VoiceSpeeds();
  readonly #outbound: OutboundClient;
  readonly #turnLogs: TurnLogs | undefined;
  readonly #spools: RecordingSpools;
  readonly #signer = new RemoteSigner((signatureId, callId, message) =>
    this.#send({ type: "sign", callId, signatureId, message }),
  );
  /** Calls by id. A promise while the call's port is being opened. */
  readonly #calls = new Map<string, Promise<HostedCall | undefined>>();
  readonly #loadTimer: NodeJS.Timeout;

  constructor(configuration: MediaConfiguration, providers: Providers, send: (message: FromMedia) => void) {
    this.#providers = providers;
    this.#send = send;
    this.#rtpTimeoutMs = configuration.rtpTimeoutMs;
    this.#web = configuration.web;
    this.#ports = new PortPool(configuration.rtpPorts);
    this.#outbound = new OutboundClient({ isPrivateAllowed: configuration.isPrivateWebhookAllowed });
    this.#wheel = new MediaWheel({ onError: (error) => reportError("the media wheel", error) });
    const { turnLogs } = configuration;
    this.#turnLogs =
      turnLogs && new TurnLogs({ ...turnLogs, onError: (error) => reportError("a turn log", error) });
    this.#spools = new RecordingSpools({
      folder: configuration.recordingFolder,
      reserveBytes: configuration.diskReserveBytes,
      onError: (error, callId) => reportError(`the recording of call ${callId}`, error),
    });
    // A remote voice may be gone when the first call needs it. A local one would take the processor from the first call, for a
    // voice that perhaps no agent has: its phrases are made when an agent is saved.
    const voices = providers.voicesFor({ voiceId: "", fallbackVoiceId: undefined, language: "en" });
    if (configuration.providers.textToSpeech.provider !== "local")
      void this.#phrases.prepare(voices, FIRST_PHRASES_STYLE, emergencyTexts("en"));
    this.#loadTimer = setInterval(() => this.#reportLoad(), LOAD_INTERVAL_MS);
  }

  receive(message: Exclude<ToMedia, MediaConfiguration>): void {
    if (message.type === "open") {
      const { call } = message;
      this.#calls.set(
        call.callId,
        this.#open(call, (parts) => this.#openPhone(call, parts)),
      );
      return;
    }
    if (message.type === "openWeb") {
      const { call } = message;
      this.#calls.set(
        call.callId,
        this.#open(call, (parts) => this.#openWeb(call, parts)),
      );
      return;
    }
    if (message.type === "speechFit") return this.#providers.useSpeechFit(message.fit);
    if (message.type === "signed") return this.#signer.settle(message.signatureId, message.headers);
    // A call that has ended was reported already.
    void this.#calls.get(message.callId)?.then((call) => {
      if (call === undefined) return;
      // `close` follows an exception as well.
      if (message.type === "close") return this.#close(message.callId, call);
      if (message.type === "finish") return this.#finish(message.callId, call);
      call.scope.guard(() => this.#deliver(message, call))();
    });
  }

  #deliver(message: CallMessage, { scope, media, conversation }: HostedCall): void {
    switch (message.type) {
      case "connect":
        if (media instanceof PhoneMedia) media.connect(message.path);
        return;
      case "start":
        if (media instanceof PhoneMedia) media.start();
        return;
      case "confirm":
        if (media instanceof PhoneMedia) media.confirm();
        return;
      case "key":
        if (media instanceof PhoneMedia) media.hearKey(message.digit);
        return;
      case "join":
      case "fragment":
      case "live":
        if (media instanceof WebMedia) scope.run(() => this.#receiveWeb(message, media));
        return;
      case "instruct": {
        const { callId, instructionId, instruction, expiresAtMs } = message;
        const isTaken = monotonicMs() < expiresAtMs && conversation.instruct(instruction);
        return this.#send({ type: "instructed", callId, instructionId, isTaken });
      }
    }
  }

  #receiveWeb(message: Extract<ToMedia, { type: "join" | "fragment" | "live" }>, media: WebMedia): void {
    switch (message.type) {
      case "join": {
        const { callId, requestId, sdp } = message;
        void media.join(sdp).then((result) => this.#send({ type: "joined", callId, requestId, result }));
        return;
      }
      case "fragment": {
        const { callId, requestId, fragment } = message;
        void media
          .take(fragment)
          .then((result) => this.#send({ type: "fragmentTaken", callId, requestId, result }));
        return;
      }
      case "live":
        return media.tell(message.event);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#loadTimer);
    for (const [callId, opening] of this.#calls) {
      const call = await opening;
      if (call === undefined) continue;
      this.#close(callId, call);
      await call.turnLog?.close();
    }
    this.#wheel.close();
    await this.#spools.close();
    this.#phrases.close();
    this.#signer.close();
    await this.#outbound.close();
    await this.#providers.close();
  }

  /** Never rejects. `undefined` if the call could not be opened, which is then reported. */
  async #open(
    call: MediaCall,
    openMedia: (parts: CallParts) => Promise<PhoneMedia | WebMedia>,
  ): Promise<HostedCall | undefined> {
    const { callId } = call;
    let parts: CallParts | undefined;
    try {
      parts = this.#createParts(call);
      const { scope, conversation } = parts;
      const media = await openMedia(parts);
      const signal = AbortSignal.timeout(PREPARATION_DEADLINE_MS);
      void scope
        .run(async () => await conversation.prepare(signal))
        .then(() => this.#send({ type: "prepared", callId }));
      return { ...parts, media };
    } catch (error) {
      parts?.scope.end();
      parts?.conversation.close();
      void parts?.turnLog?.close();
      void parts?.spool?.close();
      this.#calls.delete(callId);
      this.#send({
        type: "openFailed",
        callId,
        message: errorMessage(error),
      });
      return undefined;
    }
  }

  #createParts(call: MediaCall): CallParts {
    const { callId } = call;
    const scope = new CallScope((error) => this.#fail(callId, error));
    const turnLog = this.#turnLogs?.open(callId, () => conversation.turnSettings);
    const conversation: VoiceConversation = scope.run(() => this.#createConversation(call, scope, turnLog));
    const spool = call.isRecorded ? this.#spools.open(callId, call.sampleRateHz) : undefined;
    return { scope, conversation, turnLog, spool };
  }

  async #openPhone({ callId, isIPv6, sampleRateHz }: MediaCall, parts: CallParts): Promise<PhoneMedia> {
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
    });
    this.#send({ type: "opened", callId, rtpPort: media.port });
    return media;
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

  #createConversation(call: MediaCall, scope: CallScope, turnLog: TurnLog | undefined): VoiceConversation {
    const {
      callId,
      sampleRateHz,
      instructions,
      llmModel,
      llmTemperature,
      llmReasoningEffort,
      endCall,
      keypad,
      tools,
    } = call;
    const { conversation, agent, fallbackVoiceId } = call;
    const { languageModelFor, speechToText, voicesFor, voiceActivity, noiseSuppressor, turnEnd } =
      this.#providers;
    const [{ tts, voice }, ...fallbackVoices] = voicesFor({
      voiceId: agent.voice,
      fallbackVoiceId,
      language: agent.language,
    });
    const sign: SignRequest = async (request) => await this.#signer.sign(callId, request);
    const press = async (keys: string, signal: AbortSignal): Promise<void> =>
      await this.#pressKeys(callId, keys, signal);
    return new VoiceConversation({
      sampleRateHz,
      agent: { ...agent, voice },
      dialogue: new Dialogue({
        model: scopeLanguageModel(scope, languageModelFor(llmModel)),
        instructions,
        tools: [
          ...tools.map((tool) => createWebhookTool(tool, conversation, this.#outbound, sign)),
          ...(keypad === undefined ? [] : [createKeypadTool({ ...keypad, press })]),
        ],
        temperature: llmTemperature,
        ...(llmReasoningEffort !== "none" && { reasoningEffort: llmReasoningEffort }),
        ...(endCall !== undefined && { endCall }),
      }),
      stt: scopeSpeechToText(scope, speechToText),
      tts: scopeTextToSpeech(scope, tts),
      fallbackVoices: fallbackVoices.map((each) => ({ ...each, tts: scopeTextToSpeech(scope, each.tts) })),
      phrases: this.#phrases,
      speeds: this.#speeds,
      vad: scopeVoiceActivity(scope, voiceActivity),
      noiseSuppressor: call.hasNoiseSuppression ? noiseSuppressor : undefined,
      ...(turnEnd && { turnEnd: scopeTurnEnd(scope, turnEnd) }),
      ...(turnLog && { onDecision: turnLog.onDecision }),
      onEvent: (event) => this.#send({ type: "event", callId, event }),
    });
  }

  async #pressKeys(callId: string, keys: string, signal: AbortSignal): Promise<void> {
    const call = await this.#calls.get(callId);
    if (call === undefined) throw new Error("the call is over");
    if (call.media instanceof PhoneMedia) return await call.media.press(keys, signal);
    // A browser call has no line for tones: the pressed keys are only reported.
    call.conversation.noteSentKeys(keys, 0);
  }

  /** Ends the conversation after an exception, which left the call in an unknown state. The main process then closes the call. */
  #fail(callId: string, error: unknown): void {
    reportError(`call ${callId}`, error);
    const message = errorMessage(error);
    this.#send({ type: "callFault", callId, message });
    void this.#calls.get(callId)?.then((call) => {
      attempt(callId, () => call?.conversation.end("error_internal", message));
      attempt(callId, () => call?.conversation.close());
    });
  }

  #finish(callId: string, { conversation }: HostedCall): void {
    attempt(callId, () => conversation.end("user_hangup"));
    this.#send({ type: "finished", callId });
  }

  /** Closes all parts, even if closing one of them throws. */
  #close(callId: string, { scope, conversation, media, turnLog, spool }: HostedCall): void {
    if (!this.#calls.delete(callId)) return;
    // Adds the speech that the hang-up interrupted to the transcript first.
    attempt(callId, () => conversation.end("user_hangup"));
    scope.end();
    attempt(callId, () => conversation.close());
    attempt(callId, () => void turnLog?.close());
    const statistics = attempt(callId, () => media.statistics);
    attempt(callId, () => media.close());
    attempt(callId, () => void spool?.close());
    this.#send({ type: "closed", callId, statistics });
  }

  #reportLoad(): void {
    this.#send({
      type: "load",
      calls: this.#calls.size,
      wheelLagP99Ms: this.#wheel.lagP99Ms,
      lagCounts: this.#wheel.takeLagCounts(),
      residentBytes: process.memoryUsage.rss(),
    });
  }
}

/** Returns `undefined` and reports the exception if `run` throws. */
function attempt<T>(callId: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    reportError(`closing call ${callId}`, error);
    return undefined;
  }
}

/** Media processes have no logger: the main process reads their stderr. */
function reportError(where: string, error: unknown): void {
  process.stderr.write(
    `${JSON.stringify({ level: 50, msg: `error in ${where}`, err: error instanceof Error ? error.stack : String(error) })}\n`,
  );
}
