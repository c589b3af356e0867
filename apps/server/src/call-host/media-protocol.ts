import type { VoiceAgentSettings, VoiceEvent } from "@parley/conversation";
import type { ToolConversation, WebhookTool } from "../custom-tools/webhook-tool.ts";
import type { Config } from "../platform/config/config.ts";

/** Where a media process finds its ports and providers; sent once, first. Secrets in it never leave the node. */
export interface MediaConfiguration {
  type: "configure";
  /** Address that RTP sockets are bound to. */
  rtpAddress: string;
  /** This process's own slice of `PARLEY_RTP_PORTS`, both ends included. */
  rtpPorts: { first: number; last: number };
  /** Local socket of the inference process. */
  inferencePath: string;
  modelsDirectory: string;
  providers: ProviderConfiguration;
  /** Tools may reach private addresses. */
  isPrivateWebhookAllowed: boolean;
}

/** The operator's providers, as the environment names them. */
export type ProviderConfiguration = Pick<
  Config,
  "speechToText" | "textToSpeech" | "languageModel" | "localSpeech"
>;

/** What one phone call's media and conversation need to know. */
export interface MediaCall {
  callId: string;
  /** Prompt with its variables rendered. */
  instructions: string;
  llmTemperature: number;
  llmReasoningEffort: "none" | "low" | "medium" | "high";
  /** Undefined: the agent never hangs up; `rules` replaces what the model is told about when to. */
  endCall: { rules?: string } | undefined;
  tools: readonly WebhookTool[];
  /** What the tools are told of the call. */
  conversation: ToolConversation;
  agent: VoiceAgentSettings;
  /** Takes over when `agent.voice` fails; undefined: the operator's choice. */
  fallbackVoiceId: string | undefined;
}

/** What the SDP answer settled: where audio goes and how it is coded. */
export interface MediaPath {
  remote: { address: string; port: number };
  codec: "PCMU" | "PCMA";
  payloadType: number;
  /** RFC 4733; undefined where the peer offered none. */
  telephoneEventPayloadType: number | undefined;
  /** False while we are held (`a=sendonly` or `inactive` of the peer): nothing is sent then. */
  isSending: boolean;
}

export type ToMedia =
  | MediaConfiguration
  /** Takes a port and prepares the conversation: answered by `opened` or `openFailed`, then `prepared`. */
  | { type: "open"; call: MediaCall }
  /** Before `start`, and again at every later offer and answer. */
  | { type: "connect"; callId: string; path: MediaPath }
  /** The call is answered: the conversation begins. */
  | { type: "start"; callId: string }
  /** The other side is gone, or the call is over for another reason; answered by `closed`. */
  | { type: "close"; callId: string };

/** Counters of one call's media. */
export interface MediaStatistics {
  packetsReceived: number;
  packetsSent: number;
  packetsLost: number;
  packetsLate: number;
  jitterMs: number;
}

export type FromMedia =
  | { type: "opened"; callId: string; rtpPort: number }
  | { type: "openFailed"; callId: string; message: string }
  /** The greeting is ready to be heard, or could not be made ready in time. */
  | { type: "prepared"; callId: string }
  /** What the conversation did; `ended` among them asks for the call to be hung up. */
  | { type: "event"; callId: string; event: VoiceEvent }
  | { type: "closed"; callId: string; statistics: MediaStatistics }
  /** About once a second. `wheelLagP99Ms` over the last 10 s. */
  | { type: "load"; calls: number; wheelLagP99Ms: number; residentBytes: number };
