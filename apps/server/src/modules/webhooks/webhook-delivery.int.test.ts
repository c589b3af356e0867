import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import test from "node:test";
import type { MessageReceivedData } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { isSigned, isSignedWith, openDeliveries, startReceiver } from "./testing.ts";
import { deleteOldWebhooksJob } from "./webhooks.jobs.ts";
import { webhookAttempts, webhookEvents } from "./webhooks.tables.ts";

const MINUTE_MS = 60_000;
const END = { status: "completed", endReason: "user_hangup" } as const;

const accept = (response: ServerResponse): void => void response.end();

test("the end of a call is delivered once with the call's data, signed by both secrets of a rotation", async (t) => {
  const all = await openDeliveries(t, (response) => void response.end("thanks"));
  const { signingSecrets, organizationId, receiver, jobs, openCall, endCall, progressOf, runNext, delivery } =
    all;
  const first = await signingSecrets.rotate(organizationId);
  const second = await signingSecrets.rotate(organizationId);
  const id = await openCall();
  assert.deepEqual(await progressOf(id), [null, 0]);
  assert.equal(await endCall(id), true);
  assert.equal(await endCall(id), false);
  assert.equal(jobs.length, 1);
  assert.deepEqual(await progressOf(id), ["pending", 0]);
  const { data: job } = await runNext();
  await delivery.deliver(job);
  assert.deepEqual(await progressOf(id), ["delivered", 1]);
  assert.deepEqual([receiver.requests.length, jobs.length], [1, 0]);
  const [request] = receiver.requests;
  assert.ok(request !== undefined);
  for (const { secret } of [first, second]) assert.ok(isSignedWith(secret, request));
  const { secret: foreign } = await signingSecrets
    .rotate(randomUUID())
    .catch(() => ({ secret: "whsec_AAAA" }));
  assert.ok(!isSignedWith(foreign, request));
  const { type, id: eventId, data } = JSON.parse(request.body);
  assert.deepEqual([type, eventId], ["call.post", request.headers["webhook-id"]]);
  assert.deepEqual([data.id, data.agentRevision, data.environment], [id, 3, "staging"]);
  assert.deepEqual([data.endReason, data.variables], ["user_hangup", { customer: "Ada" }]);
});

test("a rejected event is sent again 1, 5 and 30 minutes after the first failure with the same body, then given up", async (t) => {
  const { receiver, clock, jobs, openCall, endCall, progressOf, runNext } = await openDeliveries(
    t,
    (response) => void response.writeHead(500).end("no"),
  );
  const id = await openCall();
  await endCall(id);
  await runNext();
  const failedAt = (jobs[0]?.startAfter?.getTime() ?? 0) - MINUTE_MS;
  assert.ok(failedAt >= clock.now.getTime());
  for (const [index, minutes] of [1, 5, 30].entries()) {
    assert.deepEqual(await progressOf(id), ["pending", index + 1]);
    const { startAfter } = await runNext();
    assert.equal((startAfter?.getTime() ?? 0) - failedAt, minutes * MINUTE_MS);
  }
  assert.deepEqual(await progressOf(id), ["failed", 4]);
  assert.equal(jobs.length, 0);
  const { requests } = receiver;
  assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
  assert.equal(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, 1);
  assert.equal(new Set(requests.map(({ headers }) => headers["webhook-timestamp"])).size, 4);
});

test("attempts that a stopped node made late are at least a minute apart", async (t) => {
  const { clock, jobs, openCall, endCall, runNext } = await openDeliveries(
    t,
    (response) => void response.writeHead(500).end(),
  );
  await endCall(await openCall());
  await runNext();
  const [retry] = jobs;
  assert.ok(retry !== undefined);
  retry.startAfter = new Date(clock.now.getTime() + 60 * MINUTE_MS);
  await runNext();
  const [next] = jobs;
  assert.ok((next?.startAfter?.getTime() ?? 0) >= clock.now.getTime() + MINUTE_MS);
});

test("each attempt is signed with the secrets of its time", async (t) => {
  const { signingSecrets, organizationId, receiver, openCall, endCall, runNext } = await openDeliveries(
    t,
    (response) => void response.writeHead(500).end(),
  );
  await endCall(await openCall());
  await runNext();
  const { secret } = await signingSecrets.rotate(organizationId);
  await runNext();
  await signingSecrets.disable(organizationId);
  await runNext();
  assert.deepEqual(receiver.requests.map(isSigned), [false, true, false]);
  assert.ok(receiver.requests[1] !== undefined && isSignedWith(secret, receiver.requests[1]));
});

