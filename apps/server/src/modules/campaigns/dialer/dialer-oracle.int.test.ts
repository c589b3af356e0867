/**
 * Campaigns with random policies, over contacts in a dozen time zones and across changes of the clock, dialed by two nodes.
 * Every dial is checked against an oracle that shares no code with the dialer.
 *
 * `PARLEY_SIMULATED_POLICIES` sets the number of policies. Policies are numbered from 0 and run in batches of thirty, each with a
 * seed of its own, so that a long run can be divided: `PARLEY_SIMULATED_FIRST_POLICY` (a multiple of thirty) sets the first one.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { Campaign, CampaignActivity, CampaignContact, CallingWindow } from "@parley/contract";
import { seededRandom } from "@parley/testing";
import { dataOf } from "../testing.ts";
import { type Dial, type SimulatedEnd, Simulation } from "./simulation.ts";
import { isOpenByIntl, zones } from "./testing.ts";

const POLICIES = Number(process.env["PARLEY_SIMULATED_POLICIES"] ?? 30);
const FIRST_POLICY = Number(process.env["PARLEY_SIMULATED_FIRST_POLICY"] ?? 0);
const SEED = Number(process.env["PARLEY_SIMULATION_SEED"] ?? 20);
/** Campaigns that run at the same time. */
const AT_ONCE = 30;
/** Policies between two lines of progress. A short run writes none. */
const PROGRESS_INTERVAL = 300;
const MINUTE_MS = 60_000;
/** Thirty policies take seconds; ten thousand more than the deadline of other tests. */
const DEADLINE_MS = Math.max(240_000, 1_000 * POLICIES);

/** Of the batch that runs. */
let random = seededRandom(SEED);
const integer = (most: number): number => Math.floor(random() * most);
const pick = <T>(items: readonly T[]): T => items[integer(items.length)] as T;
const pad = (value: number): string => String(value).padStart(2, "0");

const answers: readonly SimulatedEnd[] = [
  { status: "completed", endReason: "user_hangup", isAnswered: true, afterMs: 45_000 },
  { status: "busy", endReason: "dial_busy", endDetail: "486 Busy Here", afterMs: 500 },
  { status: "no_answer", endReason: "dial_no_answer", endDetail: "480 Unavailable", afterMs: 20_000 },
  { status: "failed", endReason: "dial_failed", endDetail: "404 Not Found", afterMs: 300 },
  { status: "failed", endReason: "dial_rejected", endDetail: "603 Decline", afterMs: 4_000 },
  { status: "failed", endReason: "dial_failed", endDetail: "500 Server Error", afterMs: 300 },
];
/** What the policy calls the outcome of each answer; `undefined` if it is never retried. */
const retriedAs = [undefined, "busy", "no_answer", undefined, undefined, "failed"] as const;
const outcomes = ["answered", "busy", "no_answer", "failed", "failed", "failed"] as const;

function randomWindow(): CallingWindow | null {
  if (random() < 0.2) return null;
  const first = random() < 0.4 ? integer(240) : integer(1440);
  const end = (first + 1 + integer(random() < 0.4 ? 90 : 1438)) % 1440;
  const days = [1, 2, 3, 4, 5, 6, 7].filter(() => random() < 0.7);
  return {
    start: `${pad(Math.floor(first / 60))}:${pad(first % 60)}`,
    end: end === 0 ? "24:00" : `${pad(Math.floor(end / 60))}:${pad(end % 60)}`,
    timezone: pick(zones).zone,
    days: days.length === 0 ? [0] : days,
  };
}

interface Run {
  /** Of the batch: `PARLEY_SIMULATED_FIRST_POLICY` to run it again. */
  firstPolicy: number;
  campaign: Campaign;
  contacts: CampaignContact[];
  dials: Dial[];
  answerOf: ReadonlyMap<string, number>;
}

