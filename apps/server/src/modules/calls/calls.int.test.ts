import assert from "node:assert/strict";
import test from "node:test";
import type { ProviderFailure, TranscriptItem, Turn } from "@parley/contract";
import { type TestServer, createTestServer, openTestCall } from "../testing.ts";

const START = new Date("2026-06-01T12:00:00.000Z");

function after(seconds: number): Date {
  return new Date(START.getTime() + seconds * 1000);
}

async function openCall(server: TestServer, nodeId = "node-1"): Promise<string> {
  const { callId } = await openTestCall(server, {
    agentRevision: 3,
    configurationRevision: 3,
    environment: "staging",
    fromNumber: "+4930123456",
    nodeId,
    variables: { customer: "Ada" },
    at: START,
  });
  return callId;
}

function message(id: string, text: string): TranscriptItem {
  return { id, type: "message", role: "user", text, startMs: 0, endMs: 1 };
}

function turn(id: string, totalMs: number): Turn {
  return {
    id,
    endpointingMs: 1,
    sttMs: 2,
    llmFirstTokenMs: 3,
    toolMs: 0,
    llmFirstClauseMs: 0,
    ttsFirstByteMs: null,
    waitMs: 0,
    overheadMs: 4,
    totalMs,
  };
}

const answer = { at: after(2), llmName: "llm", sttName: "stt", ttsName: "tts" };

test("a call rings, is answered, has a conversation and ends, and the API returns all of it", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const id = await openCall(server);
  assert.equal((await calls.get(server.organizationId, id)).status, "ringing");
  await calls.markAnswered(id, answer);
  assert.equal((await calls.get(server.organizationId, id)).status, "in_progress");
  await calls.appendItems(id, [message("1", "Hello"), message("2", "Who is there?")], after(3));
  await calls.recordTurns(id, [turn("a", 900)]);
  for (const message of ["again", "once"]) {
    const about = { part: "tts", provider: "elevenlabs/flash", kind: "timeout", takenOverBy: null } as const;
    // A write is repeated if its answer was lost; a vendor's message has any bytes.
    const failure = { id: message, at: after(4).toISOString(), message: `${message}\0`, ...about };
    await calls.recordProviderFailure(id, failure);
    await calls.recordProviderFailure(id, failure);
  }
  await calls.finish(id, { status: "completed", endReason: "user_hangup", endedAt: after(14.5) });
  const { body } = await server.request("GET", `/calls/${id}`);
  const { data } = JSON.parse(JSON.stringify(body));
  assert.equal(data.status, "completed");
  assert.equal(data.endReason, "user_hangup");
  assert.equal(data.billableSeconds, 13);
  assert.deepEqual([data.llmName, data.sttName, data.ttsName], ["llm", "stt", "tts"]);
  assert.deepEqual(
    data.transcript.map(({ text }: TranscriptItem) => text),
    ["Hello", "Who is there?"],
  );
  assert.deepEqual(data.turns, [turn("a", 900)]);
  assert.deepEqual(
    data.providerFailures.map(({ message, takenOverBy }: ProviderFailure) => [message, takenOverBy]),
    [
      ["again", null],
      ["once", null],
    ],
  );
  assert.deepEqual(data.latency.totalMs, { p50: 900, p95: 900 });
  assert.equal(data.latency.ttsFirstByteMs, null);
  const conversation = await server.request("GET", `/conversations/${data.conversationId}`);
  const read = JSON.parse(JSON.stringify(conversation.body)).data;
  assert.deepEqual(read.variables, { customer: "Ada" });
  for (const each of [read, data]) {
    assert.deepEqual([each.agentRevision, each.configurationRevision, each.environment], [3, 3, "staging"]);
  }
  assert.deepEqual(read.transcript, data.transcript);
  await server.close();
});

test("items and turns that are written twice are stored once, in the order of their first write", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const id = await openCall(server);
  await calls.appendItems(id, [message("1", "one"), message("2", "two")], after(1));
  await calls.appendItems(id, [message("2", "again"), message("3", "three")], after(2));
  await calls.recordTurns(id, [turn("a", 1)]);
  await calls.recordTurns(id, [turn("a", 2), turn("b", 3)]);
  const { transcript, turns } = await calls.get(server.organizationId, id);
  assert.deepEqual(
    transcript.map(({ text }) => text),
    ["one", "two", "three"],
  );
  assert.deepEqual(turns, [turn("a", 1), turn("b", 3)]);
  await server.close();
});