test("for each kind of failed answer the call records the failure and the log its reason", async (t) => {
  const all = await openDeliveries(t, accept);
  const { database, organizationId, deliveries, receiver, openCall, endCall, progressOf, runNext } = all;
  const redirect = (response: ServerResponse): void =>
    void response.writeHead(302, { location: receiver.url }).end();
  const close = (response: ServerResponse): void => {
    response.writeHead(200, { "content-length": "100" }).write("half of ");
    setTimeout(() => response.destroy(), 20);
  };
  const outcomes: [(response: ServerResponse) => void, RegExp][] = [
    [redirect, /^HTTP status 302$/],
    [close, /^the connection failed: /],
    [(response) => void response.socket?.destroy(), /^the connection failed: /],
    [(response) => void response.writeHead(503).end("x".repeat(5_000)), /^HTTP status 503$/],
  ];
  for (const [respond, problem] of outcomes) {
    receiver.respond = respond;
    all.jobs.length = 0;
    const id = await openCall();
    await endCall(id);
    await runNext();
    assert.deepEqual(await progressOf(id), ["pending", 1]);
    const filter = { page: 1, pageSize: 1, sort: "desc", callId: id } as const;
    const [{ id: deliveryId } = { id: "" }] = (await deliveries.list(organizationId, filter)).data;
    const { attemptLog } = await deliveries.get(organizationId, deliveryId);
    assert.match(attemptLog[0]?.problem ?? "", problem);
  }
  receiver.stop();
  const id = await openCall();
  await endCall(id);
  all.jobs.splice(0, all.jobs.length - 1);
  await runNext();
  assert.deepEqual(await progressOf(id), ["pending", 1]);
  const attempts = await database.select().from(webhookAttempts);
  assert.equal(attempts.length, 5);
  assert.ok(attempts.some(({ problem }) => /ECONNREFUSED/.test(problem ?? "")));
  // Redirects are answers and are not followed.
  assert.equal(receiver.requests.length, 4);
});

test("an accepting answer of 10 MB that the database cannot store counts as delivered", async (t) => {
  const { database, openCall, endCall, progressOf, runNext } = await openDeliveries(
    t,
    (response) => void response.end(`\0${"ä".repeat(5_000_000)}`),
  );
  const id = await openCall();
  await endCall(id);
  await runNext();
  assert.deepEqual(await progressOf(id), ["delivered", 1]);
  const [attempt] = await database.select().from(webhookAttempts);
  assert.match(attempt?.answer ?? "", /^ä{1999}$/);
});

test("the end of a call is delivered once its results are complete, and later changes do not alter it", async (t) => {
  const { database, calls, receiver, clock, jobs, openCall, endCall, progressOf, runNext } =
    await openDeliveries(t, (response) => void response.writeHead(500).end());
  const id = await openCall();
  const note = async (result: Parameters<typeof calls.noteResult>[2]): Promise<void> =>
    await database.transaction(async (transaction) => {
      await calls.noteResult(transaction, id, result, clock.now);
    });
  await note({ recordingStatus: "pending" });
  const endedAt = clock.now;
  await endCall(id);
  await note({ analysisStatus: "pending" });
  assert.equal(jobs[0]?.startAfter?.getTime(), endedAt.getTime() + MINUTE_MS);
  clock.now = new Date(endedAt.getTime() + 5_000);
  await note({ recordingStatus: "ready" });
  assert.equal(jobs.length, 1);
  await note({ analysisStatus: "ready", extraction: { city: "Paris" } });
  assert.equal(jobs.length, 2);
  const [last] = jobs.splice(0, 1);
  await runNext();
  assert.deepEqual(await progressOf(id), ["pending", 1]);
  // The scheduled job of the same attempt has nothing left to do.
  jobs.unshift(...(last === undefined ? [] : [last]));
  await runNext();
  assert.equal(receiver.requests.length, 1);
  await note({ extraction: { city: "Rome" } });
  await runNext();
  const told = receiver.requests.map(({ body }) => {
    const { extraction, analysisStatus } = JSON.parse(body).data;
    return [extraction, analysisStatus];
  });
  assert.deepEqual(told, [
    [{ city: "Paris" }, "ready"],
    [{ city: "Paris" }, "ready"],
  ]);
});

test("results that take longer than a minute after the end are not waited for", async (t) => {
  const { database, calls, receiver, clock, jobs, openCall, endCall, runNext } = await openDeliveries(
    t,
    accept,
  );
  const id = await openCall();
  const note = async (analysisStatus: "pending" | "ready", extraction: { late: boolean } | null) =>
    await database.transaction(async (transaction) => {
      await calls.noteResult(transaction, id, { analysisStatus, extraction }, clock.now);
    });
  await note("pending", null);
  await endCall(id);
  await runNext();
  await note("ready", { late: true });
  assert.deepEqual([receiver.requests.length, jobs.length], [1, 0]);
  const { extraction, analysisStatus } = JSON.parse(receiver.requests[0]?.body ?? "").data;
  assert.deepEqual([extraction, analysisStatus], [null, "pending"]);
});

