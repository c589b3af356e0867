import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import type { Call } from "@parley/contract";
import { createFeatures, type Services } from "../../../node/features.ts";
import { createTestResources, SilentMedia } from "../../../node/testing.ts";
import { PostgresBus } from "../../../platform/bus/postgres-bus.ts";
import { ClosingStack } from "../../../platform/closing-stack.ts";
import { createLogger } from "../../../platform/logging/logging.ts";
import { waitFor } from "@parley/testing";
import { nodes } from "../../nodes/nodes.tables.ts";
import { createTestServer } from "../../testing.ts";

const logger = createLogger({ level: "silent" });

interface Node {
  modules: Services;
  media: SilentMedia;
}

/** An agent that can call, and nodes that place its calls. */
async function setUp(context: TestContext) {
  const server = await createTestServer();
  const { modules, database, connectionString, organizationId, sip } = server;
  const ends: (() => Promise<void> | void)[] = [];
  context.after(async () => {
    for (const end of ends.reverse()) await end();
    await server.close();
  });
  const trunk = { friendlyName: "Trunk", proxyAddress: "127.0.0.1" };
  const { id: sipTrunkId } = await modules.sipTrunks.create(organizationId, trunk);
  const agent = await modules.agents.create(server, { name: "Ada", sipTrunkId, firstMessage: "Before" });
  await modules.phoneNumbers.add(server, agent.id, { e164: "+14155550123" });
  const openNode = async ({ hasFreePlace }: { hasFreePlace: boolean }): Promise<Node> => {
    const nodeId = randomUUID();
    const bus = await PostgresBus.start({ database, connectionString, logger });
    ends.push(async () => await bus.close());
    const media = new SilentMedia();
    if (!hasFreePlace) media.capacity = 0;
    const started = new ClosingStack();
    const node = createTestResources({ database, nodeId, bus, media, sip: { agent: sip, tls: {} } });
    const features = createFeatures(node);
    features.closeWith(started);
    features.services.callCommands.start();
    ends.push(async () => {
      media.close();
      await features.services.activeCalls.drain(0);
      await started.close();
    });
    const now = new Date();
    await database.insert(nodes).values({
      id: nodeId,
      httpAddress: "http://127.0.0.1",
      sipAddress: "127.0.0.1:5060",
      // State at the last heartbeat.
      state: "ready",
      activeCalls: 0,
      freePlaces: 5,
      startedAt: now,
      beatAt: now,
    });
    return { modules: features.services, media };
  };
  const request = { agentId: agent.id, toNumber: "+14155550199", variables: { name: "Grace" } };
  return { server, agentId: agent.id, request, openNode };
}

test("a full node hands the call to a node with free capacity, with the configuration at the time of the request", async (context) => {
  const { server, agentId, request, openNode } = await setUp(context);
  const [full, free] = [await openNode({ hasFreePlace: false }), await openNode({ hasFreePlace: true })];
  const call: Call = await full.modules.outboundCalls.place(server.organizationId, request);
  assert.equal(call.status, "queued");
  await server.modules.agents.update(server, agentId, { firstMessage: "After" });
  await waitFor("the other node to open the call", () => free.media.opened.length > 0);
  const [opened] = free.media.opened;
  assert.deepEqual([opened?.callId, opened?.conversation.toNumber], [call.id, request.toNumber]);
  assert.deepEqual(opened?.conversation.variables, request.variables);
  assert.equal(opened?.agent.firstMessage, "Before");
  assert.deepEqual(full.media.opened, []);
});

test("a call that no node takes ends as failed", async (context) => {
  const { server, request, openNode } = await setUp(context);
  const [full, alsoFull] = [await openNode({ hasFreePlace: false }), await openNode({ hasFreePlace: false })];
  const { id } = await full.modules.outboundCalls.place(server.organizationId, request);
  await waitFor("the call's end", async () => {
    const { status, endReason } = await server.modules.calls.describe(server.organizationId, id);
    return status === "failed" && endReason === "dial_failed";
  });
  assert.deepEqual([full.media.opened, alsoFull.media.opened], [[], []]);
});
