import type { FixedSpeech, JobPriority, SpeechFit, SpeechFitSettings } from "@parley/providers/local";
import type { ModelReport } from "./model-states.ts";

/** Models to load and the socket to listen on; sent once, as the first message. */
export interface InferenceConfiguration {
  type: "configure";
  /** Local socket that the media processes connect to. */
  path: string;
  modelsDirectory: string;
  /** Folder of prepared speech. */
  speechFolder: string;
  hasSpeechToText: boolean;
  hasTextToSpeech: boolean;
  /** Ids of the local voices that agents use (empty: the default); `undefined` until `useVoices`. */
  voicesInUse: readonly string[] | undefined;
  /** Settings of the operator. */
  speechFit: SpeechFitSettings;
  /** Embeddings of the built-in responder. */
  hasEmbeddings: boolean;
  gguf: { path: string; contextTokens: number | undefined } | undefined;
  /** Number of active calls with local speech. */
  activeCalls: number;
}

export type ToInference =
  | InferenceConfiguration
  /** Ids of the local voices that agents use. The process is not ready before the first of these messages. */
  | { type: "useVoices"; voiceIds: readonly string[] }
  /** Number of active calls with local speech, after each change. */
  | { type: "activeCalls"; count: number }
  /** Fixed texts of an agent, to be synthesized before calls need them. Not answered. */
  | { type: "prepareSpeech"; speech: FixedSpeech };

/** Time that a piece of work waited for its model. */
export type QueueTime = readonly [priority: JobPriority, waitedMs: number];

export type FromInference =
  | ModelReport
  /** Sent before `ready`. */
  | { type: "fit"; fit: SpeechFit }
  | { type: "waited"; queueTimes: readonly QueueTime[] };
