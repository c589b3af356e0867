import type { LiveCallEvent } from "@parley/contract";
import type { Instruction, VoiceAgentSettings, VoiceEvent } from "@parley/conversation";
import type { MessageToSign, ToolConversation, WebhookTool } from "../custom-tools/webhook-tool.ts";
import type { SrtpKeys, SrtpSuite, StreamStatistics } from "@parley/rtp";
import type { SpeechFit } from "@parley/providers/fit";
import type { ModelReport } from "../inference/model-states.ts";
import type { ProviderConfiguration } from "../model-providers/provider-configuration.ts";
import type { CodecName } from "./audio-codec.ts";
import type { SdpFragment } from "./web/web-sdp-fragment.ts";

/** Where a media process finds its ports and providers; sent once, first. Secrets in it never leave the node. */
export interface MediaConfiguration {
  type: "configure";
  /** This process's own slice of `PARLEY_RTP_PORTS`, both ends included. */
  rtpPorts: { first: number; last: number };
  web: WebPorts;
  /** How long a peer may send nothing while it should before its call counts as lost; Infinity: for ever. */
  rtpTimeoutMs: number;
  /** Local socket of the inference process. */
  inferencePath: string;
  modelsDirectory: string;
  /** Where it is written down how turns were decided, and for how many days; undefined: nowhere. */
  turnLogs: { folder: string; keptDays: number } | undefined;
  /** Where the audio of calls is kept until recordings are made of it; exists. */
  recordingFolder: string;
  providers: ProviderConfiguration;
  /** `undefined` until the inference process has reported it, or if no local speech is loaded. */
  speechFit: SpeechFit | undefined;
  /** Tools may reach private addresses. */
  isPrivateWebhookAllowed: boolean;
}

/** Where browsers reach this process. */
export interface WebPorts {
  /** Both ends included; one port: all calls share it. */
  ports: { first: number; last: number };
  /** The operator's; undefined: the machine's own addresses alone. */
  publicAddress: string | undefined;
}

/** What one phone call's media and conversation need to know. */
export interface MediaCall {
  callId: string;
  /** Whether audio goes over IPv6. */
  isIPv6?: boolean;
  /** Of the conversation's audio: 16,000 where the caller offers a codec of wideband. */
  sampleRateHz: 8000 | 16000;
  /** Prompt with its variables rendered. */
  instructions: string;
  /** `service-standard`, or `provider/model`. */
  llmModel: string;
  llmTemperature: number;
  llmReasoningEffort: "none" | "low" | "medium" | "high";
  /** Undefined: the agent never hangs up; `rules` replaces what the model is told about when to. */
  endCall: { rules?: string } | undefined;
  /** Undefined: the agent presses no keys; `rules` replaces what the model is told about when to. */
  keypad: { rules?: string } | undefined;
  tools: readonly WebhookTool[];
  /** What the tools are told of the call. */
  conversation: ToolConversation;
  agent: VoiceAgentSettings;
  /** Noise is taken out where it is decided whether the caller interrupts. */
  hasNoiseSuppression: boolean;
  /** Takes over when `agent.voice` fails; undefined: the operator's choice. */
  fallbackVoiceId: string | undefined;
  /** From the answer on. */
  isRecorded: boolean;
}

/** What the SDP answer settled: where audio goes and how it is coded. */
export interface MediaPath {
  remote: { address: string; port: number };
  codec: CodecName;
  payloadType: number;
  /** RFC 4733; undefined where the peer offered none. */
  telephoneEventPayloadType: number | undefined;
  /** Length of the packets that the peer wants. */
  ptimeMs: number;
  /** Where the peer takes RTCP. */
  rtcp: { address: string; port: number };
  /** RTCP goes over RTP's port. */
  isRtcpMultiplexed: boolean;
  /** Undefined: plain RTP. */
  srtp: SrtpKeys | undefined;
  /** False while we are held (`a=sendonly` or `inactive` of the peer): nothing is sent then, and nothing heard. */
  isSending: boolean;
  /** False where the peer has said that it sends nothing. */
  isReceiving: boolean;
}