test("concurrent writes lose nothing", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const id = await openCall(server);
  const ids = Array.from({ length: 20 }, (_, index) => String(index));
  await Promise.all(ids.map(async (item) => await calls.appendItems(id, [message(item, item)], after(1))));
  const { transcript } = await calls.get(server.organizationId, id);
  assert.deepEqual(transcript.map((item) => item.id).sort(), ids.sort());
  await server.close();
});

test("the first of several ends wins, and an answer after the end has no effect", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const id = await openCall(server);
  const ends = [
    calls.finish(id, { status: "canceled", endReason: "canceled", endedAt: after(1) }),
    calls.finish(id, { status: "failed", endReason: "error_internal", endedAt: after(1) }),
  ];
  assert.equal((await Promise.all(ends)).filter(Boolean).length, 1);
  const { status } = await calls.get(server.organizationId, id);
  await calls.markAnswered(id, answer);
  const call = await calls.get(server.organizationId, id);
  assert.deepEqual([call.status, call.answeredAt, call.billableSeconds], [status, null, 0]);
  await server.close();
});

test("turns that are written after the end count in the latency", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const id = await openCall(server);
  await calls.finish(id, { status: "completed", endReason: "agent_hangup", endedAt: after(1) });
  assert.equal((await calls.get(server.organizationId, id)).latency, null);
  await calls.recordTurns(id, [turn("a", 500)]);
  assert.deepEqual((await calls.get(server.organizationId, id)).latency?.totalMs, { p50: 500, p95: 500 });
  await server.close();
});

test("turns that are written concurrently with the end all count in the latency", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const id = await openCall(server);
  const totals = Array.from({ length: 20 }, (_, index) => 100 + index);
  const record = async (total: number): Promise<void> =>
    await calls.recordTurns(id, [turn(String(total), total)]);
  const end = calls.finish(id, { status: "completed", endReason: "agent_hangup", endedAt: after(1) });
  await Promise.all([...totals.map(record), end]);
  const { latency, turns } = await calls.get(server.organizationId, id);
  assert.equal(turns.length, totals.length);
  assert.deepEqual(latency?.totalMs, { p50: 109, p95: 118 });
  await server.close();
});

test("calls of lost nodes are closed as node_lost; calls of living nodes and ended calls do not change", async () => {
  const server = await createTestServer();
  const { calls, lostCalls } = server.modules;
  const [lost, living, ended] = [
    await openCall(server, "dead"),
    await openCall(server, "alive"),
    await openCall(server, "dead"),
  ];
  await calls.markAnswered(lost, answer);
  await calls.finish(ended, { status: "completed", endReason: "user_hangup", endedAt: after(3) });
  await setCreation(server, after(0));
  const orphans = { livingNodeIds: ["alive"], lastBeats: new Map([["dead", after(5)]]) };
  assert.equal(await lostCalls.closeOrphans({ ...orphans, now: after(65) }), 1);
  assert.equal(await lostCalls.closeOrphans({ ...orphans, now: after(66) }), 0);
  const call = await calls.get(server.organizationId, lost);
  assert.deepEqual([call.status, call.endReason, call.billableSeconds], ["failed", "node_lost", 3]);
  assert.equal(call.endedAt, after(5).toISOString());
  assert.equal((await calls.get(server.organizationId, living)).status, "ringing");
  assert.equal((await calls.get(server.organizationId, ended)).status, "completed");
  await server.close();
});

test("a lost call ends at its last write if that is later than its node's last beat, and at its answer at the earliest", async () => {
  const server = await createTestServer();
  const { calls, lostCalls } = server.modules;
  const [writing, answered, queued] = [
    await openCall(server, "dead"),
    await openCall(server, "dead"),
    await openCall(server, "unknown"),
  ];
  await setCreation(server, after(0));
  const item = { id: "1", type: "message", role: "agent", text: "Hello.", startMs: 0, endMs: 900 } as const;
  await calls.markAnswered(writing, answer);
  await calls.appendItems(writing, [item], after(9));
  await calls.markAnswered(answered, { ...answer, at: after(7) });
  const noticed: Date[] = [];
  calls.ended.subscribe(async (_, { noticedAt }) => void noticed.push(noticedAt));
  const lastBeats = new Map([["dead", after(5)]]);
  await lostCalls.closeOrphans({ livingNodeIds: [], lastBeats, now: after(65) });
  const ends = await Promise.all(
    [writing, answered, queued].map(async (id) => {
      const { endedAt, billableSeconds } = await calls.get(server.organizationId, id);
      return [endedAt, billableSeconds];
    }),
  );
  assert.deepEqual(ends, [
    [after(9).toISOString(), 7],
    [after(7).toISOString(), 0],
    [after(0).toISOString(), 0],
  ]);
  assert.deepEqual(noticed, [after(65), after(65), after(65)]);
  await server.close();
});

