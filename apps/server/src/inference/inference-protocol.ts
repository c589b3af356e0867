import type { FixedSpeech, JobPriority, SpeechFit, SpeechFitSettings } from "@parley/providers/local";
import type { ModelReport } from "./model-states.ts";

/** What the inference process is to load and where it listens; sent once, first. */
export interface InferenceConfiguration {
  type: "configure";
  /** Local socket that the media processes connect to. */
  path: string;
  modelsDirectory: string;
  /** Where prepared speech is kept. */
  speechFolder: string;
  hasSpeechToText: boolean;
  hasTextToSpeech: boolean;
  /** The operator's choices. */
  speechFit: SpeechFitSettings;
  /** The built-in responder's. */
  hasEmbeddings: boolean;
  ggufPath: string | undefined;
}

export type ToInference =
  | InferenceConfiguration
  /** An agent's fixed texts, to be made before calls need them. Not answered. */
  | { type: "prepareSpeech"; speech: FixedSpeech };

/** How long a piece of work waited for its model. */
export type QueueTime = readonly [priority: JobPriority, waitedMs: number];

export type FromInference =
  | ModelReport
  /** Sent before `ready`. */
  | { type: "fit"; fit: SpeechFit }
  | { type: "waited"; queueTimes: readonly QueueTime[] };