test("a received message is delivered signed, and sent again if it is rejected", async (t) => {
  const all = await openDeliveries(t, (response) => void response.writeHead(500).end());
  const { database, webhooks, organizationId, signingSecrets, receiver, clock, jobs, runNext } = all;
  const secrets = [await signingSecrets.rotate(organizationId), await signingSecrets.rotate(organizationId)];
  const data: MessageReceivedData = {
    id: randomUUID(),
    agentId: randomUUID(),
    conversationId: randomUUID(),
    messagingConnectionId: randomUUID(),
    direction: "INBOUND",
    channel: "sms",
    fromNumber: "+14155550100",
    toNumber: "+14155550123",
    body: "Are you open?",
    media: [],
    createdAt: clock.now.toISOString(),
  };
  await database.transaction(async (transaction) => {
    await webhooks.announce(
      transaction,
      { organizationId, type: "message.received", url: receiver.url, data },
      clock.now,
    );
  });
  await runNext();
  receiver.respond = accept;
  await runNext();
  assert.equal(jobs.length, 0);
  const [first, second] = receiver.requests;
  assert.ok(first !== undefined && second !== undefined);
  for (const { secret } of secrets) assert.ok(isSignedWith(secret, second));
  assert.equal(first.body, second.body);
  const { type, id, data: told } = JSON.parse(second.body);
  assert.deepEqual([type, id, told], ["message.received", second.headers["webhook-id"], data]);
});

test("a job of the real queue delivers, and an end that is rolled back is never announced", async (t) => {
  const delivered = Promise.withResolvers<void>();
  const { database, organizationId, receiver, openCall, startQueue } = await openDeliveries(t, (response) => {
    response.end();
    delivered.resolve();
  });
  const { webhooks, calls, close } = await startQueue();
  const now = new Date();
  const event = {
    organizationId,
    type: "call.post",
    agentId: randomUUID(),
    url: "http://127.0.0.1:9",
    firstAttemptAt: now,
  } as const;
  const rolledBack = database.transaction(async (transaction) => {
    await webhooks.announce(transaction, { ...event, callId: randomUUID() }, now);
    throw new Error("changed its mind");
  });
  await assert.rejects(rolledBack, /changed its mind/);
  await calls.finish(await openCall(), { ...END, endedAt: now });
  await delivered.promise;
  await close();
  assert.equal(receiver.requests.length, 1);
  assert.equal((await database.select().from(webhookEvents)).length, 1);
});

test("a hanging server times out after ten seconds and does not delay the webhooks of another organization", async (t) => {
  const { server, database, organizationId, receiver, openCall, startQueue } = await openDeliveries(
    t,
    () => {},
  );
  const { webhooks, calls, close } = await startQueue();
  for (let index = 0; index < 40; index += 1)
    await calls.finish(await openCall(), { ...END, endedAt: new Date() });
  const told = Promise.withResolvers<void>();
  const other = await startReceiver(t, (response) => {
    response.end();
    told.resolve();
  });
  const { organizationId: otherId } = await server.createOrganization();
  const now = new Date();
  await database.transaction(async (transaction) => {
    const data = { id: randomUUID() } as MessageReceivedData;
    const event = { organizationId: otherId, type: "message.received", url: other.url, data } as const;
    await webhooks.announce(transaction, event, now);
  });
  await told.promise;
  assert.ok(receiver.requests.length <= 5, `${organizationId} has ${receiver.requests.length} at once`);
  const problem = await findProblem(database);
  assert.equal(problem, "no answer within 10000 ms");
  await close();
});

/** Problem of the first failed attempt. */
async function findProblem(
  database: Awaited<ReturnType<typeof openDeliveries>>["database"],
): Promise<string> {
  return await waitFor(
    "an attempt that failed",
    async () => {
      const attempts = await database.select().from(webhookAttempts);
      return attempts.find(({ problem }) => problem !== null)?.problem ?? undefined;
    },
    60_000,
  );
}

test("an event and its attempts are deleted after thirty days", async (t) => {
  const { database, clock, openCall, endCall, runNext } = await openDeliveries(t, accept);
  await endCall(await openCall());
  await runNext();
  const count = async (): Promise<number[]> => [
    (await database.select().from(webhookEvents)).length,
    (await database.select().from(webhookAttempts)).length,
  ];
  const after = (days: number): Date => new Date(clock.now.getTime() + days * 24 * 60 * MINUTE_MS);
  await deleteOldWebhooksJob(database, { now: () => after(29) }).run({});
  assert.deepEqual(await count(), [1, 1]);
  await deleteOldWebhooksJob(database, { now: () => after(31) }).run({});
  assert.deepEqual(await count(), [0, 0]);
});
