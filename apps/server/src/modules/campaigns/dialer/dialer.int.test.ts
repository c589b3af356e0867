import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { CampaignActivity, CampaignContact } from "@parley/contract";
import { contactsUpTo, dataOf, numberAt } from "../testing.ts";
import { type Dial, type SimulatedEnd, Simulation } from "./simulation.ts";

const START = "2026-03-02T15:00:00Z";
const busy: SimulatedEnd = {
  status: "busy",
  endReason: "dial_busy",
  endDetail: "486 Busy Here",
  afterMs: 1_000,
};
const down: SimulatedEnd = {
  status: "failed",
  endReason: "dial_failed",
  endDetail: "503 Service Unavailable",
  afterMs: 1_000,
};

async function open(context: TestContext, nodes = 1): Promise<Simulation> {
  const simulation = await Simulation.open({ at: START, nodes });
  context.after(async () => await simulation.close());
  return simulation;
}

async function contactsOf({ office }: Simulation, id: string): Promise<CampaignContact[]> {
  return dataOf(await office.server.request("GET", `/campaigns/${id}/contacts?sort=asc&pageSize=100`));
}

const secondsOf = (dials: readonly Dial[]): number[] =>
  dials.map(({ at }) => (at.getTime() - Date.parse(START)) / 1000);

test("contacts are dialed in order at the campaign's pace, and the campaign is completed", async (context) => {
  const simulation = await open(context);
  const { id } = await simulation.office.campaign({
    contacts: contactsUpTo(4),
    callsPerSecond: 0.5,
    start: true,
  });
  await simulation.run();
  assert.deepEqual(secondsOf(simulation.dials), [0, 2, 4, 6]);
  assert.deepEqual(
    simulation.dials.map(({ toNumber }) => toNumber),
    contactsUpTo(4).map(({ toNumber }) => toNumber),
  );
  const { status, progress, completedAt } = await simulation.office.read(id);
  assert.deepEqual([status, progress.done, progress.outcomes["answered"]], ["completed", 4, 4]);
  assert.equal(completedAt, simulation.now.toISOString());
});

test("three nodes share the pace and the concurrency of a campaign", async (context) => {
  const simulation = await open(context, 3);
  await simulation.office.campaign({
    contacts: contactsUpTo(12),
    callsPerSecond: 10,
    maxConcurrency: 2,
    start: true,
  });
  await simulation.run();
  assert.deepEqual(
    secondsOf(simulation.dials),
    [0, 0.1, 30, 30.1, 60, 60.1, 90, 90.1, 120, 120.1, 150, 150.1],
  );
});

test("nodes that claim at the same moment claim one contact", async (context) => {
  const simulation = await open(context, 3);
  await simulation.office.campaign({ contacts: contactsUpTo(20), maxConcurrency: 20, start: true });
  await Promise.all(simulation.dialers.map(async (dialer) => await dialer.round()));
  await simulation.step();
  assert.equal(simulation.dials.length, 1);
  simulation.pass(1_000);
  await Promise.all(simulation.dialers.map(async (dialer) => await dialer.round()));
  await simulation.step();
  assert.equal(simulation.dials.length, 2);
});

test("variables of the contact override the campaign's, those the environment's, those the agent's", async (context) => {
  const simulation = await open(context);
  const { server, agentId, campaign } = simulation.office;
  await server.request("PUT", `/agents/${agentId}/environments/staging`, {
    variables: { of: "environment", by: "environment", to: "environment" },
  });
  const { id } = await campaign({
    environment: "staging",
    defaultVariables: { by: "campaign", to: "campaign" },
    contacts: [{ toNumber: numberAt(0), variables: { to: "contact" } }],
    start: true,
  });
  await simulation.step();
  const [dial] = simulation.dials;
  assert.deepEqual(dial?.variables, { from: "agent", of: "environment", by: "campaign", to: "contact" });
  const call: object = dataOf(await server.request("GET", `/calls/${dial?.callId ?? ""}`));
  assert.partialDeepStrictEqual(call, { campaignId: id, environment: "staging", variables: dial?.variables });
  const listed = await server.request("GET", `/calls?campaignId=${id}`);
  assert.partialDeepStrictEqual(listed.body, { total: 1 });
});

