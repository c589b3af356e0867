import assert from "node:assert/strict";
import { type ChildProcess, execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallDetail, CallRecording } from "@parley/contract";
import { systemClock } from "../../platform/clock.ts";
import { RecordingSpools } from "../../media/recording/recording-spool.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import type { ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import { waitFor } from "@parley/testing";
import { createTestServer, inboundCall } from "../testing.ts";
import { RecordingFinisher } from "./recording-finisher.ts";
import { RecordingsService } from "../recordings/recordings.service.ts";
import { giveUpRecordingsJob } from "./recording-finishing.jobs.ts";

const NODE_ID = randomUUID();
/** Longer than an active writer is ever silent. */
const LONG_AGO_MS = 60_000;

/** A storage that throws the refusals, and then stores after the work during an upload. */
function refusingStorage({
  stored,
  refusals,
  uploading,
}: {
  stored: Map<string, Buffer>;
  refusals: Error[];
  uploading: (() => Promise<void>)[];
}): ObjectStorage {
  return {
    isShared: true,
    putFile: async (key, file) => {
      const refusal = refusals.pop();
      if (refusal !== undefined) throw refusal;
      await uploading.pop()?.();
      stored.set(key, await readFile(file));
    },
    read: async (key) => stored.get(key) ?? assert.fail(key),
    delete: async (key) => void stored.delete(key),
    linkTo: async (key) => `https://objects.test/${key}`,
  };
}

/** A node's folder of spools, and a storage that can be made to fail. */
async function openFolder(t: TestContext) {
  const server = await createTestServer();
  t.after(async () => await server.close());
  const folder = await mkdtemp(path.join(tmpdir(), "parley-recordings-"));
  t.after(async () => await rm(folder, { recursive: true }));
  const stored = new Map<string, Buffer>();
  const active = new Set<string>();
  const refusals: Error[] = [];
  /** Work during the next uploads. */
  const uploading: (() => Promise<void>)[] = [];
  const { calls } = server.modules;
  const recordings = new RecordingsService(
    server.database,
    refusingStorage({ stored, refusals, uploading }),
    systemClock,
  );
  const start = (): RecordingFinisher => {
    const finisher = new RecordingFinisher({
      clock: systemClock,
      nodeId: NODE_ID,
      folder,
      database: server.database,
      calls,
      recordings,
      isActive: (callId) => active.has(callId),
      concurrency: 2,
      logger: createLogger({ level: "silent" }),
      pollIntervalMs: 20,
      firstRetryMs: 20,
    });
    finisher.start();
    t.after(async () => await finisher.close());
    return finisher;
  };
  const openCall = async ({ endedMsAgo }: { endedMsAgo?: number } = {}): Promise<string> => {
    const call = inboundCall(server.organizationId, { nodeId: NODE_ID });
    const { callId } = await calls.openInbound(call);
    const names = { llmName: "", sttName: "", ttsName: "" };
    await calls.markAnswered(callId, { ...names, at: new Date(), isRecorded: true });
    if (endedMsAgo === undefined) return callId;
    const endedAt = new Date(Date.now() - endedMsAgo);
    await calls.finish(callId, { status: "completed", endReason: "user_hangup", endedAt });
    return callId;
  };
  const describe = async (callId: string): Promise<CallDetail> =>
    await calls.get(server.organizationId, callId);
  const settled = async (callId: string): Promise<CallDetail> => {
    return await waitFor("the recording", async () => {
      const call = await describe(callId);
      return call.recordingStatus !== "pending" && call;
    });
  };
  const files = async (): Promise<string[]> => (await readdir(folder)).sort();
  /** Files are deleted after the call's record names the recording. */
  const emptied = async (): Promise<void> => {
    await waitFor("the files to go", async () => (await files()).length === 0);
  };
  const state = { folder, stored, active, refusals, uploading };
  return { ...server, ...state, start, openCall, describe, settled, files, emptied };
}

/** Writes a spool with one second of silence from both sides. */
async function spool(folder: string, callId: string): Promise<void> {
  const spools = new RecordingSpools({ folder, onError: (error) => assert.fail(String(error)) });
  const call = spools.open(callId, 8000);
  for (let frame = 0; frame < 50; frame++) {
    call.caller("PCMU", new Uint8Array(160).fill(0xff), frame * 960);
    call.agent("PCMU", new Uint8Array(160).fill(0xff), frame * 960);
  }
  await spools.close();
}

test("a call's spool becomes a recording that is stored and linked, and is then deleted", async (t) => {
  const { request, folder, start, openCall, settled, stored, emptied, organizationId } = await openFolder(t);
  const callId = await openCall({ endedMsAgo: 0 });
  const early = await request("GET", `/calls/${callId}/recording`);
  assert.equal(early.status, 404);
  await spool(folder, callId);
  start();
  const call = await settled(callId);
  const key = `recordings/${organizationId}/${callId}.opus`;
  assert.equal(call.recordingStatus, "ready");
  assert.equal(call.recordingUrl, `https://objects.test/${key}`);
  const { status, body } = await request("GET", `/calls/${callId}/recording`);
  assert.equal(status, 200);
  const { data }: { data: CallRecording } = JSON.parse(JSON.stringify(body));
  assert.equal(data.durationMs, 1000);
  assert.equal(data.sizeBytes, stored.get(key)?.length);
  assert.equal(data.contentType, "audio/ogg; codecs=opus");
  assert.ok(Date.parse(data.expiresAt) > Date.now());
  assert.equal(stored.get(key)?.toString("latin1", 0, 4), "OggS");
  await emptied();
});

