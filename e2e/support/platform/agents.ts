import type { Agent, Call, CallDetail, SipTrunk } from "@parley/contract";
import { FAST_LOCAL_VOICE } from "@parley/providers";
import type { Platform } from "./platform.ts";
import { waitFor } from "@parley/testing";

interface DataOf<T> {
  data: T;
}

const GREETING = "Hello, this is the model railway club. How can I help you?";
const PROMPT = `You answer the telephone of a model railway club.

# Opening hours
The club house is open on Saturday from nine to one.

# Directions
The club house stands behind the old station, ten meters to the left.`;

let nextNumber = 15_550_100_001;

/** Creates an agent with a phone number through the API. `settings` are fields of the agent. */
export async function createAgent(
  platform: Platform,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<{ agentId: string; number: string }> {
  const trunk = await platform.api<DataOf<SipTrunk>>("POST", "/sip-trunks", { friendlyName: "Test" });
  const agent = await platform.api<DataOf<Agent>>("POST", "/agents", {
    name: "Railway club",
    promptTemplate: PROMPT,
    firstMessage: GREETING,
    sipTrunkId: trunk.data.id,
    // On a busy machine the default voice may pause, which would count as the end of the utterance.
    voiceId: FAST_LOCAL_VOICE,
    ...settings,
  });
  const number = `+${nextNumber++}`;
  await platform.api("POST", `/agents/${agent.data.id}/phone-numbers`, { e164: number });
  return { agentId: agent.data.id, number };
}

/** Returns the calls of this caller, newest first. */
export async function callsFrom(platform: Platform, fromNumber: string): Promise<Call[]> {
  const calls: Call[] = [];
  for (let page = 1, hasNextPage = true; hasNextPage; page++) {
    const answer = await platform.api<DataOf<Call[]> & { hasNextPage: boolean }>(
      "GET",
      `/calls?pageSize=100&page=${page}`,
    );
    calls.push(...answer.data.filter((call) => call.fromNumber === fromNumber));
    ({ hasNextPage } = answer);
  }
  return calls;
}

/** Returns the newest call of this caller with its transcript. */
export async function findCall(platform: Platform, fromNumber: string): Promise<CallDetail | undefined> {
  const [newest] = await callsFrom(platform, fromNumber);
  if (newest === undefined) return undefined;
  return (await platform.api<DataOf<CallDetail>>("GET", `/calls/${newest.id}`)).data;
}

/** Returns a function that reads the newest call of an agent. */
export function newestCallOf(platform: Platform, agentId: string): () => Promise<CallDetail | undefined> {
  return async () => {
    const { data } = await platform.api<DataOf<Call[]>>("GET", `/calls?agentId=${agentId}&pageSize=1`);
    const [newest] = data;
    return newest && (await platform.api<DataOf<CallDetail>>("GET", `/calls/${newest.id}`)).data;
  };
}

/** Returns the newest call of this caller once its end is written. */
export async function endedCall(
  platform: Platform,
  fromNumber: string,
  deadlineMs = 10_000,
): Promise<CallDetail> {
  return await waitFor(
    `the end of the call from ${fromNumber}`,
    async () => {
      const call = await findCall(platform, fromNumber);
      return call !== undefined && call.endedAt !== null && call;
    },
    deadlineMs,
  );
}

/** Returns everything that one side said. */
export function textOf({ transcript }: CallDetail, role: "user" | "agent"): string {
  return transcript
    .filter((item) => item.role === role)
    .map(({ text }) => text)
    .join(" ");
}
