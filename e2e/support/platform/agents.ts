import { type AgentCreate, paginate } from "@parley/client/api";
import type { Call, CallDetail } from "@parley/contract";
import { FAST_LOCAL_VOICE } from "@parley/providers";
import type { Platform } from "./platform.ts";
import { waitFor } from "@parley/testing";

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
  settings: Partial<AgentCreate> = {},
): Promise<{ agentId: string; number: string; sipTrunkId: string }> {
  const { id: sipTrunkId } = await platform.api.createSipTrunk({ friendlyName: "Test" });
  const agent = await platform.api.createAgent({
    name: "Railway club",
    promptTemplate: PROMPT,
    firstMessage: GREETING,
    sipTrunkId,
    // On a busy machine the default voice may pause, which would count as the end of the utterance.
    voiceId: FAST_LOCAL_VOICE,
    ...settings,
  });
  const number = `+${nextNumber++}`;
  await platform.api.addPhoneNumber(agent.id, { e164: number });
  return { agentId: agent.id, number, sipTrunkId };
}

/** Returns the calls of this caller, newest first. */
export async function callsFrom(platform: Platform, fromNumber: string): Promise<Call[]> {
  const calls = await Array.fromAsync(paginate(async (page) => await platform.api.listCalls(page)));
  return calls.filter((call) => call.fromNumber === fromNumber);
}

/** Returns the newest call of this caller with its transcript. */
export async function findCall(platform: Platform, fromNumber: string): Promise<CallDetail | undefined> {
  const [newest] = await callsFrom(platform, fromNumber);
  if (newest === undefined) return undefined;
  return await platform.api.getCall(newest.id);
}

/** Returns a function that reads the newest call of an agent. */
export function newestCallOf(platform: Platform, agentId: string): () => Promise<CallDetail | undefined> {
  return async () => {
    const { data } = await platform.api.listCalls({ agentId, pageSize: 1 });
    const [newest] = data;
    return newest && (await platform.api.getCall(newest.id));
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
