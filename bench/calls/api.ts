import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../../e2e/support/platform/platform.ts";

export const NUMBER = "+15550199000";

const PAGE_SIZE = 100;
const END_DEADLINE_MS = 20_000;
const POLL_INTERVAL_MS = 500;

/** Fields of a call that this bench reads. */
export interface CallDetail {
  id: string;
  status: string;
  endReason: string | null;
  endDetail: string | null;
  fromNumber: string | null;
  transcript: { type: string; role?: string; text: string; interrupted?: boolean }[];
  turns: { llmFirstTokenMs: number | null; overheadMs: number | null }[];
}

interface ListedCall {
  id: string;
  status: string;
  recordingStatus: string | null;
}

interface Page<T> {
  data: T[];
  hasNextPage: boolean;
}

/** Creates a trunk, and an agent that answers `NUMBER` on it. */
export async function createAgent(platform: Platform): Promise<{ agentId: string }> {
  const trunk = await platform.api<{ data: { id: string } }>("POST", "/sip-trunks", {
    friendlyName: "Bench",
  });
  const agent = await platform.api<{ data: { id: string } }>("POST", "/agents", {
    name: "Bench",
    sipTrunkId: trunk.data.id,
    firstMessage: "Hello.",
    silenceEndCallTimeoutSeconds: 60,
  });
  await platform.api("POST", `/agents/${agent.data.id}/phone-numbers`, { e164: NUMBER });
  return { agentId: agent.data.id };
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
    details.push((await platform.api<{ data: CallDetail }>("GET", `/calls/${id}`)).data);
  }
  return details;
}

/** Whether a call's recording is not yet complete. */
export async function hasPendingRecordings(platform: Platform): Promise<boolean> {
  const calls = await listCalls(platform, new Date(0));
  return calls.some(({ recordingStatus }) => recordingStatus === "pending");
}

function isOpen({ status }: ListedCall): boolean {
  return ["queued", "ringing", "in_progress"].includes(status);
}

async function listCalls(platform: Platform, since: Date): Promise<ListedCall[]> {
  const calls: ListedCall[] = [];
  for (let page = 1, hasNextPage = true; hasNextPage; page++) {
    const query = `pageSize=${PAGE_SIZE}&page=${page}&createdAfter=${encodeURIComponent(since.toISOString())}`;
    const answer = await platform.api<Page<ListedCall>>("GET", `/calls?${query}`);
    calls.push(...answer.data);
    ({ hasNextPage } = answer);
  }
  return calls;
}
