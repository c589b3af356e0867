/**
 * An appointment line: `npm run example -- examples/appointment-line.ts [number]`.
 *
 * Creates an agent that takes appointments on a number, then prints the appointment of each ended call, until Ctrl-C.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { paginate } from "@parley/client";
import { connect, ensureTrunk } from "./connect.ts";

const POLL_INTERVAL_MS = 2_000;
const number = process.argv[2] ?? "+12025550150";

const parley = connect();
const trunk = await ensureTrunk(parley, "Example");
const agent = await parley.createAgent({
  name: "Appointment line",
  sipTrunkId: trunk.id,
  firstMessage: "Hello, Doctor Miller's practice. Would you like to make an appointment?",
  promptTemplate: `You take appointments for Doctor Miller's practice.
Ask for the caller's name, the day and the time, one after the other. Repeat all three and ask whether they are right.
We have appointments Monday to Friday from eight to four. Never give medical advice.`,
  postCallExtraction: [
    { name: "name", type: "string", description: "The caller's name", required: true },
    { name: "day", type: "date", description: "The day of the appointment" },
    { name: "time", type: "string", description: "The time of the appointment, as HH:MM" },
  ],
});
await parley.addPhoneNumber(agent.id, { e164: number });
console.log(`Call ${number}. Appointments appear here; Ctrl-C ends.`);

const reported = new Set<string>();
for (;;) {
  for await (const call of paginate((page) => parley.listCalls({ agentId: agent.id, ...page }))) {
    if (reported.has(call.id) || call.analysisStatus === "pending" || call.endedAt === null) continue;
    reported.add(call.id);
    const { extraction, analysisDetail } = await parley.getCall(call.id);
    console.log(call.fromNumber, extraction ?? `no data: ${analysisDetail ?? "nothing was said"}`);
  }
  await sleep(POLL_INTERVAL_MS);
}
