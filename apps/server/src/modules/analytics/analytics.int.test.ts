import assert from "node:assert/strict";
import test from "node:test";
import { type CallEndReason, type CallStatus, type Turn, callEndReasons } from "@parley/contract";
import { seededRandom } from "@parley/testing";
import { callTurns, calls } from "../calls/calls.tables.ts";
import { conversations } from "../conversations/conversations.tables.ts";
import { type TestServer, createTestServer, openTestCall } from "../testing.ts";

type CallInsert = typeof calls.$inferInsert;
type Call = CallInsert & { createdAt: Date; turns: Turn[] };

const SEED = 20_261_121;
const HOUR_MS = 3_600_000;
/** Berlin leaves daylight saving time on 25 October, so the range contains a day of 25 hours. */
const FIRST = Date.parse("2026-10-20T00:00:00.000Z");
const DAYS = 12;
const AGENTS = ["0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11", "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c12"] as const;

const parts = [
  "endpointingMs",
  "sttMs",
  "llmFirstTokenMs",
  "toolMs",
  "llmFirstClauseMs",
  "ttsFirstByteMs",
  "waitMs",
  "overheadMs",
  "totalMs",
] as const;

function randomCalls(organizationId: string, howMany: number, random: () => number): Call[] {
  const integer = (below: number): number => Math.floor(random() * below);
  const pick = <T>(values: readonly [T, ...T[]]): T => values[integer(values.length)] ?? values[0];
  const measured = (): number | null => (integer(5) === 0 ? null : integer(3000) / 2);
  return Array.from({ length: howMany }, () => {
    const createdAt = new Date(FIRST + integer(DAYS * 24 * HOUR_MS));
    const status = pick<CallStatus>(["queued", "ringing", "in_progress", "completed", "failed", "busy"]);
    const isOver = !["queued", "ringing", "in_progress"].includes(status);
    const isAnswered = status === "in_progress" || status === "completed";
    const answeredAt = isAnswered ? new Date(createdAt.getTime() + integer(20_000)) : null;
    const endReason: CallEndReason | null = isOver ? pick<CallEndReason>([...callEndReasons]) : null;
    return {
      organizationId,
      conversationId: "",
      agentId: pick(AGENTS),
      channel: pick(["phone", "web"]),
      direction: pick(["inbound", "outbound"]),
      status,
      endReason,
      toNumber: "+4930123456",
      nodeId: pick(["node-1", "node-2", "node-3"]),
      isTest: integer(4) === 0,
      createdAt,
      answeredAt,
      endedAt: isOver ? new Date((answeredAt ?? createdAt).getTime() + integer(900_000)) : null,
      billableSeconds: isAnswered ? integer(900) : 0,
      turns: Array.from({ length: integer(4) }, (_, index) => ({
        id: String(index),
        endpointingMs: measured(),
        sttMs: measured(),
        llmFirstTokenMs: measured(),
        toolMs: measured(),
        llmFirstClauseMs: measured(),
        ttsFirstByteMs: measured(),
        waitMs: measured(),
        overheadMs: measured(),
        totalMs: measured(),
      })),
    };
  });
}

async function store({ database }: TestServer, organizationId: string, all: readonly Call[]): Promise<void> {
  const conversation = { organizationId, agentId: AGENTS[0], channel: "phone" as const };
  const [row] = await database.insert(conversations).values(conversation).returning();
  const rows = all.map(({ turns: _turns, ...call }) => ({ ...call, conversationId: row?.id ?? "" }));
  const stored = await database.insert(calls).values(rows).returning({ id: calls.id });
  const turns = stored.flatMap(({ id: callId }, index) =>
    (all[index]?.turns ?? []).map((turn, sequence) => ({ callId, id: turn.id, sequence, turn })),
  );
  if (turns.length > 0) await database.insert(callTurns).values(turns);
}

