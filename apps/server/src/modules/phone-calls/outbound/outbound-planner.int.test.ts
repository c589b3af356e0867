import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestServer } from "../../testing.ts";
import { OutboundPlanner } from "./outbound-planner.ts";

const FROM = "+14155550123";
const COLLEAGUE = "+14155550124";
const STRANGER = "+14155550199";

test("a transfer that would lead back to the agents is refused with the reason, also as a SIP URI", async () => {
  const server = await createTestServer();
  const { modules, organizationId } = server;
  const trunk = { friendlyName: "Trunk", proxyAddress: "127.0.0.1" };
  const { id: sipTrunkId } = await modules.sipTrunks.create(organizationId, trunk);
  for (const e164 of [FROM, COLLEAGUE]) {
    const agent = await modules.agents.create(server, { name: "Ada", sipTrunkId });
    await modules.phoneNumbers.add(server, agent.id, { e164 });
  }
  const planner = new OutboundPlanner(modules);
  const plan = async (to: string, callerNumber: string | null) =>
    await planner.planTransfer({ organizationId, sipTrunkId, fromNumber: FROM, callerNumber }, to);
  const refusal = { code: "destination_not_allowed", message: /lead back/ };
  for (const to of [FROM, `sip:${FROM}@127.0.0.1`]) await assert.rejects(plan(to, STRANGER), refusal, to);
  await assert.rejects(plan(COLLEAGUE, COLLEAGUE), refusal);
  assert.equal((await plan(COLLEAGUE, STRANGER)).toNumber, COLLEAGUE);
  assert.equal((await plan(STRANGER, COLLEAGUE)).toNumber, STRANGER);
  await server.close();
});
