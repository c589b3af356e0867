import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { CallDetail, TranscriptItem, WebhookDeliveryDetail } from "@parley/contract";
import { sql } from "drizzle-orm";
import { systemClock } from "../../platform/clock.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import type { ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import { assertRefused } from "../contract-conformance.ts";
import type { CallResult } from "../calls/calls.service.ts";
import { insertMessages } from "../sip-traces/sip-trace.store.ts";
import { createTestServer, openTestCall, type TestServer } from "../testing.ts";
import { buildBody } from "../webhooks/webhooks.service.ts";
import {
  CallDeletionService,
  type DeletedPart,
  type DeletionJob,
  finishCallDeletionJob,
} from "./call-deletion.service.ts";
import { DeletedCallFiles } from "./deleted-call-files.ts";

/** A word that only the caller said. */
const SPOKEN = "Rumpelstiltskin";
/** The caller's number. */
const NUMBER = "+14155550198";
const LINK = "https://objects.test/";
const PARTS = ["call", "recording", "transcript"] as const;

interface Line extends TestServer {
  /** Keys of stored objects. */
  stored: Set<string>;
  /** Failures of the next deletions of objects. */
  failures: Error[];
}

async function start(t: TestContext): Promise<Line> {
  const stored = new Set<string>();
  const failures: Error[] = [];
  const storage: ObjectStorage = {
    isShared: true,
    putFile: async (key) => void stored.add(key),
    read: async () => assert.fail("nothing reads recordings"),
    delete: async (key) => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      stored.delete(key);
    },
    linkTo: async (key) => LINK + key,
  };
  const server = await createTestServer({ storage });
  t.after(async () => await server.close());
  return { ...server, stored, failures };
}

function pathOf(callId: string, part: DeletedPart): string {
  return part === "call" ? `/calls/${callId}` : `/calls/${callId}/${part}`;
}

/** A call with everything that is stored of one. */
async function recordCall(server: Line): Promise<{ callId: string; deliveryId: string }> {
  const { modules, database, organizationId } = server;
  const { calls, recordings, webhooks } = modules;
  const { callId } = await openTestCall(server, { fromNumber: NUMBER });
  const at = new Date();
  await calls.markAnswered(callId, { at, llmName: "m", sttName: "s", ttsName: "t", isRecorded: true });
  await calls.appendItems(callId, [item("1")], at);
  await calls.finish(callId, { status: "completed", endReason: "user_hangup", endedAt: at });
  const results: CallResult = {
    analysisStatus: "ready",
    extraction: { caller: SPOKEN },
    evaluation: [{ name: "polite", result: "pass", reason: `${SPOKEN} was greeted.` }],
    recordingStatus: "ready",
  };
  const recording = { organizationId, callId, file: "", sizeBytes: 1, durationMs: 1 };
  const made = await recordings.upload(recording, AbortSignal.timeout(1_000));
  await database.transaction(async (transaction) => {
    await recordings.note(transaction, made);
    await calls.noteResult(transaction, callId, results, at);
  });
  await insertMessages(database, [
    {
      callId,
      at,
      direction: "received",
      transport: "UDP",
      localAddress: "192.0.2.1",
      localPort: 5060,
      peerAddress: "192.0.2.2",
      peerPort: 5060,
      data: Buffer.from(`INVITE sip:${NUMBER}`),
    },
  ]);
  const deliveryId = randomUUID();
  const facts = { id: deliveryId, type: "call.post" as const, createdAt: at };
  const call = await calls.get(organizationId, callId);
  const body = buildBody(facts, { ...call, campaignId: null });
  const event = { ...facts, organizationId, agentId: call.agentId, subjectId: callId, body };
  const attempt = { startedAt: at, durationMs: 1, answerStatus: 200, answer: SPOKEN, problem: null };
  await webhooks.log(database, { ...event, url: "https://shop.example" }, attempt);
  return { callId, deliveryId };
}

function item(id: string): TranscriptItem {
  const text = `My name is ${SPOKEN}.`;
  return { id, type: "message", role: "user", text, startMs: 0, endMs: 1 };
}