test("a finisher is closed when its encoders have ended", async (t) => {
  const { folder, start, openCall } = await openFolder(t);
  const callId = await openCall({ endedMsAgo: 0 });
  // An encoder that waits for more of its spool.
  execFileSync("mkfifo", [path.join(folder, `${callId}.ended`)]);
  const encoders: ChildProcess[] = [];
  const note = (message: unknown): void => void encoders.push((message as { process: ChildProcess }).process);
  subscribe("child_process", note);
  t.after(() => unsubscribe("child_process", note));
  const finisher = start();
  await waitFor("the encoder", () => encoders.length > 0);
  await finisher.close();
  assert.deepEqual(
    encoders.map(({ signalCode }) => signalCode),
    ["SIGTERM"],
  );
});

test("a failing storage is retried, and the spool stays until the recording is stored", async (t) => {
  const { folder, start, openCall, describe, settled, refusals, files } = await openFolder(t);
  const callId = await openCall({ endedMsAgo: 0 });
  await spool(folder, callId);
  for (let refusal = 0; refusal < 3; refusal++) refusals.push(new Error("503"));
  start();
  while (refusals.length > 1) await sleep(5);
  assert.equal((await describe(callId)).recordingStatus, "pending");
  assert.ok((await files()).includes(`${callId}.ended`));
  assert.equal((await settled(callId)).recordingStatus, "ready");
});

test("a node that ends leaves unfinished work to its next start", async (t) => {
  const { folder, start, openCall, describe, settled, files, emptied } = await openFolder(t);
  const callId = await openCall({ endedMsAgo: 0 });
  await spool(folder, callId);
  const first = start();
  while ((await files()).every((name) => !name.endsWith(".partial"))) await sleep(1);
  await first.close();
  assert.equal((await describe(callId)).recordingStatus, "pending");
  assert.ok((await files()).includes(`${callId}.ended`));
  start();
  assert.equal((await settled(callId)).recordingStatus, "ready");
  await emptied();
});

test("the spool of a dead process is finished, but not one that is still being written", async (t) => {
  const { folder, start, openCall, describe, settled, active } = await openFolder(t);
  const [left, fresh, inProgress] = [await openCall(), await openCall(), await openCall()];
  const ago = new Date(Date.now() - LONG_AGO_MS);
  for (const callId of [left, fresh, inProgress]) {
    await spool(folder, callId);
    const bytes = await readFile(path.join(folder, `${callId}.ended`));
    await rm(path.join(folder, `${callId}.ended`));
    // Simulates a writer that was killed in the middle of a record.
    await writeFile(path.join(folder, `${callId}.spool`), bytes.subarray(0, -50));
    if (callId !== fresh) await utimes(path.join(folder, `${callId}.spool`), ago, ago);
  }
  active.add(inProgress);
  start();
  assert.equal((await settled(left)).recordingStatus, "ready");
  assert.equal((await describe(fresh)).recordingStatus, "pending");
  assert.equal((await describe(inProgress)).recordingStatus, "pending");
});

test("a call without a spool, or with an unusable one, reports that its recording failed", async (t) => {
  const { folder, start, openCall, describe, settled, files } = await openFolder(t);
  const [none, broken] = [await openCall({ endedMsAgo: LONG_AGO_MS }), await openCall({ endedMsAgo: 0 })];
  const [justEnded, goesOn] = [await openCall({ endedMsAgo: 0 }), await openCall()];
  await writeFile(path.join(folder, `${broken}.ended`), "this is not what a spool looks like");
  start();
  assert.equal((await settled(none)).recordingStatus, "failed");
  assert.equal((await settled(broken)).recordingStatus, "failed");
  assert.deepEqual(await files(), [`${broken}.broken`]);
  assert.equal((await describe(justEnded)).recordingStatus, "pending");
  assert.equal((await describe(goesOn)).recordingStatus, "pending");
});

test("a spool of an unknown call is deleted", async (t) => {
  const { folder, start, emptied } = await openFolder(t);
  await spool(folder, randomUUID());
  start();
  await emptied();
});

test("a recording that was deleted before its spool is read, or during its upload, is not stored", async (t) => {
  const { modules, organizationId, folder, start, openCall, describe, stored, uploading, emptied } =
    await openFolder(t);
  const [before, during] = [await openCall({ endedMsAgo: 0 }), await openCall({ endedMsAgo: 0 })];
  await modules.callDeletion.delete(organizationId, before, "recording");
  const deleted = Promise.withResolvers<void>();
  uploading.push(async () => {
    await modules.callDeletion.delete(organizationId, during, "recording");
    deleted.resolve();
  });
  for (const callId of [before, during]) await spool(folder, callId);
  start();
  await deleted.promise;
  await emptied();
  assert.deepEqual([...stored], []);
  for (const callId of [before, during]) {
    const { recordingStatus, recordingUrl } = await describe(callId);
    assert.deepEqual([recordingStatus, recordingUrl], ["deleted", null]);
  }
});

test("a recording is given up if its node is lost for a day", async (t) => {
  const { modules, openCall, describe } = await openFolder(t);
  const callId = await openCall({ endedMsAgo: 0 });
  const hoursLater = (hours: number) => ({ now: () => new Date(Date.now() + hours * 3600_000) });
  await giveUpRecordingsJob(modules.calls, hoursLater(23)).run({});
  assert.equal((await describe(callId)).recordingStatus, "pending");
  await giveUpRecordingsJob(modules.calls, hoursLater(25)).run({});
  assert.equal((await describe(callId)).recordingStatus, "failed");
});
