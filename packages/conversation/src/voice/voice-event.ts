import type { TranscriptItem } from "../transcript.ts";

/** Why a voice conversation ended, as far as the conversation itself knows reasons. */
export type VoiceEndReason =
  | "user_hangup"
  | "agent_hangup"
  | "api_hangup"
  | "silence_timeout"
  | "max_duration"
  | "error_llm"
  | "error_stt"
  | "error_tts"
  | "error_internal";

/** What somebody who listens in tells the agent. */
export interface Instruction {
  text: string;
  /** The agent says it now, in its own words; else it has its next reply go by it. */
  speak: boolean;
}

export type AgentActivity = "listening" | "thinking" | "speaking";

export type ProviderPart = "stt" | "llm" | "tts";

/**
 * Where the time of one agent turn went, in milliseconds. `decisionMs + llmFirstTokenMs + clauseMs +
 * ttsFirstByteMs` is provider time and the endpointing delay; what is left of `totalMs` is our own overhead.
 */
export interface TurnLatency {
  /** Silence that was waited for before the turn counted as over. */
  endpointingMs: number;
  /** Request of the final text → its arrival; mostly runs during the endpointing delay. */
  sttMs: number;
  /** End of the caller's speech → the decision to answer: the later of endpointing and text. */
  decisionMs: number;
  /** Decision → first text of the model, tools included where it called some first. */
  llmFirstTokenMs: number;
  /** First text → first clause complete. */
  clauseMs: number;
  /** First clause handed to synthesis → its first audio. */
  ttsFirstByteMs: number;
  /** End of the caller's speech → first audio frame handed to the transport. */
  totalMs: number;
}

/** What a voice conversation tells its owner: plain data, fit to cross a process boundary. */
export type VoiceEvent =
  /** The agent begins to be heard; the item with this id follows once it was spoken or cut. */
  | { type: "itemStarted"; id: string; role: "agent"; text: string; startMs: number }
  | { type: "item"; item: TranscriptItem }
  | { type: "turn"; latency: TurnLatency }
  | { type: "state"; state: AgentActivity }
  /** A provider failed; the conversation may have recovered (a retry) or be about to end. */
  | { type: "fault"; part: ProviderPart; provider: string; message: string }
  /** So much of what the agent said never reached the network: its speech has ended where that began. */
  | { type: "audioLost"; lostMs: number }
  /** Exactly once, last. The owner hangs up. */
  | { type: "ended"; endReason: VoiceEndReason; endDetail?: string };

/** What of an agent's configuration matters to a voice conversation; texts have their variables filled in. */
export interface VoiceAgentSettings {
  /** Empty: the agent waits for the caller. */
  firstMessage: string;
  /** `generated`: the model greets, in its own words; `static` unless told. */
  firstMessageMode?: "static" | "generated";
  firstMessageDelayMs: number;
  startSpeaker: "agent" | "user";
  /** Silence of the caller after which the agent speaks again; never unless told. */
  turnTimeoutSeconds?: number;
  silenceEndCallTimeoutSeconds: number;
  maxConversationDurationSeconds: number;
  disableInterruptions: boolean;
  interruptionThresholdMs: number;
  /** Said alone, these do not stop the agent. */
  interruptionIgnoreWords?: readonly string[];
  /** Fewer words do not stop the agent; 0 unless told. */
  minInterruptionWords?: number;
  /** BCP 47. */
  language: string;
  /** In the naming of the speech provider. */
  voice: string;
  voiceSpeed: number;
  sttKeyterms: readonly string[];
  /** Said before a call ends because a provider failed. */
  apologyMessage?: string;
  /** Said when what the caller said was lost. */
  repeatRequestMessage?: string;
}
