import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import test from "node:test";
import type { WebhookDeliveryDetail } from "@parley/contract";
import { isSigned, openDeliveries } from "./testing.ts";

const refuse = (response: ServerResponse): void => void response.writeHead(500).end("no");
const accept = (response: ServerResponse): void => void response.end("yes");
const everything = { page: 1, pageSize: 100, sort: "asc" } as const;

/** The one delivery of a call. */
async function find(
  { deliveries, organizationId }: Awaited<ReturnType<typeof openDeliveries>>,
  callId: string,
): Promise<WebhookDeliveryDetail> {
  const { data, total } = await deliveries.list(organizationId, { ...everything, callId });
  assert.equal(total, 1);
  return await deliveries.get(organizationId, data[0]?.id ?? "");
}

test("the log contains each event, its time, the result of each attempt, and the time of the next", async (t) => {
  const all = await openDeliveries(t, refuse);
  const callId = await all.openCall();
  const endedAt = all.clock.now;
  await all.endCall(callId);
  const waiting = await find(all, callId);
  assert.deepEqual([waiting.status, waiting.attempts, waiting.attemptLog], ["pending", 0, []]);
  assert.equal(waiting.nextAttemptAt, endedAt.toISOString());
  await all.runNext();
  all.receiver.respond = accept;
  const dueAt = all.jobs[0]?.startAfter?.toISOString();
  assert.equal((await find(all, callId)).nextAttemptAt, dueAt);
  await all.runNext();
  const delivery = await find(all, callId);
  const { type, messageId, url, status, attempts, nextAttemptAt, body, attemptLog } = delivery;
  assert.deepEqual([type, messageId, url], ["call.post", null, all.receiver.url]);
  assert.deepEqual([status, attempts, nextAttemptAt], ["delivered", 2, null]);
  assert.equal(body, all.receiver.requests[0]?.body);
  const [first, second] = attemptLog;
  assert.deepEqual([first?.answerStatus, first?.answer, first?.problem], [500, "no", "HTTP status 500"]);
  assert.deepEqual([second?.answerStatus, second?.answer, second?.problem], [200, "yes", null]);
  assert.deepEqual([second?.startedAt, second?.isResend], [dueAt, false]);
});

test("the log is filtered by type, status, call and time, and limited to the organization", async (t) => {
  const all = await openDeliveries(t, accept);
  const { deliveries, organizationId, clock } = all;
  const delivered = await all.openCall();
  await all.endCall(delivered);
  await all.runNext();
  clock.now = new Date(clock.now.getTime() + 60_000);
  const pending = await all.openCall();
  await all.endCall(pending);
  const list = async (filter: object, of = organizationId): Promise<(string | null)[]> =>
    (await deliveries.list(of, { ...everything, ...filter })).data.map(({ callId }) => callId);
  assert.deepEqual(await list({}), [delivered, pending]);
  assert.deepEqual(await list({ status: "delivered" }), [delivered]);
  assert.deepEqual(await list({ type: "call.post", status: "pending" }), [pending]);
  assert.deepEqual(await list({ type: "call.pre" }), []);
  assert.deepEqual(await list({ callId: pending }), [pending]);
  assert.deepEqual(await list({ createdAfter: clock.now.toISOString() }), [pending]);
  assert.deepEqual(await list({ createdBefore: clock.now.toISOString() }), [delivered]);
  const { organizationId: other } = await all.server.createOrganization();
  assert.deepEqual(await list({}, other), []);
  const { id } = await find(all, delivered);
  await assert.rejects(deliveries.get(other, id), { code: "not_found" });
  await assert.rejects(deliveries.resend(other, id), { code: "not_found" });
});

test("a resent event is the same event, signed anew, and does not count as an attempt of the call", async (t) => {
  const all = await openDeliveries(t, accept);
  const { deliveries, organizationId, receiver, signingSecrets } = all;
  const callId = await all.openCall();
  await all.endCall(callId);
  await all.runNext();
  const { id } = await find(all, callId);
  await signingSecrets.rotate(organizationId);
  assert.equal((await deliveries.resend(organizationId, id)).status, "delivered");
  const job = await all.runNext();
  await all.delivery.deliver(job.data);
  const [first, second, third] = receiver.requests;
  assert.ok(first !== undefined && second !== undefined && third === undefined);
  assert.deepEqual([second.body, second.headers["webhook-id"]], [first.body, first.headers["webhook-id"]]);
  assert.deepEqual([isSigned(first), isSigned(second)], [false, true]);
  assert.deepEqual(await all.progressOf(callId), ["delivered", 1]);
  const { attempts, attemptLog } = await find(all, callId);
  assert.deepEqual([attempts, attemptLog.map(({ isResend }) => isResend)], [1, [false, true]]);
  receiver.respond = refuse;
  await deliveries.resend(organizationId, id);
  await all.runNext();
  assert.deepEqual(await all.progressOf(callId), ["delivered", 1]);
  assert.equal(all.jobs.length, 0);
});

test("a resend that succeeds marks a failed event as delivered and cancels further attempts", async (t) => {
  const all = await openDeliveries(t, refuse);
  const { deliveries, organizationId, receiver } = all;
  const [givenUp, waiting] = [await all.openCall(), await all.openCall()];
  await all.endCall(givenUp);
  for (let attempt = 1; attempt <= 4; attempt += 1) await all.runNext();
  assert.deepEqual(await all.progressOf(givenUp), ["failed", 4]);
  await all.endCall(waiting);
  await all.runNext();
  const [retry] = all.jobs.splice(0);
  assert.ok(retry !== undefined);
  receiver.respond = accept;
  for (const callId of [givenUp, waiting]) {
    await deliveries.resend(organizationId, (await find(all, callId)).id);
    await all.runNext();
  }
  assert.deepEqual(await all.progressOf(givenUp), ["delivered", 4]);
  assert.deepEqual(await all.progressOf(waiting), ["delivered", 1]);
  const sent = receiver.requests.length;
  await all.delivery.deliver(retry.data);
  assert.equal(receiver.requests.length, sent);
});

test("an event that was not yet sent cannot be resent", async (t) => {
  const all = await openDeliveries(t, accept);
  const callId = await all.openCall();
  await all.endCall(callId);
  const { id, body } = await find(all, callId);
  assert.equal(body, null);
  await assert.rejects(all.deliveries.resend(all.organizationId, id), { code: "webhook_not_sent" });
  await assert.rejects(all.deliveries.resend(all.organizationId, randomUUID()), { code: "not_found" });
});
