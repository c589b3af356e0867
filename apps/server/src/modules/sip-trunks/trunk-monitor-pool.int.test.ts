import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SipTrunk } from "@parley/contract";
import { createLogger } from "../../platform/logging/logging.ts";
import { waitFor } from "@parley/testing";
import { createTestServer, type TestServer } from "../testing.ts";
import { sipTrunkMonitors } from "./sip-trunks.tables.ts";
import { TestRegistrar } from "./testing.ts";
import { TrunkMonitorPool } from "./trunk-monitor-pool.ts";

interface Rig {
  server: TestServer;
  registrar: TestRegistrar;
  /** Clock of the monitors. */
  clock: { now: Date };
  watch: () => TrunkMonitorPool;
  create: (fields: object) => Promise<string>;
  /** Waits until the API shows a trunk in this state. */
  shown: (id: string, isShown: (trunk: SipTrunk) => boolean) => Promise<SipTrunk>;
}

const account = { username: "line7", password: "right", isRegistrationRequired: true };

async function createRig(context: TestContext): Promise<Rig> {
  const server = await createTestServer();
  const registrar = await TestRegistrar.listen({ accounts: { line7: "right" } });
  const clock = { now: new Date() };
  const watchers: TrunkMonitorPool[] = [];
  context.after(async () => {
    await Promise.all(watchers.map((watcher) => watcher.close()));
    registrar.close();
    await server.close();
  });
  return {
    server,
    registrar,
    clock,
    watch: () => {
      const watcher = new TrunkMonitorPool({
        nodeId: randomUUID(),
        database: server.database,
        sipTrunks: server.modules.sipTrunks,
        agent: server.sip,
        logger: createLogger({ level: "silent" }),
        clock: { now: () => clock.now },
      });
      watchers.push(watcher);
      return watcher;
    },
    create: async (fields) => {
      const { sipTrunks } = server.modules;
      const body = { friendlyName: "Carrier", proxyAddress: registrar.address, ...fields };
      return (await sipTrunks.create(server.organizationId, body)).id;
    },
    shown: async (id, isShown) => {
      const { sipTrunks } = server.modules;
      return await waitFor("the trunk to be shown so", async () => {
        const trunk = await sipTrunks.get(server.organizationId, id);
        return isShown(trunk) && trunk;
      });
    },
  };
}

test("a trunk that requires it is registered and shown as such, and unregistered when the node closes", async (context) => {
  const { server, registrar, watch, create, shown } = await createRig(context);
  registrar.behavior = { ...registrar.behavior, serviceRoute: "<sip:orig@core.example;lr>" };
  const id = await create(account);
  const watcher = watch();
  const { health } = await shown(
    id,
    ({ health: { state, registration } }) => state === "up" && registration.state === "registered",
  );
  assert.equal(health.reason, null);
  assert.equal(registrar.bindings.size, 1);
  // Any node may place the call, and uses the routes that another node registered.
  const { organizationId, modules } = server;
  const route = await modules.sipTrunks.findRoute(organizationId, id, "+15550100000");
  assert.deepEqual(route?.serviceRoutes, ["sip:orig@core.example;lr"]);
  await watcher.close();
  const after = await modules.sipTrunks.findRoute(organizationId, id, "+15550100000");
  assert.deepEqual(after?.serviceRoutes, []);
  assert.equal(registrar.bindings.size, 0);
  await shown(id, ({ health: { state } }) => state === "unknown");
});

test("changes of a trunk take effect at once: its settings, its registration, its deletion", async (context) => {
  const { server, registrar, watch, create, shown } = await createRig(context);
  const { organizationId, modules } = server;
  watch();
  const id = await create({});
  const { health } = await shown(id, ({ health: { state } }) => state === "up");
  assert.equal(health.registration.state, "none");
  await modules.sipTrunks.update(organizationId, id, { ...account, password: "wrong" });
  const refused = await shown(id, ({ health: { registration } }) => registration.state === "failed");
  assert.equal(refused.health.registration.reason, "401 Answer");
  await modules.sipTrunks.update(organizationId, id, { password: "right" });
  await shown(id, ({ health: { registration } }) => registration.state === "registered");
  await modules.sipTrunks.delete(server, id, { isForced: false });
  await waitFor("no binding to be left", () => registrar.bindings.size === 0);
});

test("one node at a time monitors a trunk; another takes over when the first closes", async (context) => {
  const { registrar, watch, create, shown } = await createRig(context);
  const id = await create(account);
  const first = watch();
  await shown(id, ({ health: { registration } }) => registration.state === "registered");
  const letIn = registrar.accepted.length;
  watch();
  await sleep(300);
  assert.equal(registrar.accepted.length, letIn);
  await first.close();
  await waitFor("the other node to register", () => registrar.accepted.length > letIn + 1);
  await shown(id, ({ health: { registration } }) => registration.state === "registered");
});

test("another node takes over the trunks of a crashed node once the lease expires", async (context) => {
  const { server, clock, registrar, watch, create, shown } = await createRig(context);
  const id = await create(account);
  const leaseUntil = new Date(clock.now.getTime() + 30_000);
  await server.database.insert(sipTrunkMonitors).values({ sipTrunkId: id, nodeId: randomUUID(), leaseUntil });
  watch();
  await sleep(300);
  assert.equal(registrar.accepted.length, 0);
  clock.now = leaseUntil;
  await shown(id, ({ health: { registration } }) => registration.state === "registered");
});
