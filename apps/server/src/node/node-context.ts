import type { Logger } from "pino";
import type { MediaPool } from "../media/media-pool.ts";
import type { LocalSpeechPlaces } from "../inference/local-speech-places.ts";
import type { ModelStates } from "../inference/model-states.ts";
import type { InferenceProcess } from "../inference/inference-supervisor.ts";
import type { ClosingStack } from "../platform/closing-stack.ts";
import type { Config } from "../platform/config/config.ts";
import type { DatabaseConnection } from "../platform/database/connect.ts";

/** Resources that every part of the node receives. */
export interface NodeContext {
  config: Readonly<Config>;
  nodeId: string;
  logger: Logger;
  started: ClosingStack;
}

/** Resources that take long to start and are therefore started first. */
export interface BootResources {
  connection: DatabaseConnection;
  media: MediaPool;
  inference: InferenceProcess;
  models: ModelStates;
  speechPlaces: LocalSpeechPlaces;
}
