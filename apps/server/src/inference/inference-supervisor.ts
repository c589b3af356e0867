import type { Logger } from "pino";
import type { Config } from "../platform/config/config.ts";
import { SupervisedChild } from "../platform/supervised-child.ts";
import type { InferenceConfiguration } from "./inference-protocol.ts";

const CLOSE_GRACE_MS = 5_000;

/** The main process's handle on the inference process. */
export interface InferenceProcess {
  /** Local socket that it serves. */
  readonly path: string;
  /** Its models are loaded, or none is needed. */
  readonly isReady: boolean;
  /** Idempotent. */
  close: () => Promise<void>;
}

/** Starts the process that holds the local models; none where every provider is elsewhere. */
export function startInferenceProcess(
  config: Readonly<Config>,
  path: string,
  logger: Logger,
): InferenceProcess {
  const { languageModel } = config;
  const configuration: InferenceConfiguration = {
    type: "configure",
    path,
    modelsDirectory: config.modelsDirectory,
    hasSpeechToText: config.localSpeech.hasSpeechToText,
    hasTextToSpeech: config.localSpeech.hasTextToSpeech,
    hasEmbeddings: languageModel.provider === "builtin-responder",
    ggufPath: languageModel.provider === "gguf" ? languageModel.path : undefined,
  };
  const { hasSpeechToText, hasTextToSpeech, hasEmbeddings, ggufPath } = configuration;
  if (!hasSpeechToText && !hasTextToSpeech && !hasEmbeddings && ggufPath === undefined) {
    return { path, isReady: true, close: () => Promise.resolve() };
  }
  const child = new SupervisedChild<InferenceConfiguration, never>({
    name: "inference",
    entry: new URL("./inference-process.ts", import.meta.url),
    firstMessage: () => configuration,
    onMessage: () => {},
    onReady: () => logger.debug("local models loaded"),
    onExit: () => {},
    logger,
  });
  return {
    path,
    get isReady() {
      return child.isReady;
    },
    close: async () => await child.close(CLOSE_GRACE_MS),
  };
}