test("a call that others closed as lost is corrected by the later end that its node writes, once", async () => {
  const server = await createTestServer();
  const { calls, lostCalls } = server.modules;
  const [hungUp, unanswered, ended] = [
    await openCall(server, "dead"),
    await openCall(server, "dead"),
    await openCall(server, "dead"),
  ];
  await calls.markAnswered(hungUp, answer);
  await calls.finish(ended, { status: "completed", endReason: "user_hangup", endedAt: after(3) });
  await setCreation(server, after(0));
  const lastBeats = new Map([["dead", after(5)]]);
  await lostCalls.closeOrphans({ livingNodeIds: [], lastBeats, now: after(65) });
  let events = 0;
  calls.ended.subscribe(async () => void (events += 1));
  const read = async (id: string) => {
    const { status, endReason, billableSeconds, endedAt } = await calls.get(server.organizationId, id);
    return [status, endReason, billableSeconds, endedAt];
  };
  const hangUp = { status: "completed", endReason: "user_hangup", endedAt: after(40) } as const;
  for (let repetition = 0; repetition < 2; repetition += 1) {
    assert.equal(await calls.finish(hungUp, hangUp), false);
    await lostCalls.close(hungUp, after(39), after(70));
    assert.deepEqual(await read(hungUp), ["completed", "user_hangup", 38, after(40).toISOString()]);
    // Its answer was not written before its node died.
    await calls.markAnswered(unanswered, { ...answer, at: after(10) });
    await lostCalls.close(unanswered, after(33.5), after(70));
    await lostCalls.close(unanswered, after(20), after(70));
    assert.deepEqual(await read(unanswered), ["failed", "node_lost", 24, after(33.5).toISOString()]);
    await lostCalls.close(ended, after(50), after(70));
    assert.deepEqual(await read(ended), ["completed", "user_hangup", 0, after(3).toISOString()]);
  }
  assert.equal(events, 0, "each end is reported once");
  await server.close();
});

/** The calls' own times are those of the test, and creation follows the database's clock. */
async function setCreation({ database }: TestServer, at: Date): Promise<void> {
  await database.$client.query("update calls set created_at = $1, started_at = null", [at]);
  await database.$client.query("update conversations set updated_at = $1", [at]);
}

test("calls can be filtered by agent, status and time", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const [first, second] = [await openCall(server), await openCall(server)];
  await calls.finish(second, { status: "completed", endReason: "user_hangup", endedAt: after(3) });
  const { agentId, conversationId, createdAt } = await calls.get(server.organizationId, first);
  const ids = async (query: string) => {
    const { body } = await server.request("GET", `/calls?sort=asc&${query}`);
    return JSON.parse(JSON.stringify(body)).data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await ids(""), [first, second]);
  assert.deepEqual(await ids("status=completed"), [second]);
  assert.deepEqual(await ids(`agentId=${agentId}`), [first]);
  assert.deepEqual(await ids(`conversationId=${conversationId}`), [first]);
  assert.deepEqual(await ids("direction=outbound"), []);
  assert.deepEqual(await ids(`createdBefore=${createdAt}`), []);
  assert.deepEqual(await ids(`createdAfter=${createdAt}`), [first, second]);
  await server.close();
});

test("the transcript is in the order of its items' beginnings, regardless of their order of arrival", async () => {
  const server = await createTestServer();
  const id = await openCall(server);
  const at = (startMs: number, itemId: string) => ({
    ...message(itemId, itemId),
    startMs,
    endMs: startMs + 9,
  });
  await server.modules.calls.appendItems(id, [at(900, "c"), at(20.5, "b")], after(3));
  await server.modules.calls.appendItems(id, [at(0, "a"), at(10_000, "d"), at(900, "c2")], after(4));
  const { conversationId, transcript } = await server.modules.calls.get(server.organizationId, id);
  const conversation = await server.modules.conversations.get(server.organizationId, conversationId);
  for (const items of [transcript, conversation.transcript])
    assert.deepEqual(
      items.map((item) => item.id),
      ["a", "b", "c", "c2", "d"],
    );
  await server.close();
});

