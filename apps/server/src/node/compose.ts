import { lookup } from "node:dns/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentDocument } from "../modules/agents/agent-document.rules.ts";
import { fixedSpeechOf } from "../modules/agents/fixed-speech.rules.ts";
import { analyzeCallJob } from "../modules/analysis/analysis.jobs.ts";
import { InboundAdmission } from "../modules/phone-calls/inbound-admission.ts";
import { CallSpool, finishSpools } from "../modules/active-calls/call-spool.ts";
import { CallControl } from "../modules/phone-calls/call-control.ts";
import type { ProviderNames } from "../modules/active-calls/active-call.ts";
import { ActiveCallRegistry } from "../modules/active-calls/active-call-registry.ts";
import { deleteExpiredTracesJob } from "../modules/sip-traces/sip-trace.jobs.ts";
import { SipTraceRecorder } from "../modules/sip-traces/sip-trace.recorder.ts";
import type { CheckResult } from "../doctor/finding.ts";
import { createModules, type Modules } from "../modules/modules.ts";
import { deleteExpiredIdentitiesJob } from "../modules/organizations/organizations.jobs.ts";
import { RecordingFinisher } from "../modules/recording-finishing/recording-finisher.ts";
import { giveUpRecordingsJob } from "../modules/recording-finishing/recording-finishing.jobs.ts";
import type { CallCommandHandler } from "../modules/active-calls/call-command.ts";
import type { SipEndpoint } from "../modules/sip-trunks/trunk-check.ts";
import { TrunkMonitorPool } from "../modules/sip-trunks/trunk-monitor-pool.ts";
import { ToolSigning } from "../modules/webhooks/tool-signing.ts";
import { PreCallWebhook } from "../modules/webhooks/pre-call-webhook.ts";
import { WebhookDelivery } from "../modules/webhooks/webhook-delivery.ts";
import { WebhookSender } from "../modules/webhooks/webhook-sender.ts";
import { deleteOldWebhooksJob, deliverWebhooksJob } from "../modules/webhooks/webhooks.jobs.ts";
import { NodeHeartbeat } from "../modules/nodes/node-heartbeat.ts";
import { PostgresBus } from "../platform/bus/postgres-bus.ts";
import { chooseLanguageModel } from "../platform/config/choose-language-model.ts";
import type { Config } from "../platform/config/config.ts";
import { type Clock, DatabaseClock } from "../platform/database/database-clock.ts";
import { type Database, openDatabase } from "../platform/database/database.ts";
import { deleteExpiredAnswersJob } from "../platform/idempotency/idempotency.jobs.ts";
import { Idempotency } from "../platform/idempotency/idempotency.ts";
import { type JobKind, Jobs } from "../platform/jobs/jobs.ts";
import { findLocalAddressTowards } from "../platform/local-address.ts";
import { openStorage } from "../platform/object-storage/open-storage.ts";
import { OutboundClient } from "../platform/outbound-http/outbound-client.ts";
import { RateLimiter } from "../platform/rate-limit/rate-limiter.ts";
import { OtlpExporter } from "../platform/telemetry/otlp-exporter.ts";
import { catchStrayExceptions } from "../platform/stray-exceptions.ts";
import { Metrics } from "../platform/telemetry/metrics.ts";
import { StallWatch } from "../platform/telemetry/stall-watch.ts";
import { recordingFolderOf } from "./call-processes.ts";
import type { ParleyNode } from "./start-node.ts";
import { createFirstAccess } from "./first-access.ts";
import type { BootResources, NodeContext } from "./node-context.ts";
import { LanguageModelCheck } from "../model-providers/language-model-check.ts";
import { listenHttp, listenSip } from "./listen.ts";

const READY_POLL_MS = 20;
/** A beat that waits longer is better tried again: the others take a node for lost after 10 s. */
const BEAT_STATEMENT_DEADLINE_MS = 4_000;

