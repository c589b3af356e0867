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
import { monotonicMs } from "../platform/monotonic-clock.ts";
import { OutboundClient } from "../platform/outbound-http/outbound-client.ts";
import { PhoneMedia } from "./phone-media.ts";
import { type RecordingSpool, RecordingSpools } from "./recording-spool.ts";
import { createProviders, type Providers } from "./providers.ts";
import { RemoteSigner } from "./remote-signer.ts";
import { type TurnLog, TurnLogs } from "./turn-logs.ts";
import { WebMedia } from "./web-media.ts";
import type { FromMedia, MediaCall, MediaConfiguration, ToMedia, WebPorts } from "./media-protocol.ts";

/** A greeting that is not ready by then is said as it comes: the caller must not ring for ever. */
const PREPARATION_DEADLINE_MS = 2_000;
/** What most calls will ask for. */
const FIRST_PHRASES_STYLE = { sampleRateHz: 8000, language: "en", speed: 1 } as const;
const LOAD_INTERVAL_MS = 1_000;

interface HostedCall {
  turnLog: TurnLog | undefined;
  conversation: VoiceConversation;
  media: PhoneMedia | WebMedia;
  spool: RecordingSpool | undefined;
}

/** What a call's media is bound to. */
type CallParts = Pick<HostedCall, "conversation" | "spool">;

export interface MediaHost {
  receive: (message: Exclude<ToMedia, MediaConfiguration>) => void;
  /** Ends every call. Idempotent. */
  close: () => Promise<void>;
}

/** The calls of one media process. Rejects where a provider's model cannot be loaded. */
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
  /** Calls by id; a promise while a call's port is being opened. */
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
      onError: (error, callId) => reportError(`the recording of call ${callId}`, error),
    });
    // A remote voice may be gone when the first call needs it; a local one is busy then.
    const voices = providers.voicesFor({ voiceId: "", fallbackVoiceId: undefined, language: "en" });
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
    if (message.type === "signed") return this.#signer.settle(message.signatureId, message.headers);
    // A call that is gone needs nothing more: its end has been told.
    void this.#calls.get(message.callId)?.then((call) => {
      if (call === undefined) return;
      const { media } = call;
      switch (message.type) {
        case "connect":
          if (media instanceof PhoneMedia) media.connect(message.path);
          return;
        case "start":
          if (media instanceof PhoneMedia) media.start();
          return;
        case "key":
          if (media instanceof PhoneMedia) media.hearKey(message.digit);
          return;
        case "join":
        case "fragment":
        case "live":
          if (media instanceof WebMedia) this.#receiveWeb(message, media);
          return;
        case "instruct": {
          const { callId, instructionId, instruction, expiresAtMs } = message;
          const isTaken = monotonicMs() < expiresAtMs && call.conversation.instruct(instruction);
          return this.#send({ type: "instructed", callId, instructionId, isTaken });
        }
        case "finish":
          call.conversation.end("user_hangup");
          return this.#send({ type: "finished", callId: message.callId });
        case "close":
          return this.#close(message.callId, call);
      }
    });
  }

  /** Never rejects. */
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

  /** Never rejects; undefined where the call could not be opened, which has then been told. */
  async #open(
    call: MediaCall,
    openMedia: (parts: CallParts) => Promise<PhoneMedia | WebMedia>,
  ): Promise<HostedCall | undefined> {
    const { callId } = call;
    const turnLog = this.#turnLogs?.open(callId, () => conversation.turnSettings);
    const conversation = this.#createConversation(call, turnLog);
    const spool = call.isRecorded ? this.#spools.open(callId, call.sampleRateHz) : undefined;
    try {
      const media = await openMedia({ conversation, spool });
      void conversation
        .prepare(AbortSignal.timeout(PREPARATION_DEADLINE_MS))
        .then(() => this.#send({ type: "prepared", callId }));
      return { conversation, media, turnLog, spool };
    } catch (error) {
      conversation.close();
      void turnLog?.close();
      void spool?.close();
      this.#calls.delete(callId);
      this.#send({
        type: "openFailed",
        callId,
        message: error instanceof Error ? error.message : String(error),
      });
      return undefined;
    }
  }

  async #openPhone({ callId, isIPv6, sampleRateHz }: MediaCall, parts: CallParts): Promise<PhoneMedia> {
    const media = await PhoneMedia.open({
      address: isIPv6 === true ? "::" : "0.0.0.0",
      ports: this.#ports,
      wheel: this.#wheel,
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
      conversation: parts.conversation,
      tap: parts.spool,
      onConnected: () => this.#send({ type: "connected", callId }),
      onAbandoned: (silentMs) => this.#send({ type: "mediaTimeout", callId, silentMs }),
    });
    this.#send({ type: "openedWeb", callId });
    return media;
  }

  #createConversation(call: MediaCall, turnLog: TurnLog | undefined): VoiceConversation {
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
        model: languageModelFor(llmModel),
        instructions,
        tools: [
          ...tools.map((tool) => createWebhookTool(tool, conversation, this.#outbound, sign)),
          ...(keypad === undefined ? [] : [createKeypadTool({ ...keypad, press })]),
        ],
        temperature: llmTemperature,
        ...(llmReasoningEffort !== "none" && { reasoningEffort: llmReasoningEffort }),
        ...(endCall !== undefined && { endCall }),
      }),
      stt: speechToText,
      tts,
      fallbackVoices,
      phrases: this.#phrases,
      speeds: this.#speeds,
      vad: voiceActivity,
      noiseSuppressor: call.hasNoiseSuppression ? noiseSuppressor : undefined,
      ...(turnEnd && { turnEnd }),
      ...(turnLog && { onDecision: turnLog.onDecision }),
      onEvent: (event) => this.#send({ type: "event", callId, event }),
    });
  }

  async #pressKeys(callId: string, keys: string, signal: AbortSignal): Promise<void> {
    const call = await this.#calls.get(callId);
    if (call === undefined) throw new Error("the call is over");
    if (call.media instanceof PhoneMedia) return await call.media.press(keys, signal);
    // In a browser there is no line that keys could be sent on: that they were pressed is all there is.
    call.conversation.noteSentKeys(keys, 0);
  }

  #close(callId: string, { conversation, media, turnLog, spool }: HostedCall): void {
    if (!this.#calls.delete(callId)) return;
    // What was being said when the other side hung up enters the transcript first.
    conversation.end("user_hangup");
    conversation.close();
    void turnLog?.close();
    media.close();
    void spool?.close();
    this.#send({ type: "closed", callId, statistics: media.statistics });
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

/** A media process has no logger of its own; what goes wrong in it is the main process's to read on stderr. */
function reportError(where: string, error: unknown): void {
  process.stderr.write(
    `${JSON.stringify({ level: 50, msg: `error in ${where}`, err: error instanceof Error ? error.stack : String(error) })}\n`,
  );
}
