/** A campaign on a cluster whose nodes are killed, against a carrier that records every INVITE. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ContactOutcome } from "@parley/contract";
import { slicePortRange } from "@parley/rtp";
import { seededRandom, waitFor } from "@parley/testing";
import { openDatabase } from "../../apps/server/src/platform/database/database.ts";
import { createAgent } from "../support/platform/agents.ts";
import { Cluster } from "../support/platform/cluster.ts";
import { Platform } from "../support/platform/platform.ts";
import { type Behavior, behaviors, CampaignCarrier, type ReceivedInvite } from "./carrier-scenario.ts";

const NODES = 3;
const MAX_ATTEMPTS = 2;
/** Ports of nodes that replace killed ones. */
const RTP_PORTS = { first: 22_000, last: 29_999 };
const FIRST_NUMBER = 14_155_000_000;

export interface TrialOptions {
  contacts: number;
  /** Nodes that are killed, one after the other. */
  kills: number;
  /** From a node's readiness to the next kill. */
  killIntervalMs: number;
  seed: number;
  deadlineMs: number;
  report?: (line: string) => void;
}

export interface TrialResult {
  invites: number;
  attempts: number;
  nodesKilled: number;
  callsLost: number;
  outcomes: Record<string, number>;
  /** What must not happen, in words; empty if all is well. */
  violations: string[];
}

interface StoredContact {
  id: string;
  toNumber: string;
  status: string;
  outcome: ContactOutcome | null;
  attempts: number;
}

interface StoredCall {
  sipCallId: string;
  contactId: string;
  endReason: string | null;
  isDialed: boolean;
}

export async function runTrial({ report = () => {}, ...options }: TrialOptions): Promise<TrialResult> {
  const carrier = await CampaignCarrier.start();
  const cluster = await Cluster.start(NODES);
  const nodes = [...cluster.nodes];
  try {
    const id = await startCampaign(nodes[0] as Platform, carrier.port, options.contacts);
    const finished = waitFor(
      "the end of the campaign",
      async () => {
        const campaign = await anyOf(nodes)
          .api.getCampaign(id)
          .catch(() => undefined);
        if (campaign !== undefined) report(`${campaign.status}: ${campaign.progress.done} done`);
        if (campaign?.status === "paused") throw new Error(campaign.statusDetail ?? "the campaign is paused");
        await sleep(1_000);
        return campaign?.status === "completed";
      },
      options.deadlineMs,
    );
    const killed = killNodes(cluster, nodes, finished, options, report);
    await finished;
    const nodesKilled = await killed;
    const invites = await carrier.stop();
    return { ...(await judge(cluster, id, invites)), nodesKilled };
  } finally {
    for (const node of nodes) if (!cluster.nodes.includes(node)) await node.stop();
    await cluster.stop();
    await carrier.stop();
  }
}

async function startCampaign(node: Platform, port: number, count: number): Promise<string> {
  const { agentId, number, sipTrunkId } = await createAgent(node, {
    voiceId: null,
    startSpeaker: "user",
    recordingEnabled: false,
    voicemailEnabled: true,
  });
  await node.api.updateSipTrunk(sipTrunkId, { proxyAddress: `127.0.0.1:${port}` });
  const { id } = await node.api.createCampaign({
    name: "Trial",
    agentId,
    fromNumber: number,
    contacts: Array.from({ length: count }, (_, index) => ({
      toNumber: `+${FIRST_NUMBER + 2_220_000 + index}`,
    })),
    retryPolicy: { maxAttempts: MAX_ATTEMPTS, retryDelayMinutes: 1 },
    callsPerSecond: 10,
    maxConcurrency: 40,
    start: true,
  });
  return id;
}

/** Kills random nodes, each of which is replaced. Returns how many, once the campaign has ended. */
async function killNodes(
  cluster: Cluster,
  nodes: Platform[],
  finished: Promise<unknown>,
  { kills, killIntervalMs, seed }: TrialOptions,
  report: (line: string) => void,
): Promise<number> {
  const random = seededRandom(seed);
  let isOver = false;
  const over = finished.then(
    () => void (isOver = true),
    () => void (isOver = true),
  );
  let killed = 0;
  while (killed < kills) {
    await Promise.race([sleep(killIntervalMs * (0.5 + random())), over]);
    if (isOver) break;
    const [victim] = nodes.splice(Math.floor(random() * nodes.length), 1);
    victim?.process.kill("SIGKILL");
    await victim?.exited;
    // Removes its data directory.
    await victim?.stop();
    killed += 1;
    report(`killed node ${killed}`);
    const { first, last } = slicePortRange(RTP_PORTS, killed % 10, 10);
    nodes.push(await Platform.start({ env: { ...cluster.env, PARLEY_RTP_PORTS: `${first}-${last}` } }));
  }
  await over;
  return killed;
}