test("a contact is dialed in its own time zone's window, others in that of the campaign", async (context) => {
  const simulation = await open(context);
  await simulation.office.campaign({
    callingWindow: { start: "09:00", end: "10:00", timezone: "America/New_York" },
    contacts: [
      { toNumber: numberAt(0) },
      { toNumber: numberAt(1), timezone: "Europe/Berlin" },
      { toNumber: numberAt(2), timezone: "Asia/Kolkata" },
      { toNumber: numberAt(3), timezone: "America/Los_Angeles" },
    ],
    start: true,
  });
  await simulation.run();
  assert.deepEqual(
    simulation.dials.map(({ toNumber, at }) => [toNumber, at.toISOString()]),
    [
      [numberAt(3), "2026-03-02T17:00:00.000Z"],
      [numberAt(2), "2026-03-03T03:30:00.000Z"],
      [numberAt(1), "2026-03-03T08:00:00.000Z"],
      [numberAt(0), "2026-03-03T14:00:00.000Z"],
    ],
  );
});

test("a busy contact is retried after the delay, as often as the policy says", async (context) => {
  const simulation = await open(context);
  simulation.answer = () => busy;
  const { id } = await simulation.office.campaign({
    contacts: contactsUpTo(1),
    retryPolicy: { maxAttempts: 3, retryDelayMinutes: 10 },
    start: true,
  });
  await simulation.run(new Date(Date.parse(START) + 5_000));
  const [waiting] = await contactsOf(simulation, id);
  assert.partialDeepStrictEqual(waiting, {
    status: "pending",
    outcome: "busy",
    attempts: 1,
    nextAttemptAt: "2026-03-02T15:10:01.000Z",
  });
  await simulation.run();
  assert.deepEqual(secondsOf(simulation.dials), [0, 601, 1202]);
  const [contact] = await contactsOf(simulation, id);
  assert.partialDeepStrictEqual(contact, {
    status: "failed",
    outcome: "busy",
    attempts: 3,
    nextAttemptAt: null,
  });
  assert.partialDeepStrictEqual(await simulation.office.read(id), {
    status: "completed",
    progress: { outcomes: { busy: 1 } },
  });
});

test("a campaign stops itself when most dials fail, and continues when it is resumed", async (context) => {
  const simulation = await open(context);
  simulation.answer = () => down;
  const { id } = await simulation.office.campaign({
    contacts: contactsUpTo(40),
    callsPerSecond: 1,
    start: true,
  });
  await simulation.run();
  const paused = await simulation.office.read(id);
  assert.deepEqual([paused.status, paused.statusReason], ["paused", "dials_failing"]);
  assert.match(paused.statusDetail ?? "", /503 Service Unavailable/);
  assert.ok(simulation.dials.length < 15, `${simulation.dials.length} dials`);
  simulation.answer = () => busy;
  assert.equal((await simulation.office.act(id, "resume")).status, 200);
  await simulation.run();
  assert.equal((await simulation.office.read(id)).status, "completed");
});

