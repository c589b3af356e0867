import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { createSecureContext } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { buildPages } from "@parley/dashboard";
import { connectInference } from "@parley/providers";
import { slicePortRange } from "@parley/rtp";
import { type SocketAddress, type TlsOptions, UserAgent } from "@parley/sip";
import type { Logger } from "pino";
import { createLanguageModel } from "./call-host/language-models.ts";
import { MediaPool } from "./call-host/media-pool.ts";
import { sliceWebPorts } from "./call-host/web-ports.ts";
import { fetchModels } from "./inference/fetch-models.ts";
import { requireGgufFile } from "./inference/gguf-file.ts";
import { type InferenceProcess, startInferenceProcess } from "./inference/inference-supervisor.ts";
import { analyzeCallJob } from "./modules/analysis/analysis.jobs.ts";
import { CallAnalyst } from "./modules/analysis/call-analyst.ts";
import { CallSpool, finishSpools } from "./modules/calls/call-spool.ts";
import { CallControl } from "./modules/calls/call-control.ts";
import type { ProviderNames } from "./modules/calls/held-call.ts";
import { HeldCalls } from "./modules/calls/held-calls.ts";
import { deleteExpiredTracesJob } from "./modules/calls/call-trace.jobs.ts";
import { CallTraceRecorder } from "./modules/calls/call-trace.recorder.ts";
import { bindModuleRoutes, createModules, type Modules } from "./modules/modules.ts";
import { deleteExpiredIdentitiesJob } from "./modules/organizations/organizations.jobs.ts";
import { RecordingFinisher } from "./modules/recordings/recording-finisher.ts";
import { giveUpRecordingsJob } from "./modules/recordings/recordings.jobs.ts";
import type { CallHolder } from "./modules/nodes/call-command.ts";
import type { SipEnd } from "./modules/sip-trunks/trunk-check.ts";
import { TrunkWatcher } from "./modules/sip-trunks/trunk-watcher.ts";
import { ToolSigning } from "./modules/webhooks/tool-signing.ts";
import { PreCallWebhook } from "./modules/webhooks/pre-call-webhook.ts";
import { WebhookDelivery } from "./modules/webhooks/webhook-delivery.ts";
import { WebhookSender } from "./modules/webhooks/webhook-sender.ts";
import { deleteOldWebhooksJob, deliverWebhooksJob } from "./modules/webhooks/webhooks.jobs.ts";
import { NodeHeartbeat } from "./modules/nodes/node-heartbeat.ts";
import { PostgresBus } from "./platform/bus/postgres-bus.ts";
import { ClosingStack } from "./platform/closing-stack.ts";
import { chooseLanguageModel } from "./platform/config/choose-language-model.ts";
import type { Config } from "./platform/config/config.ts";
import { type Clock, DatabaseClock } from "./platform/database/database-clock.ts";
import { connectDatabase } from "./platform/database/connect.ts";
import type { Database } from "./platform/database/database.ts";
import { createHttpServer } from "./platform/http/http-server.ts";
import { registerPages } from "./platform/http/pages.ts";
import { registerProbes } from "./platform/http/probes.ts";
import { deleteExpiredAnswersJob } from "./platform/idempotency/idempotency.jobs.ts";
import { Idempotency } from "./platform/idempotency/idempotency.ts";
import { type JobKind, Jobs } from "./platform/jobs/jobs.ts";
import { findLocalAddressTowards } from "./platform/local-address.ts";
import { registerFolderRoutes } from "./platform/object-storage/folder-routes.ts";
import { FolderStorage } from "./platform/object-storage/folder-storage.ts";
import { openStorage } from "./platform/object-storage/open-storage.ts";
import type { S3Storage } from "./platform/object-storage/s3-storage.ts";
import { OutboundClient } from "./platform/outbound-http/outbound-client.ts";
import { RateLimiter } from "./platform/rate-limit/rate-limiter.ts";
import { OtlpExporter } from "./platform/telemetry/otlp-exporter.ts";
import { Metrics } from "./platform/telemetry/metrics.ts";

/** A running node of Parley. */
export interface ParleyNode {
  /** Resolves once calls can be taken: what `/readyz` answers 200 for. */
  readonly ready: Promise<void>;
  readonly httpUrl: string;
  readonly sipPort: number;
  /** Local socket of the inference process. */
  readonly inferencePath: string;
  /** Takes no more calls, lets the running ones end for the configured time, and stops everything. Idempotent. */
  close: () => Promise<void>;
}

/** What every part of the node is given. */
interface Ground {
  config: Readonly<Config>;
  nodeId: string;
  logger: Logger;
  started: ClosingStack;
}

