import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import type { Campaign, CampaignContact, CampaignContactDetail, ContactCheckResult } from "@parley/contract";
import {
  type CampaignOffice,
  contactsUpTo,
  dataOf,
  FROM,
  numberAt,
  openOffice,
  refusalOf,
} from "./testing.ts";

async function open(context: TestContext): Promise<CampaignOffice> {
  const office = await openOffice();
  context.after(async () => await office.server.close());
  return office;
}

const listContacts = async ({ server }: CampaignOffice, id: string, query = ""): Promise<CampaignContact[]> =>
  dataOf(await server.request("GET", `/campaigns/${id}/contacts?sort=asc&pageSize=100${query}`));

test("a campaign is created as a draft with the defaults of the contract", async (context) => {
  const { campaign, agentId } = await open(context);
  const { id, createdAt, updatedAt, ...created } = await campaign();
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(created, {
    name: "Spring",
    status: "draft",
    statusReason: null,
    statusDetail: null,
    agentId,
    agentName: "Ada",
    fromNumber: FROM,
    environment: null,
    startAt: null,
    callingWindow: null,
    retryPolicy: { maxAttempts: 1, retryDelayMinutes: 60, retryOn: ["no_answer", "busy", "failed"] },
    maxConcurrency: 5,
    callsPerSecond: 1,
    voicemailStrategy: "agent",
    defaultVariables: {},
    progress: {
      total: 0,
      done: 0,
      contacts: { pending: 0, calling: 0, completed: 0, failed: 0, canceled: 0 },
      outcomes: { answered: 0, voicemail: 0, no_answer: 0, busy: 0, failed: 0, canceled: 0, do_not_call: 0 },
    },
    nextDialAt: null,
    startedAt: null,
    completedAt: null,
    contactsAdded: 0,
    duplicatesSkipped: 0,
  });
});

test("numbers are normalized, and stored once, across requests too", async (context) => {
  const office = await open(context);
  const contacts = [
    { toNumber: "+1 (415) 555-0199", variables: { name: "Ada" } },
    { toNumber: "+14155550199", variables: { name: "Other" } },
    { toNumber: "+1 415 555 0198", timezone: "America/New_York" },
  ];
  const created = await office.campaign({ contacts });
  assert.deepEqual([created.contactsAdded, created.duplicatesSkipped, created.progress.total], [2, 1, 2]);
  const added = await office.act(created.id, "contacts", {
    contacts: [{ toNumber: "+1.415.555.0198" }, { toNumber: "+14155550197" }],
  });
  assert.deepEqual(dataOf(added), { contactsAdded: 1, duplicatesSkipped: 1 });
  const stored = await listContacts(office, created.id);
  assert.deepEqual(
    stored.map(({ toNumber, variables, timezone }) => [toNumber, variables, timezone]),
    [
      ["+14155550199", { name: "Ada" }, null],
      ["+14155550198", {}, "America/New_York"],
      ["+14155550197", {}, null],
    ],
  );
});

test("one bad contact refuses all, and the first hundred are named by index", async (context) => {
  const office = await open(context);
  const { id } = await office.campaign();
  const add = async (contacts: object[]) => refusalOf(await office.act(id, "contacts", { contacts }));
  const good = { toNumber: numberAt(1) };
  assert.deepEqual(await add([good, { toNumber: "4155550199" }, { ...good, timezone: "Mars/Olympus" }]), [
    400,
    "invalid_body",
    "contacts.1.toNumber",
    "contacts.2.timezone",
  ]);
  const many = await add([good, ...Array.from({ length: 150 }, () => ({ toNumber: "+1" }))]);
  assert.deepEqual(
    [many.length, many[2], many.at(-1)],
    [102, "contacts.1.toNumber", "contacts.100.toNumber"],
  );
  assert.deepEqual(await add([good, { toNumber: "+4930123456" }, { toNumber: "+1911" }]), [
    400,
    "invalid_body",
    "contacts.2.toNumber",
  ]);
  assert.deepEqual(await add([good, { toNumber: "+4930123456" }, { toNumber: "+19002345678" }]), [
    400,
    "destination_not_allowed",
    "contacts.1.toNumber",
    "contacts.2.toNumber",
  ]);
  assert.deepEqual(await listContacts(office, id), []);
  const created = await office.create({ contacts: [good, { toNumber: "x" }] });
  assert.deepEqual(refusalOf(created), [400, "invalid_body", "contacts.1.toNumber"]);
  assert.deepEqual(refusalOf(await office.create({ contacts: contactsUpTo(10_001) })), [
    400,
    "invalid_body",
    "contacts",
  ]);
});