test("a campaign whose calls would be refused is paused with the reason", async (context) => {
  const simulation = await open(context);
  const { server, agentId, campaign, read, act } = simulation.office;
  const { modules, organizationId } = server;
  await server.request("PUT", `/agents/${agentId}/environments/staging`, {});
  const { id } = await campaign({ contacts: contactsUpTo(9), environment: "staging", start: true });
  const pausesWith = async (reason: string) => {
    simulation.pass(2_000);
    await simulation.step();
    const { status, statusReason, statusDetail } = await read(id);
    assert.deepEqual([status, statusReason], ["paused", reason]);
    assert.ok(statusDetail !== null);
  };
  await modules.organizations.setBillingActive(organizationId, false);
  await simulation.step();
  await modules.organizations.setBillingActive(organizationId, true);
  await pausesWith("billing_inactive");
  assert.equal((await act(id, "resume")).status, 200);
  await modules.agents.update(server, agentId, { status: "disabled" });
  await pausesWith("agent_not_callable");
  assert.equal((await act(id, "resume")).status, 409);
  await modules.agents.update(server, agentId, { status: "active" });
  assert.equal((await act(id, "resume")).status, 200);
  await server.request("DELETE", `/agents/${agentId}/environments/staging`);
  await pausesWith("environment_not_found");
  await server.request("PUT", `/agents/${agentId}/environments/staging`, {});
  assert.equal((await act(id, "resume")).status, 200);
  const other = await modules.sipTrunks.create(organizationId, {
    friendlyName: "Other",
    proxyAddress: "127.0.0.1",
  });
  await modules.agents.update(server, agentId, { sipTrunkId: other.id });
  await pausesWith("from_number_not_on_trunk");
  assert.equal(simulation.dials.length, 0);
});

test("a pause takes effect before the next INVITE, even of a call that is already claimed", async (context) => {
  const simulation = await open(context);
  const { id } = await simulation.office.campaign({ contacts: contactsUpTo(2), start: true });
  simulation.beforeMark = async () => (await simulation.office.act(id, "pause")).status === 200;
  await simulation.run();
  assert.equal(simulation.dials.length, 0);
  const contacts = await contactsOf(simulation, id);
  assert.deepEqual(
    contacts.map(({ status, attempts, outcome }) => [status, attempts, outcome]),
    [
      ["pending", 0, null],
      ["pending", 0, null],
    ],
  );
  simulation.beforeMark = () => true;
  await simulation.office.act(id, "resume");
  await simulation.run();
  assert.deepEqual(
    simulation.dials.map(({ toNumber }) => toNumber),
    [numberAt(0), numberAt(1)],
  );
});

test("a node that dies before the mark leaves no attempt, one that dies after it a failed one", async (context) => {
  const simulation = await open(context);
  const { id } = await simulation.office.campaign({
    contacts: contactsUpTo(2),
    retryPolicy: { maxAttempts: 2, retryDelayMinutes: 1 },
    maxConcurrency: 1,
    start: true,
  });
  const lost: string[] = [];
  simulation.beforeMark = ({ callId }) => lost.push(callId) > 1;
  await simulation.run();
  // It is not known yet that its node is gone, and the contact's place is taken.
  assert.equal(simulation.dials.length, 0);
  simulation.pass(12_000);
  await simulation.lose(lost[0] ?? "");
  const [first] = await contactsOf(simulation, id);
  assert.partialDeepStrictEqual(first, { status: "pending", attempts: 0, outcome: null });
  await simulation.step();
  assert.equal(simulation.dials[0]?.toNumber, numberAt(0));
  await simulation.lose(simulation.dials[0]?.callId ?? "");
  const [second] = await contactsOf(simulation, id);
  assert.partialDeepStrictEqual(second, { status: "pending", attempts: 1, outcome: "failed" });
  await simulation.run();
  const attempts = (await contactsOf(simulation, id)).map((each) => each.attempts);
  assert.deepEqual(attempts, [2, 1]);
  assert.equal(simulation.dials.length, 3);
});

test("a dial for which there is no place, or which the organization's limits refuse, is no attempt", async (context) => {
  const simulation = await open(context);
  const { server } = simulation.office;
  const { id } = await simulation.office.campaign({ contacts: contactsUpTo(2), start: true });
  simulation.hasPlace = false;
  await simulation.step();
  simulation.hasPlace = true;
  const limit = async (concurrentCalls: number): Promise<void> =>
    await server.modules.organizationLimits.override(server.database, server.organizationId, {
      concurrentCalls,
    });
  await limit(0);
  await simulation.step();
  assert.deepEqual(
    (await contactsOf(simulation, id)).map(({ status, attempts }) => [status, attempts]),
    [
      ["pending", 0],
      ["pending", 0],
    ],
  );
  const { total } = (await server.request("GET", "/calls")).body as { total: number };
  assert.equal(total, 0, "nothing was stored");
  await limit(10);
  await simulation.run();
  assert.equal(simulation.dials.length, 2);
});

