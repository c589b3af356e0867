import assert from "node:assert/strict";
import { test } from "node:test";
import { fastify } from "fastify";
import { createIdleMetrics } from "../telemetry/testing.ts";
import { registerProbes } from "./probes.ts";

test("/readyz reports obstacles, and warnings although calls are accepted", async () => {
  const obstacles: string[] = ["speech models"];
  const warnings: string[] = [];
  const app = fastify();
  registerProbes(app, {
    findObstacles: async () => obstacles,
    findWarnings: () => warnings,
    metrics: createIdleMetrics(),
  });
  const ask = async (): Promise<unknown[]> => {
    const { statusCode, body } = await app.inject({ url: "/readyz" });
    return [statusCode, JSON.parse(body)];
  };
  assert.deepEqual(await ask(), [503, { status: "not_ready", waitingFor: ["speech models"] }]);
  obstacles.pop();
  assert.deepEqual(await ask(), [200, { status: "ready" }]);
  warnings.push("the key is refused");
  assert.deepEqual(await ask(), [200, { status: "ready", warnings: ["the key is refused"] }]);
  await app.close();
});

test("metrics are rendered at most ten times a second, regardless of the number of requests", async (context) => {
  let activeCalls = 1;
  let nowMs = 1_000;
  const metrics = createIdleMetrics();
  metrics.addGauge("parley_active_calls", "Calls of the node.", () => activeCalls);
  const render = context.mock.method(metrics.registry, "metrics");
  const app = fastify();
  registerProbes(app, { findObstacles: async () => [], findWarnings: () => [], metrics }, () => nowMs);
  const ask = async () => (await app.inject("/metrics")).body;
  await Promise.all(Array.from({ length: 50 }, ask));
  assert.equal(render.mock.callCount(), 1);
  activeCalls = 2;
  nowMs += 100;
  assert.match(await ask(), /^parley_active_calls 2$/m);
  assert.equal(render.mock.callCount(), 2);
  await app.close();
});