/** Puts a node together: the one place that knows every part. */
export async function compose(
  ground: NodeContext,
  { connection, media, inference, models }: BootResources,
): Promise<ParleyNode> {
  const { config, nodeId, logger, started } = ground;
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
  const prepareSpeech = (document: AgentDocument): void => {
    const speech = fixedSpeechOf(document, config.textToSpeech.provider);
    if (speech !== undefined) inference.prepareSpeech(speech);
  };
  const modules = createModules({
    ...connection,
    onAgentWritten: prepareSpeech,
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
    deleteExpiredTracesJob(modules.sipTraces, config.traceDays),
    deleteExpiredAnswersJob(idempotency),
    deleteOldWebhooksJob(connection.database),
    giveUpRecordingsJob(modules.calls),
  ];
  for (const kind of kinds) await jobs.work(kind);
  const { delivery, preCall } = startWebhooks(ground, connection.database, modules, clock);
  await jobs.work(deliverWebhooksJob(delivery));
  if (canAnalyze(config)) {
    // Brings the clients of vendors' models, which not every node needs.
    const { startAnalyst } = await import("./analyst.ts");
    await jobs.work(analyzeCallJob(startAnalyst(ground, connection.database, modules, inference)));
  }
  const spoolFolder = path.join(config.dataDirectory, "call-spool");
  await finishSpools(spoolFolder, modules.calls, logger);
  const spool = new CallSpool({ folder: spoolFolder, nodeId, logger });
  started.add(async () => spool.close());
  // Nobody else uses our own database. Ends of calls are told by jobs.
  if (connection.isEmbedded) await modules.calls.closeOrphans([nodeId], clock.now(), undefined);

  const metrics: Metrics = new Metrics({
    activeCalls: () => activeCalls.size,
    wheelLagP99Ms: () => media.wheelLagP99Ms,
    lagCounts: () => media.lagCounts,
    modelUsability: () => models.usability,
    processFaults: () => faults + media.faults + inference.faults,
    sipTransactions: () => sipEnd?.agent.counts.transactions ?? 0,
    numberLookups: () => modules.inboundNumbers.lookupCount,
  });
  let faults = 0;
  const stopCatching = catchStrayExceptions((error) => {
    faults++;
    logger.error({ err: error }, "exception outside of any call");
  });
  started.add(async () => stopCatching());
  inference.onQueueTimes((queueTimes) => {
    for (const [priority, waitedMs] of queueTimes) metrics.observeQueueTime(priority, waitedMs);
  });
  const stalls = new StallWatch((ms) => metrics.observeStall(ms));
  started.add(async () => stalls.close());
  const spans = startTracing(ground);
  const isReady = (): boolean => media.isReady && inference.isReady && models.obstacles.length === 0;
  const beatDatabase = await openDatabase(connection.directUrl, {
    maxConnections: 1,
    statementDeadlineMs: BEAT_STATEMENT_DEADLINE_MS,
  });
  started.add(async () => await beatDatabase.$client.end());
  const heartbeat = new NodeHeartbeat({
    nodeId,
    database: beatDatabase,
    clock,
    calls: modules.calls,
    load: () => ({
      isDraining: activeCalls.isDraining,
      isReady: isReady(),
      callsHeld: activeCalls.size,
      freePlaces: media.freePlaces,
    }),
    heldCallIds: () => activeCalls.ids,
    onSweep: async (transaction, now) => await modules.callCommands.deleteExpired(transaction, now),
    onLost: async () => await activeCalls.endClosed(),
    logger,
  });
  if (!connection.isEmbedded && !storage.isShared) await heartbeat.requireAlone();
  const sipTraces = startSipTraces(ground, connection.database);
  const activeCalls = new ActiveCallRegistry({
    nodeId,
    spool,
    calls: modules.calls,
    preCall,
    toolSigning: new ToolSigning({ signingSecrets: modules.signingSecrets, logger }),
    isReady: () => isReady() && heartbeat.isDatabaseAnswering,
    providerNames: (llmModel) => namesOf(config, llmModel),
    prepareSpeech,
    metrics,
    spans,
    sipTraces,
    logger,
  });
  const control = new CallControl({
    nodeId,
    calls: modules.calls,
    activeCalls,
    phoneNumbers: modules.phoneNumbers,
    admission: new InboundAdmission({ ...modules, logger }),
    media,
    publicAddress: config.publicAddress,
    logger,
  });
  const findObstacles = async (): Promise<string[]> => [
    ...(heartbeat.isDatabaseAnswering ? [] : ["database"]),
    ...(inference.isReady ? [] : ["speech models"]),
    ...(media.isReady ? [] : ["media processes"]),
    ...models.obstacles,
    ...(activeCalls.isDraining ? ["shutting down"] : []),
  ];
  const modelCheck = startLanguageModelCheck(ground);
  const rateLimiter = new RateLimiter(connection.database, () => clock.now());
  // HTTP listens before SIP does.
  let sipEnd: SipEndpoint | undefined;
  const diagnose = async (): Promise<CheckResult[]> => {
    // Read by few operators, seldom.
    const { examineNode } = await import("../doctor/examine-node.ts");
    return await examineNode({ config, connection, sipTrunks: modules.sipTrunks, sip: sipEnd });
  };
  const httpUrl = await listenHttp(
    ground,
    modules,
    { idempotency, rateLimiter },
    {
      findObstacles,
      findWarnings: () => [
        ...models.warnings,
        ...(modelCheck?.problem === undefined ? [] : [modelCheck.problem]),
      ],
      metrics,
      diagnose,
    },
    storage,
  );
  const sip = await listenSip(ground, { control, activeCalls }, sipTraces);
  sipEnd = sip;
  modules.sipTrunkChecks.useSip(sip);
  modules.outboundCalls.useLine({
    nodeId,
    userAgent: sip.agent,
    activeCalls,
    media,
    publicAddress: config.publicAddress,
    logger,
  });
  const sipPort = sip.agent.address.port;
  modules.webCalls.useLine({
    nodeId,
    activeCalls,
    media,
    publicUrl: config.web.publicUrl,
    iceServers: config.web,
    logger,
  });
  const holder: CallCommandHandler = {
    findHere: (callId) => activeCalls.findHere(callId),
    carryOut: (callId, command) => {
      if (command.type === "dial") return modules.outboundCalls.dialHere(callId, command);
      if (command.type === "awaitBrowser") return modules.webCalls.holdHere(callId, command);
      return activeCalls.carryOut(callId, command);
    },
  };
  const stopHolding = modules.callCommands.hold(nodeId, holder, logger);
  started.add(async () => stopHolding());
  const address = await findNodeAddress(config, connection.directUrl);
  await heartbeat.start({
    httpAddress: `http://${address}:${new URL(httpUrl).port}`,
    sipAddress: `${address}:${sipPort}`,
  });
  started.add(async () => await heartbeat.close());
  startRecordingFinisher(ground, connection.database, modules, activeCalls);
  // The last to start is the first to go: calls end while all that they need is still there.
  started.add(async () => await activeCalls.drain(config.shutdownSeconds * 1000));
  // Before that carriers learn that no more calls are to come here.
  const watcher = new TrunkMonitorPool({
    nodeId,
    database: connection.database,
    sipTrunks: modules.sipTrunks,
    agent: sip.agent,
    now: () => clock.now(),
    logger,
  });
  started.add(async () => await watcher.close());
  return {
    ready: becomeReady(ground, activeCalls, httpUrl, sipPort),
    httpUrl,
    sipPort,
    createFirstAccess: async () => await createFirstAccess(modules, config.web.publicUrl ?? httpUrl, logger),
    inferencePath: inference.path,
    close: () => started.close(),
  };
}

/** Undefined where the operator wants none. */
function startSipTraces(
  { config, logger, started }: NodeContext,
  database: Database,
): SipTraceRecorder | undefined {
  if (config.traceDays === 0) return undefined;
  const recorder = new SipTraceRecorder({ database, logger });
  started.add(async () => await recorder.close());
  return recorder;
}

function startTracing({ config, logger, started }: NodeContext): OtlpExporter | undefined {
  if (config.otlp === undefined) return undefined;
  const exporter = new OtlpExporter({ ...config.otlp, logger });
  started.add(async () => await exporter.close());
  return exporter;
}

/** `undefined` if the language model runs on this node. */
function startLanguageModelCheck({ config, logger, started }: NodeContext): LanguageModelCheck | undefined {
  const { languageModel } = config;
  if (languageModel.provider !== "openai-compatible") return undefined;
  const check = new LanguageModelCheck(languageModel, logger);
  check.start();
  started.add(async () => check.close());
  return check;
}

function startWebhooks(
  { config, logger, started }: NodeContext,
  database: Database,
  { calls, webhooks, postCallWebhook, signingSecrets }: Modules,
  clock: Clock,
): { delivery: WebhookDelivery; preCall: PreCallWebhook } {
  const client = new OutboundClient({ isPrivateAllowed: config.isPrivateWebhookAllowed });
  started.add(async () => await client.close());
  const now = (): Date => clock.now();
  const sender = new WebhookSender({ client, signingSecrets, now });
  const delivery = new WebhookDelivery({ database, sender, webhooks, calls, postCall: postCallWebhook });
  started.add(async () => delivery.close());
  return { delivery, preCall: new PreCallWebhook({ database, sender, webhooks, logger, now }) };
}

/** The built-in responder reads answers out of a prompt; it cannot judge a call. */
function canAnalyze({ languageModel }: Config): boolean {
  return languageModel.provider !== "builtin-responder";
}

function startRecordingFinisher(
  { config, nodeId, logger, started }: NodeContext,
  database: Database,
  { calls, recordings }: Modules,
  activeCalls: ActiveCallRegistry,
): void {
  const finisher = new RecordingFinisher({
    nodeId,
    folder: recordingFolderOf(config),
    database,
    calls,
    recordings,
    isHeld: (callId) => activeCalls.get(callId) !== undefined,
    concurrency: config.mediaProcesses,
    logger,
  });
  finisher.start();
  started.add(async () => await finisher.close());
}

/** Under which other nodes reach this one: its own address in the network in which the database is. */
async function findNodeAddress(config: Config, databaseUrl: string): Promise<string> {
  if (config.publicAddress !== undefined) return config.publicAddress;
  const { hostname } = new URL(databaseUrl);
  const { address } = await lookup(hostname === "" ? "127.0.0.1" : hostname.replaceAll(/[[\]]/g, ""));
  return await findLocalAddressTowards(address);
}

async function becomeReady(
  { logger, started }: NodeContext,
  calls: ActiveCallRegistry,
  httpUrl: string,
  sipPort: number,
): Promise<void> {
  const abort = new AbortController();
  started.add(async () => abort.abort());
  while (!calls.isTakingCalls) {
    if (abort.signal.aborted) return;
    await sleep(READY_POLL_MS);
  }
  logger.info({ browser: `${httpUrl}/try`, reference: `${httpUrl}/docs`, sipPort }, "ready to accept calls");
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