/** Percentile by nearest rank. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}

function close(actual: number | null, expected: number | null, what: string): void {
  if (actual === null || expected === null) assert.equal(actual, expected, what);
  else assert.ok(Math.abs(actual - expected) < 1e-6, `${what}: ${actual}, not ${expected}`);
}

function localDate(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone }).format(at);
}

async function ask<T>({ request }: TestServer, path: string, query: Record<string, string>): Promise<T> {
  const { status, body } = await request(
    "GET",
    `/analytics/${path}?${new URLSearchParams(query).toString()}`,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return JSON.parse(JSON.stringify(body)).data;
}

test("for random calls, every figure equals counting them one by one", async () => {
  const server = await createTestServer();
  const random = seededRandom(SEED);
  const foreign = await server.createOrganization();
  const own = randomCalls(server.organizationId, 500, random);
  await store(server, server.organizationId, own);
  await store(server, foreign.organizationId, randomCalls(foreign.organizationId, 200, random));
  const active = own.filter(({ status }) => status === "ringing" || status === "in_progress");
  for (let round = 0; round < 25; round++) {
    const edges = [random(), random()].map((share) => new Date(FIRST + share * DAYS * 24 * HOUR_MS));
    const [from, to] = edges.toSorted((a, b) => a.getTime() - b.getTime());
    assert.ok(from !== undefined && to !== undefined);
    const filter = {
      ...(random() < 0.4 && { agentId: AGENTS[1] }),
      ...(random() < 0.4 && { direction: "inbound" }),
      ...(random() < 0.4 && { channel: "web" }),
    };
    const query = { from: from.toISOString(), to: to.toISOString(), ...filter };
    const isSelected = (call: (typeof own)[number]): boolean =>
      Object.entries(filter).every(([name, value]) => call[name as keyof typeof filter] === value);
    const counted = own.filter((call) => call.createdAt >= from && call.createdAt < to && isSelected(call));
    const what = `seed ${SEED}, round ${round}: ${JSON.stringify(query)}`;
    const { activeCalls } = await ask<{ activeCalls: number }>(server, "active", query);
    assert.equal(activeCalls, active.filter(isSelected).length, what);
    await checkDays(server, query, counted, what);
    await checkDurations(server, query, counted, what);
    await checkEndReasons(server, query, counted, what);
    await checkLatency(server, query, counted, what);
  }
  await server.close();
});

async function checkDays(
  server: TestServer,
  query: Record<string, string>,
  counted: readonly Call[],
  what: string,
): Promise<void> {
  for (const timezone of ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"]) {
    const { days } = await ask<{ days: { date: string }[] }>(server, "calls-per-day", { ...query, timezone });
    const ofDay = Map.groupBy(counted, ({ createdAt }) => localDate(createdAt, timezone));
    const expected = days.map(({ date }) => {
      const some = ofDay.get(date) ?? [];
      return {
        date,
        calls: some.length,
        answered: some.filter(({ answeredAt }) => answeredAt !== null).length,
        billableSeconds: some.reduce((sum, { billableSeconds }) => sum + (billableSeconds ?? 0), 0),
      };
    });
    assert.deepEqual(days, expected, what);
    const first = localDate(new Date(query["from"] ?? ""), timezone);
    const last = localDate(new Date(Date.parse(query["to"] ?? "") - 1), timezone);
    assert.deepEqual([days[0]?.date, days.at(-1)?.date], [first, last], what);
    assert.equal(days.length, 1 + (Date.parse(last) - Date.parse(first)) / (24 * HOUR_MS), what);
  }
}

async function checkDurations(
  server: TestServer,
  query: Record<string, string>,
  counted: readonly Call[],
  what: string,
): Promise<void> {
  const actual = await ask<Record<string, number | null>>(server, "durations", query);
  const over = counted.filter(({ answeredAt, endedAt }) => answeredAt && endedAt);
  const seconds = over.map(
    ({ answeredAt, endedAt }) => ((endedAt?.getTime() ?? 0) - (answeredAt?.getTime() ?? 0)) / 1000,
  );
  const total = seconds.reduce((sum, each) => sum + each, 0);
  const expected = {
    calls: over.length,
    totalSeconds: total,
    billableSeconds: over.reduce((sum, { billableSeconds }) => sum + (billableSeconds ?? 0), 0),
    averageSeconds: over.length === 0 ? null : total / over.length,
    p50Seconds: percentile(seconds, 0.5),
    p95Seconds: percentile(seconds, 0.95),
    longestSeconds: percentile(seconds, 1),
  };
  for (const [name, value] of Object.entries(expected))
    close(actual[name] ?? null, value, `${name}, ${what}`);
}

async function checkEndReasons(
  server: TestServer,
  query: Record<string, string>,
  counted: readonly Call[],
  what: string,
): Promise<void> {
  const actual = await ask<{ endReason: CallEndReason; calls: number }[]>(server, "end-reasons", query);
  const expected = Map.groupBy(counted, ({ endReason }) => endReason);
  expected.delete(null);
  assert.equal(actual.length, expected.size, what);
  for (const { endReason, calls: howMany } of actual) {
    assert.equal(howMany, expected.get(endReason)?.length, `${endReason}, ${what}`);
  }
  const numbers = actual.map((each) => each.calls);
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => b - a),
    what,
  );
}

async function checkLatency(
  server: TestServer,
  query: Record<string, string>,
  counted: readonly Call[],
  what: string,
): Promise<void> {
  type Latency = { turns: number } & Record<string, { p50: number; p95: number; p99: number } | null>;
  const actual = await ask<Latency>(server, "latency", query);
  const turns = counted.flatMap((call) => call.turns);
  assert.equal(actual.turns, turns.length, what);
  for (const part of parts) {
    const values = turns.map((turn) => turn[part]).filter((value) => value !== null);
    const expected = {
      p50: percentile(values, 0.5),
      p95: percentile(values, 0.95),
      p99: percentile(values, 0.99),
    };
    assert.deepEqual(actual[part], values.length === 0 ? null : expected, `${part}, ${what}`);
  }
}

test("an organization without calls has zeros, including for each day", async () => {
  const server = await createTestServer();
  const range = { from: "2026-03-28T00:00:00.000Z", to: "2026-03-30T00:00:00.000Z" };
  assert.deepEqual(await ask(server, "active", {}), { activeCalls: 0 });
  assert.deepEqual(await ask(server, "end-reasons", range), []);
  const none = { p50Seconds: null, p95Seconds: null, longestSeconds: null, averageSeconds: null };
  const durations = { calls: 0, totalSeconds: 0, billableSeconds: 0, ...none };
  assert.deepEqual(await ask(server, "durations", range), durations);
  const latency = Object.fromEntries(parts.map((part) => [part, null]));
  assert.deepEqual(await ask(server, "latency", range), { turns: 0, ...latency });
  const { days } = await ask<{ days: { date: string; calls: number }[] }>(server, "calls-per-day", range);
  assert.deepEqual(
    days.map(({ date, calls: howMany }) => [date, howMany]),
    [
      ["2026-03-28", 0],
      ["2026-03-29", 0],
    ],
  );
  await server.close();
});

test("a call counts as active from its first ring to its end, on any node", async () => {
  const server = await createTestServer();
  const { modules } = server;
  const activeCalls = async () => (await ask<{ activeCalls: number }>(server, "active", {})).activeCalls;
  const open = async (nodeId: string) => (await openTestCall(server, { nodeId })).callId;
  const ids = [await open("node-1"), await open("node-2"), await open("node-2")];
  assert.equal(await activeCalls(), 3);
  const [first = "", second = ""] = ids;
  await modules.calls.markAnswered(first, { at: new Date(), llmName: "l", sttName: "s", ttsName: "t" });
  assert.equal(await activeCalls(), 3);
  await modules.calls.finish(first, { status: "completed", endReason: "user_hangup", endedAt: new Date() });
  await modules.calls.finish(second, { status: "canceled", endReason: "canceled", endedAt: new Date() });
  assert.equal(await activeCalls(), 1);
  await server.close();
});