/** Calls that one media process holds at most; docs/performance.md says what it was measured with. */
const CALLS_PER_MEDIA_PROCESS = 250;
/** Nobody waits on the line, and a model may reason before it writes. */
const ANALYSIS_MODEL_DEADLINES = { firstByteTimeoutMs: 120_000, betweenChunksTimeoutMs: 60_000 };
/** A local model's context of 4,096 tokens holds instructions and transcript (about 2,500) and the answer. */
const ANALYSIS_SIZES = {
  local: { mostCharacters: 10_000, settings: { temperature: 0, maxOutputTokens: 1_000 } },
  remote: { mostCharacters: 160_000, settings: {} },
};
const READY_POLL_MS = 20;

/**
 * Puts a node together: the one place that knows every part. Rejects with a message for the operator, having stopped
 * what it had started.
 */
export async function startNode(config: Readonly<Config>, logger: Logger): Promise<ParleyNode> {
  const started = new ClosingStack();
  try {
    return await compose({ config, logger, started, nodeId: randomUUID() });
  } catch (error) {
    await started.close();
    throw error;
  }
}

async function compose(ground: Ground): Promise<ParleyNode> {
  const { config, nodeId, logger, started } = ground;
  const { connection, media, inference } = await startFoundation(ground);
  const jobs = await Jobs.start({ connectionString: connection.directUrl, logger });
  started.add(async () => await jobs.close());
  const bus = await PostgresBus.start({
    connectionString: connection.directUrl,
    database: connection.database,
    logger,
  });
  started.add(async () => await bus.close());
  const clock = await DatabaseClock.start(connection.database);
  const storage = openStorage(config.objectStorage, {
    signingKey: connection.encryption.deriveKey("links to objects"),
    origin: () => config.web.publicUrl ?? httpUrl,
  });
  const modules = createModules({
    ...connection,
    jobs,
    bus,
    clock,
    storage,
    hasLanguageModel: canAnalyze(config),
  });
  if (config.bootstrapApiKey !== undefined)
    await modules.apiKeys.ensureBootstrapOrganization(config.bootstrapApiKey);
  const idempotency = new Idempotency(connection.database);
  const kinds: readonly JobKind<Record<string, never>>[] = [
    deleteExpiredIdentitiesJob(modules.organizations),
    deleteExpiredTracesJob(modules.callTraces, config.traceDays),
    deleteExpiredAnswersJob(idempotency),
    deleteOldWebhooksJob(connection.database),
    giveUpRecordingsJob(modules.calls),
  ];
  for (const kind of kinds) await jobs.work(kind);
  const { delivery, preCall } = startWebhooks(ground, connection.database, modules, clock);
  await jobs.work(deliverWebhooksJob(delivery));
  if (canAnalyze(config))
    await jobs.work(analyzeCallJob(startAnalyst(ground, connection.database, modules, inference)));
  const spoolFolder = path.join(config.dataDirectory, "call-spool");
  await finishSpools(spoolFolder, modules.calls, logger);
  const spool = new CallSpool({ folder: spoolFolder, nodeId, logger });
  started.add(async () => spool.close());
  // Nobody else uses our own database. Ends of calls are told by jobs.
  if (connection.isEmbedded) await modules.calls.closeOrphans([nodeId], clock.now(), undefined);

  const metrics: Metrics = new Metrics({
    activeCalls: () => heldCalls.size,
    wheelLagP99Ms: () => media.wheelLagP99Ms,
  });
  const spans = startTracing(ground);
  const isReady = (): boolean => media.isReady && inference.isReady;
  const heartbeat = new NodeHeartbeat({
    nodeId,
    database: connection.database,
    clock,
    calls: modules.calls,
    load: () => ({
      isDraining: heldCalls.isDraining,
      isReady: isReady(),
      callsHeld: heldCalls.size,
      freePlaces: media.freePlaces,
    }),
    onLost: async () => await heldCalls.endClosed(),
    logger,
  });
  if (!connection.isEmbedded && !storage.isShared) await heartbeat.requireAlone();
  const heldCalls = new HeldCalls({
    nodeId,
    spool,
    calls: modules.calls,
    preCall,
    toolSigning: new ToolSigning({ signingSecrets: modules.signingSecrets, logger }),
    isReady: () => isReady() && heartbeat.isDatabaseAnswering,
    providerNames: (llmModel) => namesOf(config, llmModel),
    metrics,
    spans,
    logger,
  });
  const control = new CallControl({
    nodeId,
    calls: modules.calls,
    heldCalls,
    phoneNumbers: modules.phoneNumbers,
    sipTrunks: modules.sipTrunks,
    media,
    publicAddress: config.publicAddress,
    logger,
  });
  const findObstacles = async (): Promise<string[]> => [
    ...(heartbeat.isDatabaseAnswering ? [] : ["the database"]),
    ...(inference.isReady ? [] : ["the speech models"]),
    ...(media.isReady ? [] : ["the media processes"]),
    ...(heldCalls.isDraining ? ["nothing: the node is ending"] : []),
  ];
  const rateLimiter = new RateLimiter(connection.database, () => clock.now());
  const httpUrl = await listenHttp(
    ground,
    modules,
    { idempotency, rateLimiter },
    { findObstacles, metrics },
    storage,
  );
  const traces = startSipTraces(ground, connection.database);
  const sip = await listenSip(ground, { control, heldCalls }, traces);
  modules.sipTrunkChecks.useSip(sip);
  modules.outboundCalls.useLine({
    nodeId,
    userAgent: sip.agent,
    heldCalls,
    media,
    publicAddress: config.publicAddress,
    logger,
  });
  const sipPort = sip.agent.address.port;
  modules.webCalls.useLine({
    nodeId,
    heldCalls,
    media,
    publicUrl: config.web.publicUrl,
    iceServers: config.web,
    logger,
  });
  const holder: CallHolder = {
    findHere: (callId) => heldCalls.findHere(callId),
    carryOut: (callId, command) =>
      command.type === "dial"
        ? modules.outboundCalls.dialHere(callId, command)
        : heldCalls.carryOut(callId, command),
  };
  const stopHolding = modules.callCommands.hold(nodeId, holder, logger);
  started.add(async () => stopHolding());
  const address = await findNodeAddress(config, connection.directUrl);
  await heartbeat.start({
    httpAddress: `http://${address}:${new URL(httpUrl).port}`,
    sipAddress: `${address}:${sipPort}`,
  });
  started.add(async () => await heartbeat.close());
  startRecordingFinisher(ground, connection.database, modules, heldCalls);
  // The last to start is the first to go: calls end while all that they need is still there.
  started.add(async () => await heldCalls.drain(config.shutdownSeconds * 1000));
  // Before that carriers learn that no more calls are to come here.
  const watcher = new TrunkWatcher({
    nodeId,
    database: connection.database,
    sipTrunks: modules.sipTrunks,
    agent: sip.agent,
    now: () => clock.now(),
    logger,
  });
  started.add(async () => await watcher.close());
  return {
    ready: becomeReady(ground, heldCalls, httpUrl, sipPort),
    httpUrl,
    sipPort,
    inferencePath: inference.path,
    close: () => started.close(),
  };
}