/** Tables with a row that contains the text, in any column. */
async function findTables({ database }: TestServer, text: string): Promise<string[]> {
  const { rows } = await database.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const rowsWithText = await database.execute(
      sql`select 1 from ${sql.identifier(name)} as t where strpos(t::text, ${text}) > 0
          or strpos(t::text, ${Buffer.from(text).toString("hex")}) > 0 limit 1`,
    );
    if (rowsWithText.rows.length > 0) found.push(name);
  }
  return found.sort();
}

async function read(server: TestServer, callId: string): Promise<CallDetail> {
  return await server.modules.calls.get(server.organizationId, callId);
}

test("nothing of a deleted call is left: no record, text, number, recording, trace or webhook", async (t) => {
  const server = await start(t);
  const { request, stored } = server;
  const { callId, deliveryId } = await recordCall(server);
  const { conversationId } = await read(server, callId);
  assert.equal(stored.size, 1);
  assert.deepEqual(await findTables(server, SPOKEN), [
    "calls",
    "transcript_items",
    "webhook_attempts",
    "webhook_events",
  ]);
  assert.deepEqual(await findTables(server, NUMBER), ["calls", "sip_trace_messages", "webhook_events"]);
  const { status, body } = await request("DELETE", `/calls/${callId}`);
  assert.deepEqual([status, body], [200, { data: { id: callId, deleted: true } }]);
  for (const text of [SPOKEN, NUMBER, conversationId])
    assert.deepEqual(await findTables(server, text), [], text);
  // Who deleted which call.
  assert.deepEqual(await findTables(server, callId), ["audit_log"]);
  assert.deepEqual([...stored], []);
  for (const gone of [
    `/calls/${callId}`,
    `/calls/${callId}/recording`,
    `/calls/${callId}/trace`,
    `/conversations/${conversationId}`,
    `/webhooks/deliveries/${deliveryId}`,
  ])
    assertRefused(await request("GET", gone), "not_found");
  for (const part of PARTS) assertRefused(await request("DELETE", pathOf(callId, part)), "not_found");
});

test("nothing of a deleted transcript is left, and nothing of it is stored later", async (t) => {
  const server = await start(t);
  const { request, modules, database, stored } = server;
  const { callId, deliveryId } = await recordCall(server);
  for (let time = 0; time < 2; time++)
    assert.equal((await request("DELETE", `/calls/${callId}/transcript`)).status, 200);
  assert.deepEqual(await findTables(server, SPOKEN), []);
  const call = await read(server, callId);
  assert.deepEqual(
    [call.transcript, call.extraction, call.evaluation, call.analysisStatus, call.recordingStatus],
    [[], null, null, "deleted", "ready"],
  );
  assert.notEqual(call.transcriptDeletedAt, null);
  assert.equal(stored.size, 1);
  const delivery = await request("GET", `/webhooks/deliveries/${deliveryId}`);
  const { data } = delivery.body as { data: WebhookDeliveryDetail };
  const sent = (JSON.parse(data.body ?? "") as { data: Record<string, unknown> }).data;
  assert.deepEqual(
    [sent["transcript"], sent["extraction"], sent["analysisStatus"], sent["fromNumber"]],
    [[], null, "deleted", NUMBER],
  );
  // An item from the spool of a node that was away, and an analysis that was running.
  await assert.rejects(modules.calls.appendItems(callId, [item("2")], new Date()), /deleted/);
  await database.transaction(async (transaction) => {
    const late = { analysisStatus: "ready", extraction: { caller: SPOKEN } } as const;
    await modules.calls.noteResult(transaction, callId, late, new Date());
  });
  assert.deepEqual(await findTables(server, SPOKEN), []);
  assertRefused(await request("POST", `/calls/${callId}/reanalyze`), "transcript_deleted");
});