test(
  "every dial of random campaigns obeys window, retry delay, pace and concurrency, and none is missing",
  { timeout: DEADLINE_MS },
  async (context) => {
    assert.ok(POLICIES > 0, "PARLEY_SIMULATED_POLICIES must be a number above 0");
    assert.equal(FIRST_POLICY % AT_ONCE, 0, `PARLEY_SIMULATED_FIRST_POLICY must be a multiple of ${AT_ONCE}`);
    let checked = 0;
    for (let begun = 0; begun < POLICIES; begun += AT_ONCE) {
      if (begun > 0 && begun % PROGRESS_INTERVAL === 0)
        process.stderr.write(`${begun} of ${POLICIES} policies, ${checked} dials\n`);
      random = seededRandom(SEED + (FIRST_POLICY + begun) / AT_ONCE);
      let number = 2_000_000;
      const startsAt = new Date(pick(pick(zones).changes).getTime() - integer(30 * 60) * MINUTE_MS);
      const simulation = await Simulation.open({ at: startsAt.toISOString(), nodes: 2 });
      const answerOf = new Map<string, number>();
      simulation.answer = ({ callId }) => {
        const index = integer(answers.length);
        answerOf.set(callId, index);
        return answers[index] as SimulatedEnd;
      };
      const campaigns: Campaign[] = [];
      for (let index = 0; index < Math.min(AT_ONCE, POLICIES - begun); index++) {
        const contacts = Array.from({ length: 1 + integer(4) }, () => ({
          toNumber: `+1415${String(number++)}`,
          ...(random() < 0.7 && { timezone: pick(zones).zone }),
        }));
        const startAt = new Date(startsAt.getTime() + (integer(3 * 1440) - 1440) * MINUTE_MS).toISOString();
        campaigns.push(
          await simulation.office.campaign({
            contacts,
            start: true,
            callingWindow: randomWindow(),
            retryPolicy: {
              maxAttempts: 1 + integer(4),
              retryDelayMinutes: 1 + integer(600),
              retryOn: (["no_answer", "busy", "failed"] as const).filter(() => random() < 0.7),
            },
            maxConcurrency: 1 + integer(3),
            callsPerSecond: 0.1 + integer(99) / 10,
            ...(random() < 0.5 && { startAt }),
          }),
        );
      }
      await simulation.run();
      for (const campaign of campaigns) {
        const dials = simulation.dials.filter(({ campaignId }) => campaignId === campaign.id);
        const url = `/campaigns/${campaign.id}/contacts?pageSize=100`;
        const contacts: CampaignContact[] = dataOf(await simulation.office.server.request("GET", url));
        assert.equal((await simulation.office.read(campaign.id)).status, "completed");
        const activity: CampaignActivity = dataOf(
          await simulation.office.server.request("GET", `/campaigns/${campaign.id}/activity`),
        );
        checkActivity(activity, contacts, dials.length);
        checkRun({ firstPolicy: FIRST_POLICY + begun, campaign, contacts, dials, answerOf });
        checked += dials.length;
      }
      await simulation.close();
    }
    context.diagnostic(`${POLICIES} policies from number ${FIRST_POLICY} on, ${checked} dials`);
    assert.ok(checked >= POLICIES);
  },
);

/** Every attempt and every contact is counted once. */
function checkActivity(
  { intervals }: CampaignActivity,
  contacts: readonly CampaignContact[],
  dials: number,
): void {
  const attempts = intervals.flatMap((interval) => Object.values(interval.attempts));
  const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);
  assert.deepEqual(
    [sum(attempts), sum(intervals.map(({ contactsDone }) => contactsDone))],
    [dials, contacts.length],
  );
}

function checkRun(run: Run): void {
  const { firstPolicy, campaign, contacts, dials } = run;
  const what = JSON.stringify({ firstPolicy, ...campaign, dials });
  checkPace(run, what);
  for (const contact of contacts) {
    const own = dials.filter(({ campaignContactId }) => campaignContactId === contact.id);
    assert.ok(own.length > 0, `${contact.toNumber} was not dialed: ${what}`);
    let dueMs = Math.max(Date.parse(campaign.createdAt), Date.parse(campaign.startAt ?? campaign.createdAt));
    for (const [index, dial] of own.entries()) {
      assert.ok(dial.at.getTime() >= dueMs, `too early: ${contact.toNumber} ${what}`);
      checkWindow(campaign, contact, dial.at, dueMs, contacts.length === 1, what);
      const answer = run.answerOf.get(dial.callId) ?? 0;
      const reason = retriedAs[answer];
      const isRetried =
        reason !== undefined &&
        campaign.retryPolicy.retryOn.includes(reason) &&
        index + 1 < campaign.retryPolicy.maxAttempts;
      assert.equal(index + 1 < own.length, isRetried, `retry after ${outcomes[answer] ?? ""}: ${what}`);
      dueMs = dial.at.getTime() + (answers[answer]?.afterMs ?? 0);
      dueMs += campaign.retryPolicy.retryDelayMinutes * MINUTE_MS;
      if (isRetried) continue;
      const status = answer === 0 ? "completed" : "failed";
      assert.deepEqual(
        [contact.status, contact.outcome, contact.attempts],
        [status, outcomes[answer], own.length],
      );
    }
  }
}

/** The window is open at the dial. A contact alone in its campaign is dialed as soon as it is. */
function checkWindow(
  { callingWindow }: Campaign,
  { timezone }: CampaignContact,
  at: Date,
  dueMs: number,
  isAlone: boolean,
  what: string,
): void {
  const zone = timezone ?? callingWindow?.timezone ?? "UTC";
  const isOpenAt = (ms: number): boolean =>
    callingWindow === null || isOpenByIntl(callingWindow, zone, new Date(ms));
  assert.ok(isOpenAt(at.getTime()), `closed at ${at.toISOString()}: ${what}`);
  if (!isAlone) return;
  for (let ms = dueMs; ms < at.getTime() - MINUTE_MS; ms += MINUTE_MS)
    assert.ok(!isOpenAt(ms), `late, open at ${new Date(ms).toISOString()}: ${what}`);
}

function checkPace({ campaign, dials, answerOf }: Run, what: string): void {
  const endOf = ({ callId, at }: Dial): number =>
    at.getTime() + (answers[answerOf.get(callId) ?? 0]?.afterMs ?? 0);
  for (const [index, dial] of dials.entries()) {
    const previous = dials[index - 1];
    if (previous !== undefined)
      assert.ok(
        dial.at.getTime() - previous.at.getTime() >= 1000 / campaign.callsPerSecond,
        `too fast: ${what}`,
      );
    const atOnce = dials.slice(0, index).filter((each) => endOf(each) > dial.at.getTime()).length;
    assert.ok(atOnce < campaign.maxConcurrency, `${atOnce + 1} calls at once: ${what}`);
  }
}
