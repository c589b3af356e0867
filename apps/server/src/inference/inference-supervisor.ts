import path from "node:path";
import type { Logger } from "pino";
import type { Config } from "../platform/config/config.ts";
import { SupervisedChild } from "../platform/supervised-child.ts";
import type { FixedSpeech, SpeechFit } from "@parley/providers/local";
import type { ModelReport } from "./model-states.ts";
import type { FromInference, InferenceConfiguration, QueueTime, ToInference } from "./inference-protocol.ts";

const CLOSE_GRACE_MS = 5_000;

/** The main process's handle on the inference process. */
export interface InferenceProcess {
  /** Local socket that it serves. */
  readonly path: string;
  /** Its models are loaded, or none is needed. */
  readonly isReady: boolean;
  /** Has what an agent always says made before calls need it. Returns at once; what is lost with the process is made in a call. */
  prepareSpeech: (speech: FixedSpeech) => void;
  /** Receives how long work waited for its model; one listener. */
  onQueueTimes: (listener: (queueTimes: readonly QueueTime[]) => void) => void;
  /** Exceptions that did not end it. */
  readonly faults: number;
  /** Idempotent. */
  close: () => Promise<void>;
}

export interface InferenceListeners {
  onModel: (report: ModelReport) => void;
  /** Called at each start of the process, before its models can be used. */
  onFit: (fit: SpeechFit) => void;
}

/** Starts the process that holds the local models; none where every provider is elsewhere. */
export function startInferenceProcess(
  config: Readonly<Config>,
  socketPath: string,
  { onModel, onFit }: InferenceListeners,
  logger: Logger,
): InferenceProcess {
  const { languageModel } = config;
  const configuration: InferenceConfiguration = {
    type: "configure",
    path: socketPath,
    modelsDirectory: config.modelsDirectory,
    speechFolder: path.join(config.dataDirectory, "speech"),
    hasSpeechToText: config.localSpeech.hasSpeechToText,
    hasTextToSpeech: config.localSpeech.hasTextToSpeech,
    speechFit: config.speechFit,
    hasEmbeddings: languageModel.provider === "builtin-responder",
    ggufPath: languageModel.provider === "gguf" ? languageModel.path : undefined,
  };
  const { hasSpeechToText, hasTextToSpeech, hasEmbeddings, ggufPath } = configuration;
  if (!hasSpeechToText && !hasTextToSpeech && !hasEmbeddings && ggufPath === undefined) {
    return {
      path: socketPath,
      isReady: true,
      faults: 0,
      prepareSpeech: () => {},
      onQueueTimes: () => {},
      close: () => Promise.resolve(),
    };
  }
  let onQueueTimes: (queueTimes: readonly QueueTime[]) => void = () => {};
  const child = new SupervisedChild<ToInference, FromInference>({
    name: "inference",
    entry: new URL("./inference-process.ts", import.meta.url),
    firstMessage: () => configuration,
    onMessage: (message) => {
      if (message.type === "model") onModel(message);
      else if (message.type === "fit") onFit(message.fit);
      else onQueueTimes(message.queueTimes);
    },
    onReady: () => logger.debug("local models loaded"),
    onExit: () => {},
    logger,
  });
  return {
    path: socketPath,
    prepareSpeech: (speech) => {
      if (hasTextToSpeech) child.send({ type: "prepareSpeech", speech });
    },
    onQueueTimes: (listener) => {
      onQueueTimes = listener;
    },
    get isReady() {
      return child.isReady;
    },
    get faults() {
      return child.faults;
    },
    close: async () => await child.close(CLOSE_GRACE_MS),
  };
}
