import type { KnowledgePassage, LiveCallEvent } from "@parley/contract";
import type {
  BriefingOutcome,
  Instruction,
  TesterLine,
  TransferDestination,
  TransferResult,
  VoiceAgentSettings,
  VoiceEvent,
} from "@parley/conversation";
import type { DialogueSetup } from "../custom-tools/create-dialogue.ts";
import type { MessageToSign } from "../custom-tools/webhook-tool.ts";
import type { SrtpKeys, SrtpSuite, StreamStatistics } from "@parley/rtp";
import type { SpeechFit } from "@parley/providers/fit";
import type { ModelReport } from "../inference/model-states.ts";
import type { ProviderConfiguration } from "../model-providers/provider-configuration.ts";
import type { CodecName } from "./audio-codec.ts";
import type { SdpFragment } from "./web/web-sdp-fragment.ts";

/** Configuration of a media process: the first message to it, sent once. Its secrets never leave the node. */
export interface MediaConfiguration {
  type: "configure";
  /** This process's slice of `PARLEY_RTP_PORTS`, inclusive. */
  rtpPorts: { first: number; last: number };
  web: WebPorts;
  /** Silence of a peer after which its call counts as lost. `Infinity` disables the check. */
  rtpTimeoutMs: number;
  /** Local socket of the inference process. */
  inferencePath: string;
  modelsDirectory: string;
  /** Folder of the turn logs and days to keep them; `undefined` if turns are not logged. */
  turnLogs: { folder: string; keptDays: number } | undefined;
  /** Existing folder for the audio of calls until it is encoded into recordings. */
  recordingFolder: string;
  /** Calls are not recorded while less is free on the disk of that folder. */
  diskReserveBytes: number;
  providers: ProviderConfiguration;
  /** `undefined` until the inference process has reported it, or if no local speech is loaded. */
  speechFit: SpeechFit | undefined;
  /** Whether tools may reach private addresses. */
  isPrivateWebhookAllowed: boolean;
}

/** Addresses at which browsers reach this process. */
export interface WebPorts {
  /** Inclusive. If it is one port, all calls share it. */
  ports: { first: number; last: number };
  /** Configured public address; `undefined` if only the machine's own addresses are offered. */
  publicAddress: string | undefined;
}

/** Parameters of one call's media and conversation. */
export interface MediaCall extends DialogueSetup {
  callId: string;
  organizationId: string;
  /** Providers with keys of the organization's own; `undefined` if it uses the operator's. */
  ownProviders: ProviderConfiguration | undefined;
  /** Whether audio uses IPv6. */
  isIPv6?: boolean;
  /** Sample rate of the conversation's audio: 16,000 if the caller offers a wideband codec. */
  sampleRateHz: 8000 | 16000;
  /** `undefined` if the agent cannot press keys. `rules` replaces the built-in rules for it. */
  keypad: { rules?: string } | undefined;
  /** Whether the agent can put the peer's number on the do-not-call list. */
  hasDoNotCallTool: boolean;
  /** `undefined` if the agent cannot send messages. `rules` replaces the built-in rules for it. */
  sendMessage: { rules?: string } | undefined;
  /** `undefined` if the agent cannot transfer the call. `rules` replaces the built-in rules for it. */
  transfer:
    | {
        rules?: string;
        destinations: readonly TransferDestination[];
        deadlineMs: number;
        /** `undefined` if the caller is connected without an announcement (`cold`). */
        warm: WarmTransferSetup | undefined;
      }
    | undefined;
  agent: VoiceAgentSettings;
  /** Whether noise is suppressed before the decision whether the caller interrupts. */
  hasNoiseSuppression: boolean;
  /** Voice to use if `agent.voice` fails; `undefined` for the configured default. */
  fallbackVoiceId: string | undefined;
  /** Whether the call is recorded, from its answer. */
  isRecorded: boolean;
  /** Only for a tester who calls an agent of this node. */
  tester?: TesterBehavior;
}

/** How a person is briefed before a call is transferred to them. Texts are rendered; empty: none, or the built-in one. */
export interface WarmTransferSetup {
  holdMessage: string;
  hasHoldMusic: boolean;
  summaryPrompt: string;
  introMessage: string;
  /** Whether the recording goes on with the two people. */
  isRecordingContinued: boolean;
}

/** What a tester does, beside its instructions. */
export interface TesterBehavior {
  /** Its lines, in order; `undefined` if a language model plays the tester. */
  lines: readonly TesterLine[] | undefined;
  /** Number of its turns, after which it hangs up. */
  maxTurns: number;
  /** Number of its turns after which it says nothing; `undefined` for never. */
  silentAfterTurns: number | undefined;
  /** What the agent says while it looks for an answer, for which the tester waits. */
  fillers: readonly string[];
  conditions: LineConditions;
}

