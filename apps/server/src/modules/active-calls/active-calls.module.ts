import path from "node:path";
import type { AgentDocument } from "../agents/agent-document.rules.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { LostCalls } from "../calls/lost-calls.ts";
import type { ConversationMemory } from "../customers/memory/conversation-memory.ts";
import type { DoNotCallService } from "../do-not-call/do-not-call.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { KnowledgeSearch } from "../knowledge-bases/search/knowledge-search.ts";
import type { CallNodes } from "../nodes/call-nodes.ts";
import type { SipTraceRecorder } from "../sip-traces/sip-trace.recorder.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import type { PreCallWebhook } from "../webhooks/pre-call-webhook.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import { ActiveCallRegistry } from "./active-call-registry.ts";
import { bindActiveCallRoutes } from "./active-calls.routes.ts";
import { CallCommands } from "./call-commands.ts";
import { CallHangUpsService } from "./call-hang-ups.service.ts";
import { CallInstructions } from "./call-instructions.service.ts";
import { CallPlacement } from "./call-placement.ts";
import { CallSpool, finishSpools } from "./call-spool.ts";
import { LifeSigns } from "./life-signs.ts";
import { PlaceShares } from "./place-shares.ts";
import { providerNamesOf } from "./provider-names.rules.ts";

interface Dependencies {
  calls: CallsService;
  lostCalls: LostCalls;
  callNodes: CallNodes;
  organizations: Pick<OrganizationsService, "count">;
  preCall: PreCallWebhook;
  toolSigning: ToolSigning;
  doNotCall: DoNotCallService;
  memory: ConversationMemory;
  knowledgeSearch: KnowledgeSearch;
  sipTraceRecorder: SipTraceRecorder | undefined;
  providerKeys: ProviderKeysService;
  prepareSpeech: (document: AgentDocument) => void;
}

export function createActiveCalls(
  node: NodeResources,
  { calls, lostCalls, callNodes, organizations, sipTraceRecorder, ...dependencies }: Dependencies,
) {
  const { config, nodeId, database, bus, clock, readiness, metrics, spans, speechPlaces, logger } = node;
  const place = { folder: path.join(config.dataDirectory, "call-spool"), nodeId, logger };
  const spool = new CallSpool(place);
  const placeShares = new PlaceShares({
    reservedShare: config.callReservePercent / 100,
    countOrganizations: async () => await organizations.count(),
  });
  const activeCalls = new ActiveCallRegistry({
    ...dependencies,
    placeShares,
    nodeId,
    spool,
    calls,
    isReady: () => readiness.isReady,
    providerNames: (llmModel, ownProviders = config) =>
      providerNamesOf(ownProviders, llmModel, speechPlaces.fit?.recognizer),
    metrics,
    spans,
    clock,
    sipTraces: sipTraceRecorder,
    logger,
  });
  const lifeSigns = new LifeSigns({ ...place, calls: () => activeCalls.all(), clock });
  readiness.require(() => (activeCalls.isDraining ? ["shutting down"] : []));
  metrics.addGauge("parley_active_calls", "Active calls on this node.", () => activeCalls.size);
  const callCommands = new CallCommands({ nodeId, database, bus, clock, localCalls: activeCalls, logger });
  const callHangUps = new CallHangUpsService(calls, callCommands);
  const callInstructions = new CallInstructions(calls, callCommands);
  return {
    services: {
      activeCalls,
      callCommands,
      callHangUps,
      placement: new CallPlacement({ calls, callNodes, callCommands }),
    },
    bindRoutes: (app) => bindActiveCallRoutes(app, { callHangUps, callInstructions }),
    prepare: async () => {
      await placeShares.refresh();
      await finishSpools(place.folder, { calls, lostCalls, now: clock.now(), logger });
      // An embedded database has no other nodes. The ends of these calls are announced by jobs.
      if (!node.isEmbedded) return;
      const lastBeats = await callNodes.listLastBeats();
      await lostCalls.closeOrphans({ livingNodeIds: [nodeId], lastBeats, now: clock.now() });
    },
    start: () => {
      lifeSigns.start();
      callCommands.start();
    },
    drain: async () => await activeCalls.drain(config.shutdownSeconds * 1000),
    close: async () => {
      callCommands.close();
      await lifeSigns.close();
      spool.close();
    },
  } satisfies Feature;
}
