import type { FastifyInstance } from "fastify";
import type { Metrics } from "../telemetry/metrics.ts";

export interface Probes {
  /** Why calls cannot be accepted; empty if they can. */
  findObstacles: () => Promise<readonly string[]>;
  /** Problems that do not prevent calls. */
  findWarnings: () => readonly string[];
  metrics: Metrics;
}

/** Probes come every few seconds: a log line for each would bury the others. */
const quiet = { logLevel: "warn" } as const;

/** Rendering takes a millisecond of the process that does the signaling, and requests need no credentials. */
const METRICS_REUSED_MS = 100;

/** Probes for the operator: `/healthz`, `/readyz`, `/metrics`. They need no credentials and expose no secrets. */
export function registerProbes(
  app: FastifyInstance,
  { findObstacles, findWarnings, metrics }: Probes,
  nowMs: () => number = performance.now.bind(performance),
): void {
  let rendered: { text: Promise<string>; atMs: number } | undefined;
  app.get("/healthz", quiet, async () => ({ status: "ok" }));
  app.get("/readyz", quiet, async (_request, reply) => {
    const waitingFor = await findObstacles();
    if (waitingFor.length === 0) {
      const warnings = findWarnings();
      return { status: "ready", ...(warnings.length > 0 && { warnings }) };
    }
    return await reply.code(503).send({ status: "not_ready", waitingFor });
  });
  app.get("/metrics", quiet, async (_request, reply) => {
    if (rendered === undefined || nowMs() - rendered.atMs >= METRICS_REUSED_MS)
      rendered = { text: metrics.registry.metrics(), atMs: nowMs() };
    reply.type(metrics.registry.contentType);
    return await rendered.text;
  });
}