/** Undefined where the operator wants none. */
function startSipTraces(
  { config, nodeId, logger, started }: Ground,
  database: Database,
): CallTraceRecorder | undefined {
  if (config.traceDays === 0) return undefined;
  const recorder = new CallTraceRecorder({ database, nodeId, logger });
  started.add(async () => await recorder.close());
  return recorder;
}

function startTracing({ config, logger, started }: Ground): OtlpExporter | undefined {
  if (config.otlp === undefined) return undefined;
  const exporter = new OtlpExporter({ ...config.otlp, logger });
  started.add(async () => await exporter.close());
  return exporter;
}

/** The models load while the database starts: both take about as long. When one fails, the other is not left half-way. */
async function startFoundation(ground: Ground) {
  const abort = new AbortController();
  const giveUp = (reason: unknown): never => {
    abort.abort(reason);
    throw reason;
  };
  const [database, processes] = await Promise.allSettled([
    openDatabase(ground).catch(giveUp),
    startCallProcesses(ground, abort.signal).catch(giveUp),
  ]);
  if (database.status === "rejected" || processes.status === "rejected") throw abort.signal.reason;
  return { connection: database.value, ...processes.value };
}

async function openDatabase({ config, started }: Ground) {
  const connection = await connectDatabase(config);
  started.add(async () => await connection.close());
  return connection;
}