test("a canceled campaign dials no more: retries end with their outcome, calls in progress continue", async (context) => {
  const simulation = await open(context);
  simulation.answer = ({ toNumber }) =>
    toNumber === numberAt(0)
      ? busy
      : { status: "completed", endReason: "user_hangup", isAnswered: true, afterMs: 60_000 };
  const { id } = await simulation.office.campaign({
    contacts: contactsUpTo(3),
    retryPolicy: { maxAttempts: 2 },
    maxConcurrency: 2,
    callsPerSecond: 0.1,
    start: true,
  });
  await simulation.run(new Date(Date.parse(START) + 15_000));
  const canceled: { status: string } = dataOf(await simulation.office.act(id, "cancel"));
  assert.equal(canceled.status, "canceled");
  const states = async () =>
    (await contactsOf(simulation, id)).map(({ status, outcome }) => [status, outcome]);
  assert.deepEqual(await states(), [
    ["failed", "busy"],
    ["calling", null],
    ["canceled", "canceled"],
  ]);
  await simulation.run();
  assert.deepEqual((await states())[1], ["completed", "answered"]);
  assert.equal(simulation.dials.length, 2);
  assert.partialDeepStrictEqual((await simulation.office.read(id)).progress, {
    done: 3,
    outcomes: { answered: 1, busy: 1, canceled: 1 },
  });
});

test("what ended is counted per minute, and adds up to the progress", async (context) => {
  const simulation = await open(context);
  simulation.answer = ({ toNumber }) =>
    toNumber === numberAt(0)
      ? busy
      : { status: "completed", endReason: "user_hangup", isAnswered: true, afterMs: 60_000 };
  const { server, campaign, act } = simulation.office;
  await server.request("POST", "/do-not-call", { phoneNumber: numberAt(2) });
  const { id } = await campaign({
    contacts: contactsUpTo(5),
    retryPolicy: { maxAttempts: 2, retryDelayMinutes: 3 },
    maxConcurrency: 2,
    start: true,
  });
  const read = async (): Promise<CampaignActivity> =>
    dataOf(await server.request("GET", `/campaigns/${id}/activity`));
  assert.deepEqual(await read(), { intervalSeconds: 60, intervals: [] });
  await simulation.run(new Date(Date.parse(START) + 90_000));
  dataOf(await act(id, "cancel"));
  await simulation.run();
  const { intervals } = await read();
  assert.deepEqual(
    intervals.map(({ startsAt, attempts, contactsDone }) => [
      startsAt.slice(11, 16),
      attempts["busy"],
      attempts["answered"],
      contactsDone,
    ]),
    // The busy one waits for its retry until the campaign is canceled; one is never dialed, one was never to be.
    [
      ["15:00", 1, 0, 1],
      ["15:01", 0, 2, 3],
      ["15:02", 0, 1, 1],
    ],
  );
  const other = await server.createOrganization();
  const { status } = await server.request("GET", `/campaigns/${id}/activity`, undefined, other.apiKey);
  assert.equal(status, 404);
});

test("a scheduled campaign begins at its time, and dials nothing before", async (context) => {
  const simulation = await open(context);
  const { id } = await simulation.office.campaign({
    contacts: contactsUpTo(1),
    startAt: "2026-03-02T16:00:00Z",
    start: true,
  });
  assert.equal(await simulation.step(), 3_600_000);
  simulation.pass(3_600_000);
  await simulation.run();
  assert.deepEqual(secondsOf(simulation.dials), [3600]);
  assert.equal((await simulation.office.read(id)).startedAt, "2026-03-02T16:00:00.000Z");
});

