import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SpeechFit } from "@parley/providers/fit";
import { slicePortRange } from "@parley/rtp";
import { MediaPool } from "../media/media-pool.ts";
import type { MediaConfiguration } from "../media/media-protocol.ts";
import { recordingFolderOf } from "../media/recording/recording-folder.ts";
import { turnLogsFolderOf } from "../media/turn-logs.ts";
import { sliceWebPorts } from "../media/web/web-ports.ts";
import { fetchModels } from "../inference/fetch-models.ts";
import { LocalSpeechPlaces } from "../inference/local-speech-places.ts";
import { findGgufFile } from "../inference/gguf-file.ts";
import { ModelStates } from "../inference/model-states.ts";
import { type InferenceProcess, startInferenceProcess } from "../inference/inference-supervisor.ts";
import type { Config } from "../platform/config/config.ts";
import type { BootResources, NodeContext } from "./node-context.ts";

/** Maximum number of calls per media process; docs/performance.md describes the measurement. */
const CALLS_PER_MEDIA_PROCESS = 250;

/** Starts the processes for calls and models, after fetching models that are missing. */
export async function startCallProcesses(
  { config, logger, started, nodeId }: NodeContext,
  signal: AbortSignal,
): Promise<Omit<BootResources, "connection">> {
  const ggufFile = await findGgufFile(config, signal);
  await fetchModels(config, signal);
  signal.throwIfAborted();
  const folder = await mkdtemp(path.join(tmpdir(), "parley-"));
  started.add(async () => await rm(folder, { recursive: true, force: true }));
  const recordingFolder = recordingFolderOf(config);
  await mkdir(recordingFolder, { recursive: true, mode: 0o700 });
  const isWindows = process.platform === "win32";
  const inferencePath = isWindows ? `\\\\.\\pipe\\parley-${nodeId}` : path.join(folder, "inference.sock");
  const models = new ModelStates(config, logger);
  const onModel = models.record.bind(models);
  const speechPlaces = new LocalSpeechPlaces(config, (count) => inference.noteActiveCalls(count));
  let speechFit: SpeechFit | undefined;
  const onFit = (fit: SpeechFit): void => {
    if (fit.summary !== speechFit?.summary) logger.info({ fit: fit.summary }, "speech models chosen");
    speechFit = fit;
    speechPlaces.useFit(fit);
    media.useSpeechFit(fit);
  };
  const inference: InferenceProcess = startInferenceProcess(
    config,
    { socketPath: inferencePath, ggufFile },
    { onModel, onFit },
    logger,
  );
  started.add(async () => await inference.close());
  const media: MediaPool = new MediaPool({
    processes: config.mediaProcesses,
    callsPerProcess: CALLS_PER_MEDIA_PROCESS,
    configure: (index) => toMediaConfiguration(config, index, { inferencePath, recordingFolder, speechFit }),
    onModel,
    logger,
  });
  started.add(async () => await media.close());
  return { media, inference, models, speechPlaces };
}

type ProcessSettings = Pick<MediaConfiguration, "inferencePath" | "recordingFolder" | "speechFit">;

/** @param index Of the media process, from 0. */
function toMediaConfiguration(
  config: Readonly<Config>,
  index: number,
  { inferencePath, recordingFolder, speechFit }: ProcessSettings,
): MediaConfiguration {
  return {
    type: "configure",
    rtpPorts: slicePortRange(config.rtpPorts, index, config.mediaProcesses),
    web: {
      ports: sliceWebPorts(config.web.ports, index, config.mediaProcesses),
      publicAddress: config.publicAddress,
    },
    rtpTimeoutMs: config.rtpTimeoutMs,
    inferencePath,
    modelsDirectory: config.modelsDirectory,
    turnLogs:
      config.turnLogDays === 0
        ? undefined
        : { folder: turnLogsFolderOf(config), keptDays: config.turnLogDays },
    recordingFolder,
    diskReserveBytes: config.diskReserveBytes,
    isPrivateWebhookAllowed: config.isPrivateWebhookAllowed,
    providers: {
      providerAccess: config.providerAccess,
      speechToText: config.speechToText,
      textToSpeech: config.textToSpeech,
      languageModel: config.languageModel,
      languageModelFallback: config.languageModelFallback,
      localSpeech: config.localSpeech,
    },
    speechFit,
  };
}