/** The processes that hold calls and models, after fetching the models that are not there yet. */
async function startCallProcesses(
  { config, logger, started, nodeId }: Ground,
  signal: AbortSignal,
): Promise<{ media: MediaPool; inference: InferenceProcess }> {
  if (config.languageModel.provider === "gguf") await requireGgufFile(config.languageModel.path);
  await fetchModels(config, signal);
  signal.throwIfAborted();
  const folder = await mkdtemp(path.join(tmpdir(), "parley-"));
  started.add(async () => await rm(folder, { recursive: true, force: true }));
  const recordingFolder = recordingFolderOf(config);
  await mkdir(recordingFolder, { recursive: true, mode: 0o700 });
  const isWindows = process.platform === "win32";
  const inferencePath = isWindows ? `\\\\.\\pipe\\parley-${nodeId}` : path.join(folder, "inference.sock");
  const inference = startInferenceProcess(config, inferencePath, logger);
  started.add(async () => await inference.close());
  const media = new MediaPool({
    processes: config.mediaProcesses,
    callsPerProcess: CALLS_PER_MEDIA_PROCESS,
    configure: (index) => ({
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
          : { folder: path.join(config.dataDirectory, "turn-logs"), keptDays: config.turnLogDays },
      recordingFolder,
      isPrivateWebhookAllowed: config.isPrivateWebhookAllowed,
      providers: {
        speechToText: config.speechToText,
        textToSpeech: config.textToSpeech,
        languageModel: config.languageModel,
        localSpeech: config.localSpeech,
      },
    }),
    logger,
  });
  started.add(async () => await media.close());
  return { media, inference };
}

function startWebhooks(
  { config, logger, started }: Ground,
  database: Database,
  { calls, webhooks, signingSecrets }: Modules,
  clock: Clock,
): { delivery: WebhookDelivery; preCall: PreCallWebhook } {
  const client = new OutboundClient({ isPrivateAllowed: config.isPrivateWebhookAllowed });
  started.add(async () => await client.close());
  const now = (): Date => clock.now();
  const sender = new WebhookSender({ client, signingSecrets, now });
  const delivery = new WebhookDelivery({ database, sender, webhooks, calls });
  started.add(async () => delivery.close());
  return { delivery, preCall: new PreCallWebhook({ database, sender, webhooks, logger, now }) };
}

/** The built-in responder reads answers out of a prompt; it cannot judge a call. */
function canAnalyze({ languageModel }: Config): boolean {
  return languageModel.provider !== "builtin-responder";
}

function startAnalyst(
  { config, started }: Ground,
  database: Database,
  { calls, agentResolution }: Modules,
  { path: inferencePath }: InferenceProcess,
): CallAnalyst {
  const inference = connectInference({ path: inferencePath });
  const closers: (() => Promise<void>)[] = [async () => inference.close()];
  started.add(async () => void (await Promise.all(closers.map((close) => close()))));
  const model = createLanguageModel(config.languageModel, inference, closers, ANALYSIS_MODEL_DEADLINES);
  const sizes = ANALYSIS_SIZES[config.languageModel.provider === "gguf" ? "local" : "remote"];
  const analyst = new CallAnalyst({
    database,
    calls,
    agentResolution,
    analysisModel: { model, ...sizes },
  });
  started.add(async () => analyst.close());
  return analyst;
}

function startRecordingFinisher(
  { config, nodeId, logger, started }: Ground,
  database: Database,
  { calls, recordings }: Modules,
  heldCalls: HeldCalls,
): void {
  const finisher = new RecordingFinisher({
    nodeId,
    folder: recordingFolderOf(config),
    database,
    calls,
    recordings,
    isHeld: (callId) => heldCalls.get(callId) !== undefined,
    concurrency: config.mediaProcesses,
    logger,
  });
  finisher.start();
  started.add(async () => await finisher.close());
}

/** Where audio lies until recordings are made of it. */
const recordingFolderOf = ({ dataDirectory }: Ground["config"]): string =>
  path.join(dataDirectory, "recordings");

