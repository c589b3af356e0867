import type { AgentPhrases } from "./speaking/speech-texts.ts";
import type { TranscriptItem } from "../transcript.ts";
import type { ProviderErrorKind } from "../providers/provider-error.ts";
import type { AnsweredBy } from "./answer/answer-detection.ts";

/** Reason for the end of a voice conversation, as far as the conversation itself knows it. */
export type VoiceEndReason =
  | "user_hangup"
  | "agent_hangup"
  | "api_hangup"
  /** The caller talks to a person from now on: the call goes on. */
  | "transferred"
  | "voicemail"
  | "silence_timeout"
  | "max_duration"
  | "error_llm"
  | "error_stt"
  | "error_tts"
  | "error_internal";

/** A message to the agent from an operator or the API. */
export interface Instruction {
  text: string;
  /** Whether the agent speaks it now in its own words; otherwise it shapes the next reply. */
  speak: boolean;
}

export type AgentActivity = "listening" | "thinking" | "speaking";

export type ProviderPart = "stt" | "llm" | "tts";

/**
 * Latency of one agent turn by part, in milliseconds. `endpointingMs + textWaitMs + llmFirstTokenMs + toolMs + clauseMs +
 * ttsFirstByteMs` is the time of providers and tools plus the endpointing delay, and `waitMs` the time for which the answer
 * waited for its place; the rest of `totalMs` is our own overhead.
 */
export interface TurnLatency {
  /** Silence that ended the turn. */
  endpointingMs: number;
  /** From the request for the final text to its arrival; mostly within the endpointing delay. */
  sttMs: number;
  /** From the end of that silence to the arrival of the final text; 0 if it arrived before. */
  textWaitMs: number;
  /** From the end of the caller's speech to the decision to answer: the later of endpointing and text. */
  decisionMs: number;
  /** From the decision to the first text of the model, without its tools. */
  llmFirstTokenMs: number;
  /** Time for which the model waited for tools before the first clause. */
  toolMs: number;
  /** From the first text to the first complete clause, without tools. */
  clauseMs: number;
  /** From the first clause sent to synthesis to its first audio. */
  ttsFirstByteMs: number;
  /** Time for which the answer was kept from beginning, or its audio from being heard, by something else that was due. */
  waitMs: number;
  /** From the end of the caller's speech to the first audio frame handed to the transport. */
  totalMs: number;
}

/** A failure of a provider. */
export interface ProviderFault {
  type: "fault";
  part: ProviderPart;
  /** `vendor/model`. */
  provider: string;
  kind: ProviderErrorKind;
  /** If `kind` is `status`. */
  status?: number;
  message: string;
  /** Continues in its place: the same provider, another one, or another voice. Absent: nothing was left. */
  takenOverBy?: string;
}

/** Event for the owner of a voice conversation: plain data that can cross a process boundary. */
export type VoiceEvent =
  /** The agent begins to be heard; the item with this id follows when it was spoken or cut off. */
  | { type: "itemStarted"; id: string; role: "agent"; text: string; startMs: number }
  | { type: "item"; item: TranscriptItem }
  | { type: "turn"; latency: TurnLatency }
  | { type: "state"; state: AgentActivity }
  | ProviderFault
  /** Who or what answered the call. A second event corrects the first. Only if `voicemail` is set. */
  | { type: "answeredBy"; by: AnsweredBy; atMs: number }
  /** The last `lostMs` of the agent's speech never reached the network: the speech ended there. */
  | { type: "audioLost"; lostMs: number }
  /** Emitted exactly once, as the last event. The owner hangs up. */
  | { type: "ended"; endReason: VoiceEndReason; endDetail?: string };

/** The settings of an agent that a voice conversation uses; variables in texts are filled in. */
export interface VoiceAgentSettings {
  /** Empty: the agent waits for the caller. */
  firstMessage: string;
  /** `generated`: the model greets in its own words. Default `static`. */
  firstMessageMode?: "static" | "generated";
  firstMessageDelayMs: number;
  startSpeaker: "agent" | "user";
  /** Silence of the caller after which the agent speaks again; default: never. */
  turnTimeoutSeconds?: number;
  silenceEndCallTimeoutSeconds: number;
  maxConversationDurationSeconds: number;
  disableInterruptions: boolean;
  interruptionThresholdMs: number;
  /** Words that alone do not stop the agent. */
  interruptionIgnoreWords?: readonly string[];
  /** Whether words that show attention in the language do not stop it either. Default true. */
  ignoresBackchannels?: boolean;
  /** Minimum number of words that stop the agent; default 0. */
  minInterruptionWords?: number;
  /** BCP 47. */
  language: string;
  /** Name of the voice at the speech provider. */
  voice: string;
  voiceSpeed: number;
  /** Variation of the voice, 0–1; default: the voice's own. */
  voiceTemperature?: number;
  /** Gain of everything that the agent says, 0–2; default 1. */
  voiceVolume?: number;
  sttKeyterms: readonly string[];
  /** Texts instead of the standard ones of the language. With a `reminder`, the model does not ask in its own words. */
  phrases?: AgentPhrases;
  /** Present if it is to be found out who answers. A mailbox gets the message; if it is empty, the call ends in silence. */
  voicemail?: { message: string };
}
