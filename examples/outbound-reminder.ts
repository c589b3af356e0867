/**
 * An outbound reminder: `npm run example -- examples/outbound-reminder.ts <proxy address> <number to call>`.
 *
 * Calls a number through the trunk at this address (a carrier or PBX, `host:port`), reminds the person of an appointment, and
 * prints the transcript.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { connect, ensureTrunk } from "./connect.ts";

const POLL_INTERVAL_MS = 1_000;
const FROM_NUMBER = "+12025550152";
const [proxyAddress, toNumber] = process.argv.slice(2);
if (proxyAddress === undefined || toNumber === undefined)
  throw new Error("Usage: npm run example -- examples/outbound-reminder.ts <proxy address> <number to call>");

const parley = connect();
const trunk = await ensureTrunk(parley, "Example carrier", proxyAddress);
const agent = await parley.createAgent({
  name: "Reminder",
  sipTrunkId: trunk.id,
  firstMessage:
    "Hello {{name}}, this is Doctor Miller's practice. You have an appointment {{when}}. Can you come?",
  promptTemplate:
    "You remind {{name}} of their appointment {{when}}. If they cannot come, say that the practice will call back.",
});
await parley.addPhoneNumber(agent.id, { e164: FROM_NUMBER });

const { id } = await parley.createCall({
  agentId: agent.id,
  toNumber,
  variables: { name: "Ada", when: "tomorrow at ten" },
});
console.log(`Calling ${toNumber} …`);
let call = await parley.getCall(id);
while (call.endedAt === null) {
  await sleep(POLL_INTERVAL_MS);
  call = await parley.getCall(id);
}
for (const { role, text } of call.transcript) console.log(`${role ?? "—"}: ${text}`);
console.log(`${call.status} (${call.endReason ?? "no reason"})`);