test("a deleted recording has no file, no link and no record, and is not stored later", async (t) => {
  const server = await start(t);
  const { request, modules, database, stored, organizationId } = server;
  const { callId, deliveryId } = await recordCall(server);
  for (let time = 0; time < 2; time++)
    assert.equal((await request("DELETE", `/calls/${callId}/recording`)).status, 200);
  assert.deepEqual([...stored], []);
  const call = await read(server, callId);
  assert.deepEqual([call.recordingStatus, call.recordingUrl, call.transcript.length], ["deleted", null, 1]);
  assertRefused(await request("GET", `/calls/${callId}/recording`), "not_found");
  assert.equal(await modules.recordings.findUrl(organizationId, callId), null);
  const { body } = await readDelivery(server, deliveryId);
  assert.equal((JSON.parse(body ?? "") as { data: CallDetail }).data.recordingUrl, null);
  await database.transaction(async (transaction) => {
    const late = { recordingStatus: "ready" } as const;
    const noted = await modules.calls.noteResult(transaction, callId, late, new Date());
    assert.equal(noted?.recordingStatus, "deleted");
  });
  assert.equal(await modules.calls.findOrganizationToRecordFor(callId), undefined);
  const { callId: unrecorded } = await openTestCall(server);
  await modules.calls.finish(unrecorded, {
    status: "no_answer",
    endReason: "dial_no_answer",
    endedAt: new Date(),
  });
  assert.equal((await request("DELETE", `/calls/${unrecorded}/recording`)).status, 200);
  assert.equal((await read(server, unrecorded)).recordingStatus, null);
});

async function readDelivery(server: TestServer, id: string): Promise<WebhookDeliveryDetail> {
  const { body } = await server.request("GET", `/webhooks/deliveries/${id}`);
  return (body as { data: WebhookDeliveryDetail }).data;
}

test("a pending recording or analysis that is deleted no longer delays the call's webhook", async (t) => {
  const server = await start(t);
  const { request, modules, database } = server;
  const settled: string[] = [];
  modules.calls.settled.subscribe(async (_transaction, { call }) => void settled.push(call.id));
  const { callId } = await openTestCall(server);
  const at = new Date();
  await modules.calls.markAnswered(callId, { at, llmName: "", sttName: "", ttsName: "", isRecorded: true });
  await modules.calls.finish(callId, { status: "completed", endReason: "user_hangup", endedAt: at });
  await database.transaction(
    async (transaction) =>
      void (await modules.calls.noteResult(transaction, callId, { analysisStatus: "pending" }, at)),
  );
  await request("DELETE", `/calls/${callId}/recording`);
  assert.deepEqual(settled, []);
  await request("DELETE", `/calls/${callId}/transcript`);
  assert.deepEqual(settled, [callId]);
});

test("an active call keeps all its parts, and another organization's call does not exist", async (t) => {
  const server = await start(t);
  const { request } = server;
  const { callId: active } = await openTestCall(server);
  const { callId: ended } = await recordCall(server);
  const before = await read(server, ended);
  const other = await server.createOrganization();
  for (const part of PARTS) {
    assertRefused(await request("DELETE", pathOf(active, part)), "call_not_ended");
    const foreign = await request("DELETE", pathOf(ended, part), undefined, other.apiKey);
    assertRefused(foreign, "not_found");
  }
  assert.equal((await read(server, active)).status, "ringing");
  assert.deepEqual(await read(server, ended), before);
});

test("a file that cannot be deleted now is deleted by a job, and once more a day later", async (t) => {
  const server = await start(t);
  const { modules, database, organizationId, stored, failures } = server;
  const jobs: { job: DeletionJob; startAfter: Date | undefined }[] = [];
  const deletion = new CallDeletionService({
    database,
    jobs: {
      enqueue: async (_transaction, _kind, job, options) =>
        void jobs.push({ job: job as unknown as DeletionJob, startAfter: options?.startAfter }),
    },
    bus: { publish: async () => {}, subscribe: () => () => {}, onReconnect: () => () => {} },
    clock: systemClock,
    logger: createLogger({ level: "silent" }),
    calls: modules.calls,
    recordings: modules.recordings,
    webhooks: modules.webhooks,
  });
  const { callId } = await recordCall(server);
  failures.push(new Error("503"), new Error("503"));
  await deletion.delete(organizationId, callId, "call");
  assert.equal(stored.size, 1);
  const { run } = finishCallDeletionJob(deletion);
  const [first, second] = jobs;
  assert.ok(first !== undefined && second !== undefined);
  await assert.rejects(run(first.job), /503/);
  await run(first.job);
  assert.deepEqual([...stored], []);
  assert.ok((second.startAfter?.getTime() ?? 0) > Date.now() + 23 * 3600_000);
  await run(second.job);
});