test("a number that the operator has forbidden meanwhile is not dialed", async (context) => {
  const simulation = await open(context);
  const { server, campaign, read } = simulation.office;
  const { id } = await campaign({ contacts: contactsUpTo(2), start: true });
  await server.modules.organizations.operate(server.database, server.organizationId, {
    allowedCountries: ["DE"],
  });
  await simulation.run();
  assert.equal(simulation.dials.length, 0);
  assert.partialDeepStrictEqual(await read(id), {
    status: "completed",
    progress: { outcomes: { failed: 2 } },
  });
});

test("a number on the do-not-call list is never dialed, and a single call to it is refused", async (context) => {
  const simulation = await open(context);
  const { server, agentId, campaign } = simulation.office;
  const { id } = await campaign({ contacts: contactsUpTo(2), start: true });
  const added = await server.request("POST", "/do-not-call", { phoneNumber: "+1 415 555 1000" });
  assert.equal(added.status, 201);
  await simulation.run();
  assert.deepEqual(
    simulation.dials.map(({ toNumber }) => toNumber),
    [numberAt(1)],
  );
  const states = (await contactsOf(simulation, id)).map(({ status, outcome }) => [status, outcome]);
  assert.deepEqual(states, [
    ["failed", "do_not_call"],
    ["completed", "answered"],
  ]);
  const single = await server.request("POST", "/calls", { agentId, toNumber: numberAt(0) });
  assert.partialDeepStrictEqual(single, { status: 400, body: { error: "destination_not_allowed" } });
});

test("a number that is put on the list after the claim is not dialed", async (context) => {
  const simulation = await open(context);
  const { server, campaign } = simulation.office;
  const { id } = await campaign({ contacts: contactsUpTo(1), start: true });
  simulation.beforeMark = async ({ toNumber }) =>
    (await server.request("POST", "/do-not-call", { phoneNumber: toNumber })).status === 201;
  await simulation.run();
  assert.equal(simulation.dials.length, 0);
  assert.partialDeepStrictEqual((await contactsOf(simulation, id))[0], {
    attempts: 0,
    outcome: "do_not_call",
  });
});

test("a number is dialed at most so often on one local day, over all campaigns", async (context) => {
  const simulation = await open(context, 2);
  simulation.answer = () => busy;
  const { server, campaign } = simulation.office;
  await server.request("PATCH", "/do-not-call-settings", { maxDialsPerDay: 2 });
  const contacts = [{ toNumber: numberAt(0), timezone: "America/New_York" }];
  const retryPolicy = { maxAttempts: 3, retryDelayMinutes: 1 };
  for (let index = 0; index < 2; index++) await campaign({ contacts, retryPolicy, start: true });
  await simulation.run();
  // Midnight in New York is at 05:00.
  assert.deepEqual(
    simulation.dials.map(({ at }) => at.toISOString().slice(0, 13)),
    ["2026-03-02T15", "2026-03-02T15", "2026-03-03T05", "2026-03-03T05", "2026-03-04T05", "2026-03-04T05"],
  );
});

test("a voicemail is called again until the last attempt, which leaves the message", async (context) => {
  const simulation = await open(context);
  simulation.answer = () => ({
    status: "completed",
    endReason: "voicemail",
    isAnswered: true,
    afterMs: 5_000,
  });
  const { office } = simulation;
  const settings = { voicemailAction: "leave_message", voicemailMessage: "Call us back." };
  await office.server.request("PATCH", `/agents/${office.agentId}`, settings);
  const { id } = await office.campaign({
    contacts: contactsUpTo(1),
    voicemailStrategy: "last_attempt",
    retryPolicy: { maxAttempts: 3, retryDelayMinutes: 30, retryOn: [] },
    start: true,
  });
  await simulation.run();
  assert.deepEqual(
    simulation.dials.map(({ agent: { document } }) => [document.voicemailEnabled, document.voicemailAction]),
    [
      [true, "hangup"],
      [true, "hangup"],
      [true, "leave_message"],
    ],
  );
  const [contact] = await contactsOf(simulation, id);
  assert.deepEqual([contact?.status, contact?.outcome, contact?.attempts], ["completed", "voicemail", 3]);
});