test("ten thousand contacts with variables are accepted in one request", async (context) => {
  const office = await open(context);
  const contacts = Array.from({ length: 10_000 }, (_, index) => ({
    toNumber: `+1415${String(2_000_000 + index)}`,
    timezone: "America/Los_Angeles",
    variables: {
      name: `Person ${index}`,
      city: "Oakland",
      visits: index,
      isMember: true,
      note: "x".repeat(100),
    },
  }));
  const { contactsAdded, progress } = await office.campaign({ contacts });
  assert.deepEqual([contactsAdded, progress.contacts["pending"]], [10_000, 10_000]);
});

test("a campaign keeps its voicemail strategy; null resets it", async (context) => {
  const office = await open(context);
  const retryPolicy = { retryOn: ["busy", "voicemail"] } as const;
  const campaign = await office.campaign({ voicemailStrategy: "last_attempt", retryPolicy });
  assert.deepEqual(
    [campaign.voicemailStrategy, campaign.retryPolicy.retryOn],
    ["last_attempt", retryPolicy.retryOn],
  );
  const url = `/campaigns/${campaign.id}`;
  const reset = await office.server.request("PATCH", url, { voicemailStrategy: null });
  assert.equal(dataOf<Campaign>(reset).voicemailStrategy, "agent");
});

test("settings out of range, and windows that cannot be, are refused", async (context) => {
  const { create } = await open(context);
  const refused = async (fields: object) => refusalOf(await create(fields)).slice(1);
  assert.deepEqual(await refused({ voicemailStrategy: "always" }), ["invalid_body", "voicemailStrategy"]);
  const window = { start: "09:00", end: "18:00" };
  for (const [fields, path] of [
    [{ start: "09:00" }, "end"],
    [{ ...window, end: "09:00" }, "end"],
    [{ ...window, end: "24:01" }, "end"],
    [{ ...window, start: "24:00" }, "start"],
    [{ ...window, timezone: "+02:00" }, "timezone"],
    [{ ...window, days: [] }, "days"],
    [{ ...window, days: [8] }, "days.0"],
  ] as const)
    assert.deepEqual(await refused({ callingWindow: fields }), ["invalid_body", `callingWindow.${path}`]);
  for (const [fields, path] of [
    [{ maxConcurrency: 0 }, "maxConcurrency"],
    [{ callsPerSecond: 0.09 }, "callsPerSecond"],
    [{ callsPerSecond: 10.1 }, "callsPerSecond"],
    [{ startAt: "2026-12-01T08:00:00" }, "startAt"],
    [{ retryPolicy: { maxAttempts: 11 } }, "retryPolicy.maxAttempts"],
    [{ agentId: randomUUID() }, "agentId"],
    [{ fromNumber: "+1" }, "fromNumber"],
    [{ start: true }, "contacts"],
  ] as const)
    assert.deepEqual(await refused(fields), ["invalid_body", path]);
  assert.deepEqual(await refused({ environment: "nowhere" }), ["environment_not_found"]);
  assert.deepEqual(await refused({ fromNumber: "+14155550124" }), ["from_number_not_on_trunk"]);
});

test("a draft is changed field by field; the window has the agent's time zone unless it names one", async (context) => {
  const office = await open(context);
  const { id, ...created } = await office.campaign({
    callingWindow: { start: "09:00", end: "18:00" },
    startAt: "2030-01-01T09:00:00+01:00",
    defaultVariables: { name: "Ada" },
  });
  assert.deepEqual(created.callingWindow, {
    start: "09:00",
    end: "18:00",
    timezone: "America/Chicago",
    days: [1, 2, 3, 4, 5, 6, 7],
  });
  const patch = async (fields: object) => await office.server.request("PATCH", `/campaigns/${id}`, fields);
  await patch({ callingWindow: { days: [0, 6] }, retryPolicy: { maxAttempts: 3 }, callsPerSecond: 10 });
  const changed = await office.read(id);
  assert.deepEqual(changed.callingWindow, { ...created.callingWindow, days: [0, 6] });
  assert.deepEqual(changed.retryPolicy, { ...created.retryPolicy, maxAttempts: 3 });
  assert.deepEqual([changed.callsPerSecond, changed.startAt], [10, "2030-01-01T08:00:00.000Z"]);
  // What GET gave can be sent back.
  assert.equal((await patch(changed)).status, 200);
  const reset = { callingWindow: null, retryPolicy: null, callsPerSecond: null, startAt: null };
  await patch({ ...reset, defaultVariables: null });
  const { callingWindow, retryPolicy, callsPerSecond, startAt, defaultVariables } = await office.read(id);
  assert.deepEqual(
    { callingWindow, retryPolicy, callsPerSecond, startAt, defaultVariables },
    {
      callingWindow: null,
      retryPolicy: created.retryPolicy,
      callsPerSecond: 1,
      startAt: null,
      defaultVariables: {},
    },
  );
});