async function listenHttp(
  { config, logger, started }: Ground,
  modules: Modules,
  memory: { idempotency: Idempotency; rateLimiter: RateLimiter },
  probes: Parameters<typeof registerProbes>[1],
  storage: FolderStorage | S3Storage,
): Promise<string> {
  const app = await createHttpServer({
    logger,
    authenticate: async (key) => await modules.apiKeys.authenticate(key),
    ...memory,
  });
  started.add(async () => await app.close());
  registerProbes(app, probes);
  if (storage instanceof FolderStorage) registerFolderRoutes(app, storage);
  bindModuleRoutes(app, modules);
  registerPages(app, buildPages(), config.web.publicUrl);
  const { host, port } = config.http;
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw explainListenError(error, `HTTP port ${port} (PARLEY_HTTP_PORT)`);
  }
  const address = app.server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host === "0.0.0.0" || host === "::" ? "localhost" : host}:${actualPort}`;
}

async function listenSip(
  { config, logger, started }: Ground,
  { control, heldCalls }: { control: CallControl; heldCalls: HeldCalls },
  traces: CallTraceRecorder | undefined,
): Promise<SipEnd> {
  const { port } = config.sip;
  const tls = await readSipTls(config.sip.tls);
  try {
    const agent = await UserAgent.listen({
      bind: everyAddress(port),
      ...(tls === undefined ? {} : { tls }),
      ...(config.publicAddress !== undefined && { publicAddress: config.publicAddress }),
      userAgent: "Parley",
      onInvite: (invite) => control.handleInvite(invite),
      isIgnored: ({ address }) => control.isIgnored(address),
      ...(traces !== undefined && { onMessage: (message) => traces.observe(message) }),
      onOptions: () => (heldCalls.isTakingCalls ? 200 : 503),
      onError: (error) => logger.error({ err: error }, "SIP failed"),
      onDropped: (reason) => logger.debug({ reason }, "a SIP message was dropped"),
    });
    started.add(async () => await agent.close());
    return { agent, tls };
  } catch (error) {
    throw explainListenError(error, namePort(error, config.sip));
  }
}

/** IPv6 as well where the machine has it. */
function everyAddress(port: number): SocketAddress[] {
  const entries = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const hasIPv6 = entries.some(({ family }) => family === "IPv6");
  return ["0.0.0.0", ...(hasIPv6 ? ["::"] : [])].map((address) => ({ address, port }));
}

async function readSipTls(tls: Config["sip"]["tls"]): Promise<(TlsOptions & { port: number }) | undefined> {
  if (tls === undefined) return undefined;
  const { certificatePath, keyPath, authoritiesPath, ...rest } = tls;
  const options = {
    ...rest,
    certificate: await readPem(certificatePath, "PARLEY_SIP_TLS_CERT"),
    privateKey: await readPem(keyPath, "PARLEY_SIP_TLS_KEY"),
    ...(authoritiesPath === undefined
      ? {}
      : { authorities: await readPem(authoritiesPath, "PARLEY_SIP_TLS_CA") }),
  };
  try {
    createSecureContext({ cert: options.certificate, key: options.privateKey });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`PARLEY_SIP_TLS_CERT and PARLEY_SIP_TLS_KEY cannot be used: ${message}`, {
      cause: error,
    });
  }
  return options;
}

async function readPem(file: string, variable: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${variable} cannot be read: ${message}`, { cause: error });
  }
}

function namePort(error: unknown, { port, tls }: Config["sip"]): string {
  const { port: taken, syscall } = error as { port?: number; syscall?: string };
  if (tls !== undefined && taken === tls.port) return `SIP port ${tls.port}/tcp (PARLEY_SIP_TLS_PORT)`;
  return `SIP port ${port}/${syscall === "listen" ? "tcp" : "udp"} (PARLEY_SIP_PORT)`;
}

function explainListenError(error: unknown, what: string): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (code === "EADDRINUSE") return new Error(`${what} is in use by another program`, { cause: error });
  if (code === "EACCES") return new Error(`${what} may not be used by this user`, { cause: error });
  return new Error(`${what} cannot be listened on: ${message}`, { cause: error });
}

/** Under which other nodes reach this one: its own address in the network in which the database is. */
async function findNodeAddress(config: Config, databaseUrl: string): Promise<string> {
  if (config.publicAddress !== undefined) return config.publicAddress;
  const { hostname } = new URL(databaseUrl);
  const { address } = await lookup(hostname === "" ? "127.0.0.1" : hostname.replaceAll(/[[\]]/g, ""));
  return await findLocalAddressTowards(address);
}

async function becomeReady(
  { logger, started }: Ground,
  calls: HeldCalls,
  httpUrl: string,
  sipPort: number,
): Promise<void> {
  const abort = new AbortController();
  started.add(async () => abort.abort());
  while (!calls.isTakingCalls) {
    if (abort.signal.aborted) return;
    await sleep(READY_POLL_MS);
  }
  logger.info({ http: httpUrl, reference: `${httpUrl}/docs`, sipPort }, "ready: calls can be taken");
}

/** As they stand on the call's record. */
function namesOf(config: Config, llmModel: string): ProviderNames {
  const { speechToText, textToSpeech } = config;
  const languageModel = chooseLanguageModel(config.languageModel, llmModel);
  const llmNames = {
    "openai-compatible": () => (languageModel.provider === "openai-compatible" ? languageModel.model : ""),
    gguf: () => (languageModel.provider === "gguf" ? `local/${path.basename(languageModel.path)}` : ""),
    "builtin-responder": () => "parley/builtin-responder",
  };
  return {
    llmName: llmNames[languageModel.provider](),
    sttName: speechToText.provider === "local" ? "local/moonshine-base" : speechToText.provider,
    ttsName: textToSpeech.provider === "local" ? "local" : textToSpeech.provider,
  };
}
