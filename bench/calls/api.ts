import { setTimeout as sleep } from "node:timers/promises";
import { type Call, type CallDetail, paginate } from "@parley/client/api";
import { operate } from "../../e2e/support/platform/organizations.ts";
import type { Platform } from "../../e2e/support/platform/platform.ts";

export const NUMBER = "+15550199000";

const END_DEADLINE_MS = 20_000;
const POLL_INTERVAL_MS = 500;

/** Creates a trunk, and an agent that answers `NUMBER` on it. */
export async function createAgent(platform: Platform): Promise<{ agentId: string }> {
  const trunk = await platform.api.createSipTrunk({ friendlyName: "Bench" });
  const agent = await platform.api.createAgent({
    name: "Bench",
    sipTrunkId: trunk.id,
    firstMessage: "Hello.",
    silenceEndCallTimeoutSeconds: 60,
  });
  await platform.api.addPhoneNumber(agent.id, { e164: NUMBER });
  return { agentId: agent.id };
}

/** Lets the platform's only organization have this many calls at once, and begin as many in a minute. */
export async function allowCalls(platform: Platform, calls: number): Promise<void> {
  const [organization] = await operate<{ id: string }[]>(platform, "GET", "/organizations");
  if (organization === undefined) throw new Error("the platform has no organization");
  await operate(platform, "PATCH", `/organizations/${organization.id}`, {
    limits: { concurrentCalls: calls, callsPerMinute: 10 * calls },
  });
}

/** Calls that began at `since` or later, with transcripts and turns, once all of them have ended. */
export async function finishedCalls(platform: Platform, since: Date): Promise<CallDetail[]> {
  const deadline = performance.now() + END_DEADLINE_MS;
  let calls = await listCalls(platform, since);
  while (calls.some(isOpen) && performance.now() < deadline) {
    await sleep(POLL_INTERVAL_MS);
    calls = await listCalls(platform, since);
  }
  const details: CallDetail[] = [];
  for (const { id } of calls) {
    details.push(await platform.api.getCall(id));
  }
  return details;
}

/** Whether a call's recording is not yet complete. */
export async function hasPendingRecordings(platform: Platform): Promise<boolean> {
  const calls = await listCalls(platform, new Date(0));
  return calls.some(({ recordingStatus }) => recordingStatus === "pending");
}

function isOpen({ status }: Call): boolean {
  return ["queued", "ringing", "in_progress"].includes(status);
}

async function listCalls(platform: Platform, since: Date): Promise<Call[]> {
  const createdAfter = since.toISOString();
  return await Array.fromAsync(
    paginate(async (page) => await platform.api.listCalls({ createdAfter, ...page })),
  );
}