test("calls and transcripts outlive their agent and their trunk", async () => {
  const server = await createTestServer();
  const { calls, agents } = server.modules;
  const id = await openCall(server);
  const { agentId, sipTrunkId } = await calls.get(server.organizationId, id);
  await agents.delete(server, agentId);
  await server.modules.sipTrunks.delete(server, sipTrunkId ?? "", { isForced: true });
  const call = await calls.get(server.organizationId, id);
  assert.deepEqual([call.agentId, call.sipTrunkId, call.phoneNumberId], [agentId, null, null]);
  await server.close();
});

test("text that the database cannot store is repaired, not lost", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const id = await openCall(server);
  const toolCall = { ...message("2", "{}"), type: "tool_call" as const, toolCallId: "a\0", toolName: "b\0" };
  const flowState = {
    nodeId: "ask",
    phase: "asked" as const,
    attempts: 1,
    volunteered: [],
    slots: { "na\0me": "A\0da \ud800" },
    toolCallId: "c\0",
  };
  const step = { ...message("3", "step"), type: "flow" as const, nodeId: "ask", flowState };
  await calls.appendItems(id, [message("1", "one\0 \ud800two"), toolCall, step], after(1));
  const end = {
    status: "failed",
    endReason: "error_llm",
    endDetail: "it said \0",
    endedAt: after(2),
  } as const;
  await calls.finish(id, end);
  const { transcript, endDetail } = await calls.get(server.organizationId, id);
  assert.deepEqual([transcript[0]?.text, endDetail], ["one \ufffdtwo", "it said "]);
  assert.deepEqual([transcript[1]?.toolCallId, transcript[1]?.toolName], ["a", "b"]);
  assert.deepEqual(transcript[2]?.flowState?.["slots"], { name: "Ada \ufffd" });
  await server.close();
});

test("calls are found by their duration and by words that were said in one message, in the own organization", async () => {
  const server = await createTestServer();
  const { calls } = server.modules;
  const talk = async (on: TestServer, seconds: number, ...texts: readonly string[]): Promise<string> => {
    const id = await openCall(on);
    await calls.markAnswered(id, { ...answer, at: START });
    const items = texts.map((text, index) => message(String(index), text));
    await calls.appendItems(id, [...items, { ...message("t", "Refund"), type: "tool_result" }], after(1));
    await calls.finish(id, { status: "completed", endReason: "user_hangup", endedAt: after(seconds) });
    return id;
  };
  const short = await talk(server, 5, "I want a REFUND, please.");
  const long = await talk(server, 90, "Is the parking free?", "Then cancel my order.");
  const foreign = await server.createOrganization();
  await talk({ ...server, organizationId: foreign.organizationId }, 5, "I want a refund too.");
  const found = async (query: Record<string, string>): Promise<string[]> => {
    const { status, body } = await server.request("GET", `/calls?${new URLSearchParams(query).toString()}`);
    assert.equal(status, 200, JSON.stringify(body));
    const { data, total } = JSON.parse(JSON.stringify(body)) as { data: { id: string }[]; total: number };
    assert.equal(data.length, total);
    return data.map(({ id }) => id);
  };
  assert.deepEqual(await found({ text: "refund" }), [short]);
  assert.deepEqual(await found({ text: "parking or refund", minDurationSeconds: "90" }), [long]);
  assert.deepEqual(await found({ text: '"my order"', maxDurationSeconds: "90" }), [long]);
  assert.deepEqual(await found({ text: "parking order" }), [], "words of two messages");
  assert.deepEqual(await found({ text: "park" }), [], "a part of a word");
  assert.deepEqual(await found({ text: "'; --" }), []);
  assert.deepEqual(await found({ maxDurationSeconds: "89" }), [short]);
  assert.deepEqual(await found({ minDurationSeconds: "5", maxDurationSeconds: "90", sort: "asc" }), [
    short,
    long,
  ]);
  const { status } = await server.request("GET", "/calls?text=");
  assert.equal(status, 400);
  await server.close();
});