test("a campaign starts, pauses, resumes and is canceled, and refuses what its state does not allow", async (context) => {
  const office = await open(context);
  const { id } = await office.campaign();
  const refused = async (action: string, body?: object) => refusalOf(await office.act(id, action, body));
  const act = async (action: string) =>
    dataOf<{ status: string; statusReason: string | null }>(await office.act(id, action));
  assert.deepEqual(await refused("start"), [409, "campaign_not_startable"]);
  await office.act(id, "contacts", { contacts: contactsUpTo(3) });
  assert.deepEqual(await refused("pause"), [409, "campaign_not_pausable"]);
  assert.deepEqual(await refused("resume"), [409, "campaign_not_startable"]);
  assert.equal((await act("start")).status, "running");
  assert.deepEqual(await refused("start"), [409, "campaign_not_startable"]);
  const patched = await office.server.request("PATCH", `/campaigns/${id}`, { name: "Late" });
  assert.deepEqual(refusalOf(patched), [409, "campaign_not_editable"]);
  const paused = await act("pause");
  assert.deepEqual([paused.status, paused.statusReason], ["paused", "requested"]);
  const deleted = await office.server.request("DELETE", `/campaigns/${id}`);
  assert.deepEqual(refusalOf(deleted), [409, "campaign_not_editable"]);
  assert.deepEqual([(await act("resume")).status, (await act("cancel")).status], ["running", "canceled"]);
  const { progress, completedAt } = await office.read(id);
  assert.deepEqual([progress.done, progress.contacts["canceled"], progress.outcomes["canceled"]], [3, 3, 3]);
  assert.ok(completedAt !== null);
  assert.deepEqual(await refused("cancel"), [409, "campaign_not_cancellable"]);
  assert.deepEqual(await refused("contacts", { contacts: contactsUpTo(1) }), [409, "campaign_not_editable"]);
  assert.equal((await office.server.request("DELETE", `/campaigns/${id}`)).status, 200);
  assert.equal((await office.server.request("GET", `/campaigns/${id}`)).status, 404);
});

test("a campaign whose start is ahead is scheduled, and a start in the past is now", async (context) => {
  const { campaign } = await open(context);
  const contacts = contactsUpTo(1);
  const later = await campaign({ contacts, start: true, startAt: "2036-01-01T00:00:00Z" });
  assert.deepEqual(
    [later.status, later.startedAt, later.nextDialAt],
    ["scheduled", null, "2036-01-01T00:00:00.000Z"],
  );
  const now = await campaign({ contacts, start: true, startAt: "2020-01-01T00:00:00Z" });
  assert.equal(now.status, "running");
  assert.ok(now.startedAt !== null && now.nextDialAt !== null);
});

test("a campaign of an agent that cannot call does not start, and nothing is stored", async (context) => {
  const { server, create, agentId } = await open(context);
  await server.modules.agents.update(server, agentId, { status: "disabled" });
  const answer = await create({ contacts: contactsUpTo(1), start: true });
  assert.deepEqual(refusalOf(answer), [409, "agent_not_callable"]);
  const { data } = (await server.request("GET", "/campaigns")).body as { data: unknown[] };
  assert.deepEqual(data, []);
});

test("an agent with a campaign that has not ended is not deleted; an ended one keeps its name", async (context) => {
  const { server, campaign, act, read, agentId } = await open(context);
  const { id } = await campaign({ contacts: contactsUpTo(1) });
  const remove = async () => await server.request("DELETE", `/agents/${agentId}`);
  assert.deepEqual(refusalOf(await remove()), [409, "agent_in_use"]);
  await server.modules.agents.update(server, agentId, { name: "Grace" });
  assert.equal((await read(id)).agentName, "Grace");
  await act(id, "cancel");
  assert.equal((await remove()).status, 200);
  assert.equal((await read(id)).agentName, "Ada");
});