/** Conditions under which a tester calls. */
export interface LineConditions {
  /** Root mean square of the background noise, in dB relative to full scale; `undefined` for none. */
  noiseLevelDb: number | undefined;
  /** Share of the tester's packets that are lost: 0–1. */
  packetLoss: number;
  /** Time after which the tester speaks over the agent; `undefined` if it listens to the end. */
  interruptsAfterMs: number | undefined;
}

/** Result of an attempt to send a text message. */
export type TextOutcome = { isQueued: true } | { isQueued: false; reason: string };

/** Result of a search in knowledge bases. */
export type KnowledgeOutcome =
  | { passages: KnowledgePassage[]; reason?: undefined }
  | { passages?: undefined; reason: string };

/** Result of an SDP offer/answer exchange: destination and encoding of the audio. */
export interface MediaPath {
  remote: { address: string; port: number };
  codec: CodecName;
  payloadType: number;
  /** Payload type of telephone events (RFC 4733); `undefined` if the peer offered none. */
  telephoneEventPayloadType: number | undefined;
  /** Packet duration that the peer requested. */
  ptimeMs: number;
  /** Destination of RTCP. */
  rtcp: { address: string; port: number };
  /** Whether RTCP shares the RTP port. */
  isRtcpMultiplexed: boolean;
  /** `undefined` for plain RTP. */
  srtp: SrtpKeys | undefined;
  /** False while the peer holds the call (`a=sendonly` or `inactive`): nothing is sent or processed. */
  isSending: boolean;
  /** False if the peer has announced that it sends nothing. */
  isReceiving: boolean;
}

export type ToMedia =
  | MediaConfiguration
  /** Announces the fit of the local models, or a new one. */
  | { type: "speechFit"; fit: SpeechFit }
  /** Opens a port and prepares the conversation. Answered by `opened` or `openFailed`, then by `prepared`. */
  | { type: "open"; call: MediaCall }
  /** As `open`, for a browser call, which starts when a browser has connected. */
  | { type: "openWeb"; call: MediaCall }
  /** A browser's offer, the first or that of a new connection. Answered by `joined`. */
  | { type: "join"; callId: string; requestId: string; sdp: string }
  /** The browser's candidates, or an ICE restart. Answered by `fragmentTaken`. */
  | { type: "fragment"; callId: string; requestId: string; fragment: SdpFragment }
  /** An event for the browser. */
  | { type: "live"; callId: string; event: LiveCallEvent }
  /** Sent before `start` and after every later offer/answer exchange. */
  | { type: "connect"; callId: string; path: MediaPath }
  /** The call is answered: the conversation starts. */
  | { type: "start"; callId: string }
  /** The peer's ACK has proved its address: audio is no longer limited. */
  | { type: "confirm"; callId: string }
  /** The peer pressed a key (INFO). */
  | { type: "key"; callId: string; digit: string }
  /** An instruction for the agent. Answered by `instructed`. */
  | {
      type: "instruct";
      callId: string;
      instructionId: string;
      instruction: Instruction;
      /** On the machine's monotonic clock. Later the instruction is refused, because its sender has already received that answer. */
      expiresAtMs: number;
    }
  /** Answer to `sign`. */
  | { type: "signed"; signatureId: string; headers: Record<string, string> }
  /** Answer to `searchKnowledge`. */
  | { type: "knowledgeFound"; searchId: string; outcome: KnowledgeOutcome }
  /** Answer to `addToDoNotCall`. */
  | { type: "addedToDoNotCall"; requestId: string; isAdded: boolean }
  /** Answer to `sendText`. */
  | { type: "textSent"; textId: string; outcome: TextOutcome }
  /** Answer to `transfer`. */
  | { type: "transferred"; requestId: string; result: TransferResult }
  /** Adds a step of the transfer to the transcript. */
  | { type: "noteTransfer"; callId: string; text: string }
  /** The caller hears that a telephone rings, or the message and music of a warm transfer, until `bridge` or `endTransfer`. */
  | { type: "hold"; callId: string }
  /** Opens a port for the person to whom the call is transferred. Answered by `personOpened` or `personFailed`. */
  | { type: "openPerson"; callId: string; isIPv6: boolean }
  /** As `connect`, for the person. */
  | { type: "connectPerson"; callId: string; path: MediaPath }
  /** The person has answered. Presses these keys, then asks whether they take the call. Answered by `briefed`. */
  | { type: "brief"; callId: string; keys: string; waitForHumanMs: number }
  /**
   * Connects both sides: of a cold transfer after pressing these keys, of a warm one after the introduction. Answered by
   * `bridged`.
   */
  | { type: "bridge"; callId: string; keys: string }
  /** The person pressed a key (INFO). */
  | { type: "personKey"; callId: string; digit: string }
  /** The transfer has failed: the caller returns to the agent, and the person's port closes. */
  | { type: "endTransfer"; callId: string }
  /** Ends the conversation of a browser call. Answered by `finished` after its last items. */
  | { type: "finish"; callId: string }
  /** The call is over. Answered by `closed`. */
  | { type: "close"; callId: string };

