import { findRemoteModel, LanguageModelCheck } from "../model-providers/language-model-check.ts";
import { PostgresBus } from "../platform/bus/postgres-bus.ts";
import { DatabaseClock } from "../platform/database/database-clock.ts";
import { Jobs } from "../platform/jobs/jobs.ts";
import { openStorage } from "../platform/object-storage/open-storage.ts";
import { Readiness } from "../platform/readiness.ts";
import { catchStrayExceptions } from "../platform/stray-exceptions.ts";
import { Metrics } from "../platform/telemetry/metrics.ts";
import { OtlpExporter } from "../platform/telemetry/otlp-exporter.ts";
import { StallWatch } from "../platform/telemetry/stall-watch.ts";
import { HttpEndpoint } from "./http-endpoint.ts";
import { findNodeAddress } from "./node-address.ts";
import type { BootResources, NodeContext } from "./node-context.ts";
import { SipEndpoint } from "./sip-endpoint.ts";

/** Resources shared by the node's features and its HTTP server. They do not listen yet. */
export type OpenedResources = Awaited<ReturnType<typeof openResources>>;

export async function openResources(context: NodeContext, boot: BootResources) {
  const { config, nodeId, logger, started } = context;
  const { connection, media, inference, models, speechPlaces } = boot;
  const { database, encryption, directUrl, isEmbedded } = connection;
  const jobs = await Jobs.start({ connectionString: directUrl, logger });
  started.add(async () => await jobs.close());
  const bus = await PostgresBus.start({ connectionString: directUrl, database, logger });
  started.add(async () => await bus.close());
  const clock = await DatabaseClock.start(database);
  const http = new HttpEndpoint(config.http);
  const sip = await SipEndpoint.create(config, logger);
  const signingKeys = encryption.deriveKeys("links to objects");
  const origin = (): string => config.web.publicUrl ?? http.url;
  const storage = openStorage(config.objectStorage, { signingKeys, origin });
  const node = { config, nodeId, logger, database, encryption, directUrl, isEmbedded, jobs, bus, clock };
  return {
    ...node,
    http,
    origin,
    sip,
    storage,
    media,
    speechPlaces,
    inference,
    readiness: requireProcesses(boot),
    metrics: startMetrics(context, boot, sip),
    spans: startTracing(context),
    isMediaReady: () => media.isReady && inference.isReady && models.obstacles.length === 0,
    findWarnings: watchLanguageModel(context, boot),
    findAddresses: async () => {
      const address = await findNodeAddress(config, directUrl);
      return {
        httpAddress: `http://${address}:${new URL(http.url).port}`,
        sipAddress: `${address}:${sip.agent.address.port}`,
      };
    },
  };
}

function requireProcesses({ media, inference, models }: BootResources): Readiness {
  const readiness = new Readiness();
  readiness.require(() => (inference.isReady ? [] : ["speech models"]));
  readiness.require(() => (media.isReady ? [] : ["media processes"]));
  readiness.require(() => models.obstacles);
  return readiness;
}

function startMetrics(
  { logger, started }: NodeContext,
  { media, inference, models, speechPlaces }: BootResources,
  sip: SipEndpoint,
): Metrics {
  let faults = 0;
  const stopCatching = catchStrayExceptions((error) => {
    faults++;
    logger.error({ err: error }, "exception outside of any call");
  });
  started.add(async () => stopCatching());
  const metrics = new Metrics({
    wheelLagP99Ms: () => media.wheelLagP99Ms,
    openCircuits: () => media.openCircuits,
    lagCounts: () => media.lagCounts,
    modelUsability: () => models.usability,
    processFaults: () => faults + media.faults + inference.faults,
    sipTransactions: () => sip.transactionCount,
  });
  metrics.addGauge(
    "parley_local_speech_calls",
    "Active calls that use local speech models.",
    () => speechPlaces.taken,
  );
  metrics.addGauge(
    "parley_local_speech_calls_max",
    "Maximum number of simultaneous calls with local speech, if the next ones have the default voice.",
    () => speechPlaces.taken + speechPlaces.free,
  );
  inference.onQueueTimes((queueTimes) => {
    for (const [priority, waitedMs] of queueTimes) metrics.observeQueueTime(priority, waitedMs);
  });
  const stalls = new StallWatch((ms) => metrics.observeStall(ms));
  started.add(async () => stalls.close());
  return metrics;
}

function startTracing({ config, logger, started }: NodeContext): OtlpExporter | undefined {
  if (config.otlp === undefined) return undefined;
  const exporter = new OtlpExporter({ ...config.otlp, logger });
  started.add(async () => await exporter.close());
  return exporter;
}

/**
 * Returns the node's warnings: unused models, and a language model that does not answer. Calls are accepted regardless.
 */
function watchLanguageModel(
  { config, logger, started }: NodeContext,
  { models }: BootResources,
): () => readonly string[] {
  const remote = findRemoteModel(config);
  if (remote === undefined) return () => models.warnings;
  const check = new LanguageModelCheck(remote, logger);
  check.start();
  started.add(async () => check.close());
  return () => [...models.warnings, ...(check.problem === undefined ? [] : [check.problem])];
}