test("a node deletes the turn logs and unreadable spools of what was deleted, and nothing else", async (t) => {
  const server = await start(t);
  const { modules, request } = server;
  const root = await mkdtemp(path.join(tmpdir(), "parley-deletion-"));
  t.after(async () => await rm(root, { recursive: true }));
  const [turnLogsFolder, recordingFolder] = [path.join(root, "turn-logs"), path.join(root, "recordings")];
  const day = path.join(turnLogsFolder, "2026-11-22");
  for (const folder of [day, recordingFolder]) await mkdir(folder, { recursive: true });
  const ids: Record<DeletedPart | "kept", string> = { call: "", recording: "", transcript: "", kept: "" };
  for (const name of [...PARTS, "kept"] as const) {
    const { callId } = await recordCall(server);
    ids[name] = callId;
    await writeFile(path.join(day, `${callId}.jsonl`), SPOKEN);
    await writeFile(path.join(recordingFolder, `${callId}.broken`), "");
  }
  await writeFile(path.join(recordingFolder, `${ids.call}.ended`), "");
  await writeFile(path.join(day, "notes.txt"), "");
  for (const part of PARTS) await request("DELETE", pathOf(ids[part], part));
  const listeners: ((callId: string) => void)[] = [];
  const files = new DeletedCallFiles({
    turnLogsFolder,
    recordingFolder,
    calls: modules.calls,
    bus: {
      publish: async () => {},
      subscribe: (_topic, listener) => {
        listeners.push(listener);
        return () => {};
      },
      onReconnect: () => () => {},
    },
    logger: createLogger({ level: "silent" }),
  });
  await files.sweep(new Set([ids.kept]));
  assert.equal((await readdir(day)).length, 5);
  files.start();
  await files.close();
  const logs = [`${ids.recording}.jsonl`, `${ids.kept}.jsonl`, "notes.txt"];
  assert.deepEqual((await readdir(day)).sort(), logs.sort());
  const spools = [`${ids.transcript}.broken`, `${ids.kept}.broken`, `${ids.call}.ended`];
  assert.deepEqual((await readdir(recordingFolder)).sort(), spools.sort());
  files.start();
  await files.close();
  await request("DELETE", `/calls/${ids.kept}`);
  listeners.at(-1)?.(ids.kept);
  await files.close();
  await assert.rejects(access(path.join(day, `${ids.kept}.jsonl`)));
});

test("many deletions at once share a sweep of the node's files", async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-deletion-"));
  t.after(async () => await rm(folder, { recursive: true }));
  const [first, second] = [randomUUID(), randomUUID()];
  for (const callId of [first, second]) await writeFile(path.join(folder, `${callId}.broken`), "");
  const listeners: ((callId: string) => void)[] = [];
  const looked: (readonly string[])[] = [];
  const files = new DeletedCallFiles({
    turnLogsFolder: path.join(folder, "turn-logs"),
    recordingFolder: folder,
    calls: {
      listStored: async (ids) => {
        looked.push(ids);
        return new Map(ids.map((id) => [id, { hasTranscript: true, mayHaveRecording: true }]));
      },
    },
    bus: {
      publish: async () => {},
      subscribe: (_topic, listener) => {
        listeners.push(listener);
        return () => {};
      },
      onReconnect: () => () => {},
    },
    logger: createLogger({ level: "silent" }),
  });
  files.start();
  await files.close();
  looked.splice(0);
  for (let count = 0; count < 100; count++) listeners[0]?.(first);
  await files.close();
  assert.deepEqual(looked, [[first]]);
});
