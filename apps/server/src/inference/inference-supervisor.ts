import path from "node:path";
import type { Logger } from "pino";
import type { LanguageModelConfig } from "../platform/config/language-model.ts";
import type { Config } from "../platform/config/config.ts";
import { SupervisedChild } from "../platform/supervised-child.ts";
import type { FixedSpeech, SpeechFit } from "@parley/providers/local";
import type { ModelReport } from "./model-states.ts";
import type { FromInference, InferenceConfiguration, QueueTime, ToInference } from "./inference-protocol.ts";

const CLOSE_GRACE_MS = 5_000;

/** Interface of the main process to the inference process. */
export interface InferenceProcess {
  /** Local socket of the process. */
  readonly path: string;
  /** Whether its models are loaded, or none is needed. */
  readonly isReady: boolean;
  /**
   * Queues an agent's fixed texts for synthesis before calls need them. Returns at once; texts lost with the process
   * are synthesized during a call.
   */
  prepareSpeech: (speech: FixedSpeech) => void;
  /**
   * Opens the local voices that agents use (empty: the default), before the process is ready. Other voices are opened when
   * they first speak.
   */
  useVoices: (voiceIds: readonly string[]) => void;
  /** Reports the number of active calls with local speech: agents' fixed texts wait for their end. */
  noteActiveCalls: (count: number) => void;
  /** Sets the only listener for the times that work waited for its model. */
  onQueueTimes: (listener: (queueTimes: readonly QueueTime[]) => void) => void;
  /** Number of exceptions that did not end the process. */
  readonly faults: number;
  /** Idempotent. */
  close: () => Promise<void>;
}

export interface InferenceListeners {
  onModel: (report: ModelReport) => void;
  /** Called at each start of the process, before its models can be used. */
  onFit: (fit: SpeechFit) => void;
}

interface InferenceFiles {
  socketPath: string;
  /** `undefined` if the language model is no file. */
  ggufFile: string | undefined;
}

/** Starts the process of the local models; starts none if every provider is remote. */
export function startInferenceProcess(
  config: Readonly<Config>,
  files: InferenceFiles,
  { onModel, onFit }: InferenceListeners,
  logger: Logger,
): InferenceProcess {
  const configuration = toInferenceConfiguration(config, files);
  const { socketPath } = files;
  const { hasSpeechToText, hasTextToSpeech, hasEmbeddings, gguf } = configuration;
  if (!hasSpeechToText && !hasTextToSpeech && !hasEmbeddings && gguf === undefined) {
    return createIdleInference(socketPath);
  }
  let onQueueTimes: (queueTimes: readonly QueueTime[]) => void = () => {};
  let voicesInUse: readonly string[] | undefined;
  let activeCalls = 0;
  const child = new SupervisedChild<ToInference, FromInference>({
    name: "inference",
    entry: new URL("./inference-process.ts", import.meta.url),
    firstMessage: () => ({ ...configuration, voicesInUse, activeCalls }),
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
    useVoices: (voiceIds) => {
      voicesInUse = voiceIds;
      child.send({ type: "useVoices", voiceIds });
    },
    noteActiveCalls: (count) => {
      activeCalls = count;
      child.send({ type: "activeCalls", count });
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

/** Stands for the process if no local model is used. */
function createIdleInference(socketPath: string): InferenceProcess {
  return {
    path: socketPath,
    isReady: true,
    faults: 0,
    prepareSpeech: () => {},
    useVoices: () => {},
    noteActiveCalls: () => {},
    onQueueTimes: () => {},
    close: () => Promise.resolve(),
  };
}

function toInferenceConfiguration(
  config: Readonly<Config>,
  { socketPath, ggufFile }: InferenceFiles,
): InferenceConfiguration {
  const { languageModel } = config;
  return {
    type: "configure",
    path: socketPath,
    modelsDirectory: config.modelsDirectory,
    speechFolder: path.join(config.dataDirectory, "speech"),
    hasSpeechToText: config.localSpeech.hasSpeechToText,
    hasTextToSpeech: config.localSpeech.hasTextToSpeech,
    speechFit: config.speechFit,
    voicesInUse: undefined,
    hasEmbeddings: languageModel.provider === "builtin-responder",
    gguf:
      languageModel.provider === "gguf" && ggufFile !== undefined
        ? toGgufSettings(ggufFile, languageModel)
        : undefined,
    activeCalls: 0,
  };
}

function toGgufSettings(file: string, { contextWindows }: LanguageModelConfig & { provider: "gguf" }) {
  return {
    path: file,
    contextTokens: contextWindows?.byModel.get(path.basename(file)) ?? contextWindows?.others,
  };
}