test("contacts are filtered by status, outcome and number, and read one by one with their calls", async (context) => {
  const office = await open(context);
  const { id } = await office.campaign({ contacts: contactsUpTo(3) });
  const [first] = await listContacts(office, id, `&toNumber=${encodeURIComponent("+1 (415) 555-1000")}`);
  assert.equal(first?.toNumber, numberAt(0));
  assert.equal((await listContacts(office, id, "&status=pending")).length, 3);
  assert.equal((await listContacts(office, id, "&status=failed&status=canceled")).length, 0);
  assert.equal((await listContacts(office, id, "&outcome=busy")).length, 0);
  const contact: CampaignContactDetail = dataOf(
    await office.server.request("GET", `/campaigns/${id}/contacts/${first?.id ?? ""}`),
  );
  // It can be dialed at any time, so its next attempt is now.
  const { nextAttemptAt } = contact;
  assert.deepEqual(contact, { ...first, nextAttemptAt, calls: [] });
});

test("the contacts are exported as CSV with a column for each variable", async (context) => {
  const { server, campaign } = await open(context);
  const { id } = await campaign({
    contacts: [
      { toNumber: numberAt(0), variables: { name: "=cmd()", balance: -3 } },
      { toNumber: numberAt(1), variables: { city: "Oak, land" }, timezone: "America/New_York" },
    ],
  });
  const { headers, body } = await server.request("GET", `/campaigns/${id}/contacts.csv`);
  assert.equal(headers["content-type"], "text/csv; charset=utf-8");
  const [header, first = "", second = "", ...rest] = String(body).split("\r\n");
  assert.equal(
    header,
    "toNumber,status,outcome,attempts,nextAttemptAt,lastAttemptAt,timezone,variables.balance,variables.city,variables.name",
  );
  assert.match(first, /^\+14155551000,pending,,0,[^,]+,,,-3,,'=cmd\(\)$/);
  assert.match(second, /^\+14155551001,pending,,0,[^,]+,,America\/New_York,,"Oak, land",$/);
  assert.deepEqual(rest, [""]);
});

test("contacts are checked without being stored: numbers, guessed time zones, and problems of each", async (context) => {
  const office = await open(context);
  const check = async (contacts: object[], fields: object = {}): Promise<ContactCheckResult> =>
    dataOf(await office.server.request("POST", "/contact-checks", { contacts, ...fields }));
  const { defaultCountry, contacts } = await check([
    { toNumber: "(212) 555-0142" },
    { toNumber: "+1 415 555 0199", timezone: "Mars/Olympus" },
    { toNumber: "+49 30 123456" },
    { toNumber: "12" },
    { toNumber: "+1 800 555 0199" },
  ]);
  assert.equal(defaultCountry, "US");
  assert.deepEqual(
    contacts.map(({ toNumber, timezone, problem }) => [toNumber, timezone, problem?.path ?? null]),
    [
      ["+12125550142", "America/New_York", null],
      ["+14155550199", "America/Los_Angeles", "timezone"],
      ["+4930123456", "Europe/Berlin", "toNumber"],
      [null, null, "toNumber"],
      // Toll-free numbers are in all time zones of North America.
      ["+18005550199", null, null],
    ],
  );
  const [local] = (await check([{ toNumber: "(212) 555-0142" }], { defaultCountry: null })).contacts;
  assert.deepEqual(local, {
    toNumber: null,
    timezone: null,
    problem: { path: "toNumber", message: "must be a possible phone number with its country code" },
  });
});

test("another organization finds neither the campaign nor its contacts", async (context) => {
  const { server, campaign } = await open(context);
  const { id } = await campaign({ contacts: contactsUpTo(1) });
  const { apiKey } = await server.createOrganization();
  for (const path of ["", "/contacts", "/contacts.csv"]) {
    const { status } = await server.request("GET", `/campaigns/${id}${path}`, undefined, apiKey);
    assert.equal(status, 404, path);
  }
  for (const action of ["start", "pause", "resume", "cancel"]) {
    const { status } = await server.request("POST", `/campaigns/${id}/${action}`, undefined, apiKey);
    assert.equal(status, 404, action);
  }
});

test("the operator's limits bound campaigns and their contacts", async (context) => {
  const { server, campaign, create, act } = await open(context);
  const { database, modules, organizationId } = server;
  await modules.organizationLimits.override(database, organizationId, {
    campaigns: 1,
    contactsPerCampaign: 2,
  });
  const { id } = await campaign({ contacts: contactsUpTo(2) });
  assert.deepEqual(refusalOf(await create()), [409, "limit_reached"]);
  const more = await act(id, "contacts", { contacts: contactsUpTo(3) });
  assert.deepEqual(refusalOf(more), [409, "limit_reached"]);
});