function anyOf(nodes: readonly Platform[]): Platform {
  return nodes[0] as Platform;
}

async function judge(
  cluster: Cluster,
  campaignId: string,
  invites: readonly ReceivedInvite[],
): Promise<Omit<TrialResult, "nodesKilled">> {
  const database = await openDatabase(cluster.env["DATABASE_URL"] ?? "", { maxConnections: 1 });
  const { rows: contacts } = await database.$client.query<StoredContact>(
    `select id, to_number as "toNumber", status, outcome, attempts from campaign_contacts where campaign_id = $1`,
    [campaignId],
  );
  const { rows: calls } = await database.$client.query<StoredCall>(
    `select sip_call_id as "sipCallId", campaign_contact_id as "contactId", end_reason as "endReason",
       dialed_at is not null as "isDialed" from calls where campaign_id = $1`,
    [campaignId],
  );
  const { rows: open } = await database.$client.query("select 1 from calls where ended_at is null");
  await database.$client.end();
  const violations = open.length === 0 ? [] : [`${open.length} calls are not closed`];
  const callOf = new Map(calls.map((call) => [call.sipCallId, call]));
  const received = new Map<string, number>();
  for (const { sipCallId, toNumber } of invites) {
    received.set(sipCallId, (received.get(sipCallId) ?? 0) + 1);
    if (callOf.get(sipCallId)?.isDialed !== true) violations.push(`an INVITE to ${toNumber} is no attempt`);
  }
  for (const [sipCallId, count] of received)
    if (count > 1) violations.push(`${count} INVITEs for one attempt: ${sipCallId}`);
  const outcomes: Record<string, number> = {};
  for (const contact of contacts) {
    const outcome = contact.outcome ?? "none";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    const own = calls.filter(({ contactId, isDialed }) => contactId === contact.id && isDialed);
    if (own.length !== contact.attempts)
      violations.push(`${contact.toNumber}: ${contact.attempts} attempts, ${own.length} dialed calls`);
    for (const { sipCallId } of own)
      if (!received.has(sipCallId)) violations.push(`${contact.toNumber}: an attempt without an INVITE`);
    violations.push(...judgeContact(contact, own));
  }
  const attempts = contacts.reduce((sum, contact) => sum + contact.attempts, 0);
  const callsLost = calls.filter(({ endReason }) => endReason === "node_lost").length;
  return { invites: invites.length, attempts, callsLost, outcomes, violations };
}

/** Outcomes that a behavior of the carrier can have, and whether the policy retries it. */
const expected: Readonly<Record<Behavior, { outcome: ContactOutcome; isRetried: boolean }>> = {
  answers: { outcome: "answered", isRetried: false },
  machine: { outcome: "voicemail", isRetried: false },
  drops: { outcome: "answered", isRetried: false },
  busy: { outcome: "busy", isRetried: true },
  "rings out": { outcome: "no_answer", isRetried: true },
  down: { outcome: "failed", isRetried: true },
  unknown: { outcome: "failed", isRetried: false },
};

function judgeContact(
  { toNumber, status, outcome, attempts }: StoredContact,
  own: readonly StoredCall[],
): string[] {
  const behavior = behaviors[Number(toNumber.at(-1))] ?? "answers";
  const { outcome: usual, isRetried } = expected[behavior];
  const lost = own.filter(({ endReason }) => endReason === "node_lost").length;
  const what = `${toNumber} (${behavior}): ${status}, ${outcome ?? "no outcome"}, ${attempts} attempts, ${lost} lost`;
  const isFinal = status === "completed" || status === "failed";
  const isUsual =
    outcome === usual && status === (usual === "answered" || usual === "voicemail" ? "completed" : "failed");
  // Each attempt was lost, so that none was left.
  const isLost = outcome === "failed" && lost > 0 && attempts === MAX_ATTEMPTS;
  const wanted = isRetried ? MAX_ATTEMPTS : Math.min(MAX_ATTEMPTS, 1 + lost);
  return isFinal && (isUsual || isLost) && attempts === wanted ? [] : [what];
}
