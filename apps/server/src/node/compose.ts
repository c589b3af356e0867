import { setTimeout as sleep } from "node:timers/promises";
import { createHeartbeat } from "../modules/nodes/heartbeat.module.ts";
import { createTrunkMonitors } from "../modules/sip-trunks/trunk-monitors.module.ts";
import { startReencryption } from "./reencryption.ts";
import type { Readiness } from "../platform/readiness.ts";
import { createFeatures } from "./features.ts";
import { createFirstAccess } from "./first-access.ts";
import { createHttpApp } from "./http-app.ts";
import type { BootResources, NodeContext } from "./node-context.ts";
import { openResources } from "./resources.ts";
import type { ParleyNode } from "./start-node.ts";

const READY_POLL_MS = 20;

/** Builds all features of a node, starts their jobs, listens, and starts the parts that need the listeners. */
export async function compose(context: NodeContext, boot: BootResources): Promise<ParleyNode> {
  const { config, logger, started } = context;
  const node = await openResources(context, boot);
  const { http, sip } = node;
  const features = createFeatures(node).add(createHeartbeat).add(createTrunkMonitors);
  const { services } = features;
  features.closeWith(started);
  await features.prepare(node.jobs);
  await startReencryption(node, features.encryptedColumns);
  const app = await createHttpApp(node, services);
  features.bindRoutes(app);
  started.add(async () => await app.close());
  await http.listen(app);
  started.add(async () => await sip.close());
  await sip.listen(services.sipHandlers);
  await features.start(started);
  const sipPort = sip.agent.address.port;
  return {
    ready: becomeReady(context, node.readiness, http.url, sipPort),
    failed: boot.connection.lost,
    httpUrl: http.url,
    sipPort,
    createFirstAccess: async () =>
      await createFirstAccess(services, config.web.publicUrl ?? http.url, logger),
    inferencePath: node.inference.path,
    close: () => started.close(),
  };
}

async function becomeReady(
  { logger, started }: NodeContext,
  readiness: Readiness,
  httpUrl: string,
  sipPort: number,
): Promise<void> {
  const abort = new AbortController();
  started.add(async () => abort.abort());
  while (!readiness.isReady) {
    if (abort.signal.aborted) return;
    await sleep(READY_POLL_MS);
  }
  logger.info({ browser: `${httpUrl}/try`, reference: `${httpUrl}/docs`, sipPort }, "ready to accept calls");
}
