/** Campaigns that several people and programs change at the same moment, while nodes dial their contacts. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Campaign, CampaignContact } from "@parley/contract";
import { seededRandom } from "@parley/testing";
import type { TestResponse } from "../testing.ts";
import { Simulation } from "./dialer/simulation.ts";
import { contactsUpTo, dataOf, numberAt, refusalOf } from "./testing.ts";

const START = "2026-03-02T15:00:00Z";

async function open(context: TestContext, nodes = 1): Promise<Simulation> {
  const simulation = await Simulation.open({ at: START, nodes });
  context.after(async () => await simulation.close());
  return simulation;
}

const outcomeOf = (answer: Parameters<typeof refusalOf>[0]): string =>
  answer.status === 200 ? "done" : refusalOf(answer)[1];

test("of five starts, pauses, resumes or cancellations at once one has an effect, and the others are refused", async (context) => {
  const { office } = await open(context);
  const { id } = await office.campaign({ contacts: contactsUpTo(3) });
  const all = async (action: string): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: 5 }, async () => await office.act(id, action)));
    return answers.map(outcomeOf).sort();
  };
  const once = (refusal: string): string[] => [...Array.from({ length: 4 }, () => refusal), "done"];
  assert.deepEqual(await all("start"), once("campaign_not_startable"));
  assert.deepEqual(await all("pause"), once("campaign_not_pausable"));
  assert.deepEqual(await all("resume"), once("campaign_not_startable"));
  assert.deepEqual(await all("cancel"), once("campaign_not_cancellable"));
  const { progress } = await office.read(id);
  assert.deepEqual([progress.done, progress.outcomes["canceled"]], [3, 3]);
});

test("a cancellation during a start wins, whichever comes first", async (context) => {
  const { office, dialers, dials } = await open(context);
  for (let round = 0; round < 4; round++) {
    const { id } = await office.campaign({ contacts: contactsUpTo(2) });
    const [started, canceled] = await Promise.all([office.act(id, "start"), office.act(id, "cancel")]);
    assert.match(outcomeOf(started), /^(done|campaign_not_startable)$/);
    assert.equal(outcomeOf(canceled), "done");
    assert.equal((await office.read(id)).status, "canceled");
  }
  for (const dialer of dialers) assert.equal(await dialer.round(), undefined);
  assert.deepEqual(dials, []);
});

test("contacts that are added while nodes dial are dialed once, and the counts stay exact", async (context) => {
  const simulation = await open(context, 3);
  const { office, dialers } = simulation;
  const { id } = await office.campaign({
    contacts: contactsUpTo(10),
    callsPerSecond: 10,
    maxConcurrency: 50,
    start: true,
  });
  let last = 10;
  for (let round = 0; round < 6; round++) {
    simulation.pass(100);
    // The second of each pair of requests repeats half of the first.
    const range = (first: number) => ({
      contacts: Array.from({ length: 4 }, (_, index) => ({ toNumber: numberAt(first + index) })),
    });
    const [one, other] = await Promise.all([
      office.act(id, "contacts", range(last)),
      office.act(id, "contacts", range(last + 2)),
      ...dialers.map(async (dialer) => await dialer.round()),
    ]);
    const countOf = (answer: TestResponse): number => dataOf<{ contactsAdded: number }>(answer).contactsAdded;
    assert.equal(countOf(one) + countOf(other), 6);
    last += 6;
  }
  await simulation.run();
  const { status, progress } = await office.read(id);
  assert.deepEqual([status, progress.total, progress.done], ["completed", 46, 46]);
  const numbers = simulation.dials.map(({ toNumber }) => toNumber);
  assert.equal(new Set(numbers).size, 46);
  assert.equal(numbers.length, 46);
});

test("a campaign that people push around at random dials every contact once, and ends", async (context) => {
  const random = seededRandom(20);
  const simulation = await open(context, 2);
  const { office, dialers } = simulation;
  simulation.answer = () => ({
    status: "completed",
    endReason: "user_hangup",
    isAnswered: true,
    afterMs: Math.floor(random() * 3_000),
  });
  const { id } = await office.campaign({
    contacts: contactsUpTo(20),
    callsPerSecond: 10,
    maxConcurrency: 4,
    start: true,
  });
  const actions = ["pause", "resume", "start", "pause", "resume"];
  for (let round = 0; round < 20; round++) {
    const pushed = Array.from({ length: 3 }, async () => {
      await office.act(id, actions[Math.floor(random() * actions.length)] ?? "pause");
    });
    await Promise.all([...pushed, ...dialers.map(async (dialer) => await dialer.round())]);
    await simulation.run(new Date(simulation.now.getTime() + 200));
    simulation.pass(100);
  }
  await office.act(id, "resume");
  await simulation.run();
  const { status, progress }: Campaign = await office.read(id);
  assert.deepEqual([status, progress.outcomes["answered"]], ["completed", 20]);
  const contacts: CampaignContact[] = dataOf(
    await office.server.request("GET", `/campaigns/${id}/contacts?pageSize=100`),
  );
  assert.deepEqual(new Set(contacts.map(({ attempts }) => attempts)), new Set([1]));
  assert.equal(simulation.dials.length, 20);
});
