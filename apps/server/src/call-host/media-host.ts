import { Dialogue, emergencyTexts, PhraseBook, VoiceConversation } from "@parley/conversation";
import { MediaWheel, PortPool } from "@parley/rtp";
import { createWebhookTool } from "../custom-tools/webhook-tool.ts";
import { OutboundClient } from "../platform/outbound-http/outbound-client.ts";
import { PhoneMedia } from "./phone-media.ts";
import { type CallSpool, RecordingSpools } from "./recording-spool.ts";
import { createProviders, type Providers } from "./providers.ts";
import { type TurnLog, TurnLogs } from "./turn-logs.ts";
import type { FromMedia, MediaCall, MediaConfiguration, ToMedia } from "./media-protocol.ts";

/** A greeting that is not ready by then is said as it comes: the caller must not ring for ever. */
const PREPARATION_DEADLINE_MS = 2_500;
/** What most calls will ask for. */
const FIRST_PHRASES_STYLE = { sampleRateHz: 8000, language: "en", speed: 1 } as const;
const LOAD_INTERVAL_MS = 1_000;

interface HostedCall {
  turnLog: TurnLog | undefined;
  conversation: VoiceConversation;
  media: PhoneMedia;
  spool: CallSpool | undefined;
}

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
  const providers = await createProviders(configuration);
  return new Host(configuration, providers, send);
}

class Host implements MediaHost {
  readonly #providers: Providers;
  readonly #send: (message: FromMedia) => void;
  readonly #rtpTimeoutMs: number;
  readonly #ports: PortPool;
  readonly #wheel: MediaWheel;
  readonly #phrases = new PhraseBook();
  readonly #outbound: OutboundClient;
  readonly #turnLogs: TurnLogs | undefined;
  readonly #spools: RecordingSpools;
  /** Calls by id; a promise while a call's port is being opened. */
  readonly #calls = new Map<string, Promise<HostedCall | undefined>>();
  readonly #loadTimer: NodeJS.Timeout;

  constructor(configuration: MediaConfiguration, providers: Providers, send: (message: FromMedia) => void) {
    this.#providers = providers;
    this.#send = send;
    this.#rtpTimeoutMs = configuration.rtpTimeoutMs;
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
    // A remote voice may be gone when the first call needs it; a local one would only take time from that call.
    if (configuration.providers.textToSpeech.provider !== "local") {
      const voices = providers.voicesFor({ voiceId: "", fallbackVoiceId: undefined, language: "en" });
      void this.#phrases.prepare(voices, FIRST_PHRASES_STYLE, emergencyTexts("en"));
    }
    this.#loadTimer = setInterval(() => this.#reportLoad(), LOAD_INTERVAL_MS);
  }

  receive(message: Exclude<ToMedia, MediaConfiguration>): void {
    if (message.type === "open") {
      this.#calls.set(message.call.callId, this.#open(message.call));
      return;
    }
    // A call that is gone needs nothing more: its end has been told.
    void this.#calls.get(message.callId)?.then((call) => {
      if (call === undefined) return;
      switch (message.type) {
        case "connect":
          return call.media.connect(message.path);
        case "start":
          return call.media.start();
        case "instruct": {
          const { callId, instructionId, instruction } = message;
          const isTaken = call.conversation.instruct(instruction);
          return this.#send({ type: "instructed", callId, instructionId, isTaken });
        }
        case "close":
          return this.#close(message.callId, call);
      }
    });
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
    await this.#outbound.close();
    await this.#providers.close();
  }

  /** Never rejects; undefined where the call could not be opened, which has then been told. */
  async #open(call: MediaCall): Promise<HostedCall | undefined> {
    const { callId } = call;
    const turnLog = this.#turnLogs?.open(callId, () => conversation.turnSettings);
    const conversation = this.#createConversation(call, turnLog);
    const spool = call.isRecorded ? this.#spools.open(callId, call.sampleRateHz) : undefined;
    try {
      const media = await PhoneMedia.open({
        address: call.isIPv6 === true ? "::" : "0.0.0.0",
        ports: this.#ports,
        wheel: this.#wheel,
        conversation,
        sampleRateHz: call.sampleRateHz,
        timeoutMs: this.#rtpTimeoutMs,
        onTimeout: (silentMs) => this.#send({ type: "mediaTimeout", callId, silentMs }),
        tap: spool,
      });
      this.#send({ type: "opened", callId, rtpPort: media.port });
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

  #createConversation(call: MediaCall, turnLog: TurnLog | undefined): VoiceConversation {
    const {
      callId,
      sampleRateHz,
      instructions,
      llmModel,
      llmTemperature,
      llmReasoningEffort,
      endCall,
      tools,
    } = call;
    const { conversation, agent, fallbackVoiceId } = call;
    const { languageModelFor, speechToText, voicesFor, voiceActivity, turnEnd } = this.#providers;
    const [{ tts, voice }, ...fallbackVoices] = voicesFor({
      voiceId: agent.voice,
      fallbackVoiceId,
      language: agent.language,
    });
    return new VoiceConversation({
      sampleRateHz,
      agent: { ...agent, voice },
      dialogue: new Dialogue({
        model: languageModelFor(llmModel),
        instructions,
        tools: tools.map((tool) => createWebhookTool(tool, conversation, this.#outbound)),
        temperature: llmTemperature,
        ...(llmReasoningEffort !== "none" && { reasoningEffort: llmReasoningEffort }),
        ...(endCall !== undefined && { endCall }),
      }),
      stt: speechToText,
      tts,
      fallbackVoices,
      phrases: this.#phrases,
      vad: voiceActivity,
      ...(turnEnd && { turnEnd }),
      ...(turnLog && { onDecision: turnLog.onDecision }),
      onEvent: (event) => this.#send({ type: "event", callId, event }),
    });
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
