import type { ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import type { CallCommands } from "../active-calls/call-commands.ts";
import type { CallPlacement } from "../active-calls/call-placement.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { CallNodes } from "../nodes/call-nodes.ts";
import { JoinTokens } from "./join-tokens.ts";
import { RelayProofs } from "./relay-proofs.ts";
import { bindWebCallRoutes } from "./web-calls.routes.ts";
import { WebCallsService } from "./web-calls.service.ts";
import { bindWhipRoutes } from "./whip.routes.ts";

interface Dependencies {
  calls: CallsService;
  agentResolution: AgentResolution;
  activeCalls: ActiveCallRegistry;
  callCommands: CallCommands;
  placement: CallPlacement;
  callNodes: CallNodes;
}

export function createWebCalls(
  { config, nodeId, encryption, media, speechPlaces, clock, logger }: NodeResources,
  { callCommands, ...dependencies }: Dependencies,
) {
  const webCalls = new WebCallsService({
    ...dependencies,
    nodeId,
    joinTokens: new JoinTokens(encryption.deriveKeys("tokens that join calls")),
    relayProofs: new RelayProofs(encryption.deriveKeys("WHIP requests between nodes"), clock),
    media,
    speechPlaces,
    publicUrl: config.web.publicUrl,
    iceServers: config.web,
    clock,
    logger,
  });
  callCommands.handle({
    awaitBrowser: async (callId, command) => await webCalls.takePlaced(callId, command),
  });
  return {
    services: { webCalls },
    bindRoutes: (app) => {
      bindWebCallRoutes(app, webCalls);
      bindWhipRoutes(app, webCalls);
    },
  } satisfies Feature;
}
