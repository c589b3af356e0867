import type { FastifyInstance } from "fastify";
import type { Metrics } from "../telemetry/metrics.ts";

export interface Probes {
  /** Why calls cannot be taken; empty when they can. */
  findObstacles: () => Promise<readonly string[]>;
  metrics: Metrics;
}

/** What whoever runs the node asks it: `/healthz`, `/readyz`, `/metrics`. Without credentials, and without secrets. */
export function registerProbes(app: FastifyInstance, { findObstacles, metrics }: Probes): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const waitingFor = await findObstacles();
    if (waitingFor.length === 0) return { status: "ready" };
    return await reply.code(503).send({ status: "not_ready", waitingFor });
  });
  app.get("/metrics", async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return await metrics.registry.metrics();
  });
}