export type ToMedia =
  | MediaConfiguration
  /** The fit of the local models is known, or another. */
  | { type: "speechFit"; fit: SpeechFit }
  /** Takes a port and prepares the conversation: answered by `opened` or `openFailed`, then `prepared`. */
  | { type: "open"; call: MediaCall }
  /** The same for a call in the browser, which begins by itself when one is connected. */
  | { type: "openWeb"; call: MediaCall }
  /** A browser's offer, at first or of a connection made anew; answered by `joined`. */
  | { type: "join"; callId: string; requestId: string; sdp: string }
  /** The browser's candidates, or an ICE restart; answered by `fragmentTaken`. */
  | { type: "fragment"; callId: string; requestId: string; fragment: SdpFragment }
  /** Told to the browser. */
  | { type: "live"; callId: string; event: LiveCallEvent }
  /** Before `start`, and again at every later offer and answer. */
  | { type: "connect"; callId: string; path: MediaPath }
  /** The call is answered: the conversation begins. */
  | { type: "start"; callId: string }
  /** The peer has shown that it receives what is sent to it, by its ACK: audio need not be held back. */
  | { type: "confirm"; callId: string }
  /** The peer pressed a key, by INFO. */
  | { type: "key"; callId: string; digit: string }
  /** Told to the agent; answered by `instructed`. */
  | {
      type: "instruct";
      callId: string;
      instructionId: string;
      instruction: Instruction;
      /** On the machine's monotonic clock: read later it is refused, since whoever sent it has been told so. */
      expiresAtMs: number;
    }
  /** Answers `sign`. */
  | { type: "signed"; signatureId: string; headers: Record<string, string> }
  /** The conversation is over and tells its last words, in a call in the browser; answered by `finished`. */
  | { type: "finish"; callId: string }
  /** The other side is gone, or the call is over for another reason; answered by `closed`. */
  | { type: "close"; callId: string };

/** What came of a browser's offer. */
export type WebJoinResult =
  | { ok: true; sdp: string }
  /** `malformed`: no SDP. */
  | { ok: false; refusal: "malformed" | "unacceptable"; reason: string };

/** What came of a fragment of the browser's SDP. */
export type WebFragmentResult =
  | { kind: "taken" }
  /** With our side of the restart. */
  | { kind: "restarted"; fragment: string }
  | { kind: "refused"; reason: string };

/** How one call's media went. */
export interface MediaStatistics {
  /** What was negotiated last; undefined where nothing was. */
  codec: CodecName | "opus" | undefined;
  /** With DTLS-SRTP the suite is the connection's own affair. */
  srtpSuite: SrtpSuite | "DTLS-SRTP" | undefined;
  /** `late` came too late to be played. */
  received: StreamStatistics & { late: number };
  packetsSent: number;
  /** By the peer's reports; undefined where none came. */
  sent: StreamStatistics | undefined;
  roundTripMs: number | undefined;
  /** Of our jitter buffer, at the end. */
  playoutDelayMs: number;
  ptimeMs: number;
}

export type FromMedia =
  | ModelReport
  | { type: "opened"; callId: string; rtpPort: number }
  /** The same of a call in the browser. */
  | { type: "openedWeb"; callId: string }
  | { type: "joined"; callId: string; requestId: string; result: WebJoinResult }
  | { type: "fragmentTaken"; callId: string; requestId: string; result: WebFragmentResult }
  /** A browser is there for the first time. */
  | { type: "connected"; callId: string }
  | { type: "openFailed"; callId: string; message: string }
  /** An exception ended the call's conversation; `close` is still to come. */
  | { type: "callFault"; callId: string; message: string }
  /** The greeting is ready to be heard, or could not be made ready in time. */
  | { type: "prepared"; callId: string }
  /** `isTaken` false: no agent listens any more. */
  | { type: "instructed"; callId: string; instructionId: string; isTaken: boolean }
  /** A tool's request is to be signed; answered by `signed`. */
  | { type: "sign"; callId: string; signatureId: string; message: MessageToSign }
  /** What the conversation did; `ended` among them asks for the call to be hung up. */
  | { type: "event"; callId: string; event: VoiceEvent }
  /** The peer has sent neither RTP nor RTCP for so long that it must be gone. */
  | { type: "mediaTimeout"; callId: string; silentMs: number }
  | { type: "finished"; callId: string }
  | { type: "closed"; callId: string; statistics: MediaStatistics | undefined }
  /** About once a second. `wheelLagP99Ms` over the last 10 s; `lagCounts` since the last report, by `LAG_BOUNDS_MS`. */
  | { type: "load"; calls: number; wheelLagP99Ms: number; lagCounts: number[]; residentBytes: number };