/** Result of a browser's offer. */
export type WebJoinResult =
  | { ok: true; sdp: string }
  /** `malformed`: not SDP. */
  | { ok: false; refusal: "malformed" | "unacceptable"; reason: string };

/** Result of a browser's SDP fragment. */
export type WebFragmentResult =
  | { kind: "taken" }
  /** With our SDP fragment of the restart. */
  | { kind: "restarted"; fragment: string }
  | { kind: "refused"; reason: string };

/** Media statistics of one call. */
export interface MediaStatistics {
  /** The last negotiated codec; `undefined` if none was. */
  codec: CodecName | "opus" | undefined;
  /** With DTLS-SRTP the library selects the suite. */
  srtpSuite: SrtpSuite | "DTLS-SRTP" | undefined;
  /** `late`: packets that arrived too late for playout. */
  received: StreamStatistics & { late: number };
  packetsSent: number;
  /** From the peer's reports; `undefined` if none arrived. */
  sent: StreamStatistics | undefined;
  roundTripMs: number | undefined;
  /** Delay of the jitter buffer at the end. */
  playoutDelayMs: number;
  ptimeMs: number;
}

export type FromMedia =
  | ModelReport
  | { type: "opened"; callId: string; rtpPort: number }
  /** As `opened`, for a browser call. */
  | { type: "openedWeb"; callId: string }
  | { type: "joined"; callId: string; requestId: string; result: WebJoinResult }
  | { type: "fragmentTaken"; callId: string; requestId: string; result: WebFragmentResult }
  /** A browser has connected for the first time. */
  | { type: "connected"; callId: string }
  | { type: "openFailed"; callId: string; message: string }
  /** An exception has ended the conversation. The main process then sends `close`. */
  | { type: "callFault"; callId: string; message: string }
  /** The greeting is ready, or its deadline has passed. */
  | { type: "prepared"; callId: string }
  /** `isTaken` is false if the conversation has ended. */
  | { type: "instructed"; callId: string; instructionId: string; isTaken: boolean }
  /** Asks for the signature of a tool's request. Answered by `signed`. */
  | { type: "sign"; callId: string; signatureId: string; message: MessageToSign }
  /** The agent puts the peer's number on the do-not-call list. Answered by `addedToDoNotCall`. */
  | { type: "addToDoNotCall"; callId: string; requestId: string }
  /** Searches the agent's knowledge bases. Answered by `knowledgeFound`. */
  | { type: "searchKnowledge"; callId: string; searchId: string; query: string }
  /** Asks for a text message to the other side. Answered by `textSent`. */
  | { type: "sendText"; callId: string; textId: string; text: string }
  /** The agent transfers the call to the destination with this index. Answered by `transferred`. */
  | { type: "transfer"; callId: string; requestId: string; destination: number }
  | { type: "personOpened"; callId: string; rtpPort: number }
  | { type: "personFailed"; callId: string; message: string }
  | { type: "briefed"; callId: string; outcome: BriefingOutcome }
  /** `isBridged`: both sides hear each other, and the conversation is over. Otherwise the transfer ended before. */
  | { type: "bridged"; callId: string; isBridged: boolean }
  /** The person has sent neither RTP nor RTCP for so long that it counts as gone. */
  | { type: "personTimeout"; callId: string; silentMs: number }
  /** Events of the conversation. `ended` asks the main process to hang up. */
  | { type: "event"; callId: string; event: VoiceEvent }
  /** The peer has sent neither RTP nor RTCP for so long that it counts as gone. */
  | { type: "mediaTimeout"; callId: string; silentMs: number }
  | { type: "finished"; callId: string }
  | { type: "closed"; callId: string; statistics: MediaStatistics | undefined }
  /** Sent about once a second. `wheelLagP99Ms` covers the last 10 s, `lagCounts` (in classes of `LAG_BOUNDS_MS`) the time since the last report. */
  | {
      type: "load";
      calls: number;
      wheelLagP99Ms: number;
      lagCounts: number[];
      residentBytes: number;
      /** Providers that are passed over because they fail, counted for each organization. */
      openCircuits: number;
    };
