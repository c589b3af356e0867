import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import type { Call } from "@parley/contract";
import { PostgresBus } from "../../platform/bus/postgres-bus.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { waitFor } from "@parley/testing";
import { CallCommands } from "../active-calls/call-commands.ts";
import { nodes } from "../nodes/nodes.tables.ts";
import { createTestServer } from "../testing.ts";
import { CallPlacement } from "../active-calls/call-placement.ts";
import type { CallToRegister } from "../active-calls/active-call-registry.ts";
import { OutboundCallsService } from "./outbound-calls.service.ts";
import { OutboundPlanner } from "./outbound-planner.ts";

const logger = createLogger({ level: "silent" });
const clock = { now: () => new Date() };

interface Node {
  outboundCalls: OutboundCallsService;
  dialled: CallToRegister[];
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
  const planner = new OutboundPlanner(modules);
  const openNode = async ({ hasFreePlace }: { hasFreePlace: boolean }): Promise<Node> => {
    const nodeId = randomUUID();
    const bus = await PostgresBus.start({ database, connectionString, logger });
    ends.push(async () => await bus.close());
    const callCommands = new CallCommands({ database, bus, clock });
    const { calls, callNodes } = modules;
    const placement = new CallPlacement({ calls, callNodes, callCommands });
    const outboundCalls = new OutboundCallsService({ calls, planner, placement });
    const dialled: CallToRegister[] = [];
    outboundCalls.useLine({
      nodeId,
      userAgent: sip,
      activeCalls: { isTakingCalls: true, carry: async (call) => void dialled.push(call) },
      media: { hasFreePlace, open: async () => await Promise.reject(new Error("there is no audio here")) },
      publicAddress: "127.0.0.1",
      logger,
    });
    const findHere = () => undefined;
    ends.push(
      callCommands.hold(
        nodeId,
        {
          findHere,
          carryOut: (id, command) =>
            command.type === "dial" ? outboundCalls.dialHere(id, command) : undefined,
        },
        logger,
      ),
    );
    const now = new Date();
    await database.insert(nodes).values({
      id: nodeId,
      httpAddress: "http://127.0.0.1",
      sipAddress: "127.0.0.1:5060",
      // As it was when it was last heard of.
      state: "ready",
      callsHeld: 0,
      freePlaces: 5,
      startedAt: now,
      beatAt: now,
    });
    return { outboundCalls, dialled };
  };
  const request = { agentId: agent.id, toNumber: "+14155550199", variables: { name: "Grace" } };
  return { server, agentId: agent.id, request, openNode };
}

test("a node without a free place lets one that has room dial, by the configuration of the moment", async (context) => {
  const { server, agentId, request, openNode } = await setUp(context);
  const [full, free] = [await openNode({ hasFreePlace: false }), await openNode({ hasFreePlace: true })];
  const call: Call = await full.outboundCalls.place(server.organizationId, request);
  assert.equal(call.status, "queued");
  await server.modules.agents.update(server, agentId, { firstMessage: "After" });
  await waitFor("the other node to dial", () => free.dialled.length > 0);
  const [record] = free.dialled;
  assert.deepEqual([record?.callId, record?.toNumber], [call.id, request.toNumber]);
  assert.deepEqual(record?.variables, request.variables);
  assert.equal(record?.agent.document.firstMessage, "Before");
  assert.deepEqual(full.dialled, []);
});

test("a call that no node takes after all has failed", async (context) => {
  const { server, request, openNode } = await setUp(context);
  const [full, alsoFull] = [await openNode({ hasFreePlace: false }), await openNode({ hasFreePlace: false })];
  const { id } = await full.outboundCalls.place(server.organizationId, request);
  await waitFor("the call's end", async () => {
    const { status, endReason } = await server.modules.calls.describe(server.organizationId, id);
    return status === "failed" && endReason === "dial_failed";
  });
  assert.deepEqual([full.dialled, alsoFull.dialled], [[], []]);
});
