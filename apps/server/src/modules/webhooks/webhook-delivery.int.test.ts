import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import { text } from "node:stream/consumers";
import test, { type TestContext } from "node:test";
import { Webhook } from "standardwebhooks";
import { Jobs } from "../../platform/jobs/jobs.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import { CallsService } from "../calls/calls.service.ts";
import { createTestServer } from "../testing.ts";
import { WebhookDelivery } from "./webhook-delivery.ts";
import { deleteOldWebhooksJob, deliverWebhooksJob } from "./webhooks.jobs.ts";
import { type DeliveryJob, WebhooksService } from "./webhooks.service.ts";
import { webhookEvents } from "./webhooks.tables.ts";

const MINUTE_MS = 60_000;
const END = { status: "completed", endReason: "user_hangup" } as const;

interface Enqueued {
  data: DeliveryJob;
  startAfter: Date | undefined;
}

/** A call whose agent names a server that answers as told, and the jobs that its end leaves, to be run by hand. */
async function open(t: TestContext, respond: (response: ServerResponse) => void) {
  const server = await createTestServer();
  const { organizationId, database, modules } = server;
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ headers: request.headers, body });
      respond(response);
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  assert.ok(typeof address === "object" && address !== null);
  const clock = { now: new Date() };
  const jobs: Enqueued[] = [];
  const queue = {
    enqueue: async (_transaction: unknown, _kind: unknown, data: object, startAfter?: Date) =>
      void jobs.push({ data: data as DeliveryJob, startAfter }),
  };
  const webhooks = new WebhooksService(queue);
  const calls = new CallsService(database, modules.conversations, webhooks);
  const client = new OutboundClient({ isPrivateAllowed: true });
  const { signingSecrets } = modules;
  const parts = { database, client, signingSecrets, calls, webhooks };
  const delivery = new WebhookDelivery({ ...parts, now: () => clock.now });
  t.after(async () => {
    await client.close();
    receiver.closeAllConnections();
    receiver.close();
    await server.close();
  });
  const trunk = await modules.sipTrunks.create(organizationId, { friendlyName: "Trunk" });
  const agent = await modules.agents.create(server, { name: "Ada", sipTrunkId: trunk.id });
  const number = await modules.phoneNumbers.add(server, agent.id, { e164: "+14155550123" });
  const openCall = async (): Promise<string> => {
    const { callId } = await calls.openInbound({
      organizationId,
      agentId: agent.id,
      agentRevision: 3,
      configurationRevision: 3,
      environment: "staging",
      phoneNumberId: number.id,
      sipTrunkId: trunk.id,
      fromNumber: null,
      toNumber: "+14155550123",
      nodeId: "node",
      sipCallId: randomUUID(),
      variables: { customer: "Ada" },
      postCallWebhookUrl: `http://127.0.0.1:${address.port}/calls`,
      at: clock.now,
    });
    return callId;
  };
  const progressOf = async (id: string) => {
    const { postCallWebhookStatus, postCallWebhookAttempts } = await calls.get(organizationId, id);
    return [postCallWebhookStatus, postCallWebhookAttempts];
  };
  const runNext = async (): Promise<Enqueued> => {
    const job = jobs.shift();
    assert.ok(job !== undefined);
    clock.now = job.startAfter ?? clock.now;
    await delivery.deliver(job.data);
    return job;
  };
  return { ...parts, server, requests, receiver, clock, jobs, openCall, progressOf, runNext, delivery };
}

test("the end of a call is told once, signed by both secrets of a rotation, with what the call was", async (t) => {
  const { server, calls, signingSecrets, requests, clock, jobs, openCall, progressOf, runNext, delivery } =
    await open(t, (response) => void response.end("thanks"));
  const secrets = [
    (await signingSecrets.rotate(server.organizationId)).secret,
    (await signingSecrets.rotate(server.organizationId)).secret,
  ];
  const id = await openCall();
  assert.deepEqual(await progressOf(id), [null, 0]);
  await calls.finish(id, { ...END, endedAt: clock.now });
  assert.equal(await calls.finish(id, { ...END, endedAt: clock.now }), false);
  assert.equal(jobs.length, 1);
  assert.deepEqual(await progressOf(id), ["pending", 0]);
  const { data: job } = await runNext();
  await delivery.deliver(job);
  assert.deepEqual(await progressOf(id), ["delivered", 1]);
  assert.deepEqual([requests.length, jobs.length], [1, 0]);
  const [request] = requests;
  assert.ok(request !== undefined);
  const headers: Record<string, string> = JSON.parse(JSON.stringify(request.headers));
  for (const secret of secrets) new Webhook(secret).verify(request.body, headers);
  const { type, id: eventId, data } = JSON.parse(request.body);
  assert.deepEqual([type, eventId], ["call.post", headers["webhook-id"]]);
  assert.deepEqual([data.id, data.agentRevision, data.environment], [id, 3, "staging"]);
  assert.deepEqual([data.endReason, data.variables], ["user_hangup", { customer: "Ada" }]);
});

test("what is not taken is sent again after 1, 5 and 30 minutes, the same each time, and then given up", async (t) => {
  const { calls, requests, clock, jobs, openCall, progressOf, runNext } = await open(
    t,
    (response) => void response.writeHead(500).end("no"),
  );
  const id = await openCall();
  await calls.finish(id, { ...END, endedAt: clock.now });
  await runNext();
  for (const [index, minutes] of [1, 5, 30].entries()) {
    assert.deepEqual(await progressOf(id), ["pending", index + 1]);
    const failedAt = clock.now.getTime();
    const { startAfter } = await runNext();
    assert.equal(startAfter?.getTime(), failedAt + minutes * MINUTE_MS);
  }
  assert.deepEqual(await progressOf(id), ["failed", 4]);
  assert.equal(jobs.length, 0);
  assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
  assert.equal(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, 1);
  assert.equal(new Set(requests.map(({ headers }) => headers["webhook-timestamp"])).size, 4);
});

test("a server that refuses or hangs has failed; of an answer of 10 MB only the beginning is kept", async (t) => {
  let respond = (_response: ServerResponse): void => {};
  const { database, calls, receiver, clock, openCall, progressOf, runNext } = await open(t, (response) =>
    respond(response),
  );
  const id = await openCall();
  await calls.finish(id, { ...END, endedAt: clock.now });
  await runNext();
  assert.deepEqual(await progressOf(id), ["pending", 1]);
  respond = (response) => void response.end("x".repeat(10_000_000));
  await runNext();
  assert.deepEqual(await progressOf(id), ["delivered", 2]);
  assert.equal((await database.select().from(webhookEvents))[0]?.answer?.length, 2_000);
  receiver.closeAllConnections();
  receiver.close();
  const other = await openCall();
  await calls.finish(other, { ...END, endedAt: clock.now });
  await runNext();
  assert.deepEqual(await progressOf(other), ["pending", 1]);
});

test("a job of the real queue delivers, and an end that is rolled back is never told", async (t) => {
  const delivered = Promise.withResolvers<void>();
  const { server, database, client, signingSecrets, requests, openCall } = await open(t, (response) => {
    response.end();
    delivered.resolve();
  });
  const { connectionString, modules } = server;
  const jobs = await Jobs.start({ connectionString, logger: createLogger({ level: "silent" }) });
  const webhooks = new WebhooksService(jobs);
  const calls = new CallsService(database, modules.conversations, webhooks);
  const delivery = new WebhookDelivery({ database, client, webhooks, signingSecrets, calls });
  await jobs.work(deliverWebhooksJob(delivery));
  const event = {
    organizationId: server.organizationId,
    type: "call.post",
    url: "http://127.0.0.1:9",
  } as const;
  const rolledBack = database.transaction(async (transaction) => {
    await webhooks.announce(transaction, { ...event, subjectId: randomUUID() }, new Date());
    throw new Error("changed its mind");
  });
  await assert.rejects(rolledBack, /changed its mind/);
  await calls.finish(await openCall(), { ...END, endedAt: new Date() });
  await delivered.promise;
  await jobs.close();
  assert.equal(requests.length, 1);
  assert.equal((await database.select().from(webhookEvents)).length, 1);
});

test("an event is kept for thirty days", async (t) => {
  const { database, calls, clock, openCall } = await open(t, (response) => void response.end());
  await calls.finish(await openCall(), { ...END, endedAt: clock.now });
  const count = async (): Promise<number> => (await database.select().from(webhookEvents)).length;
  const after = (days: number): Date => new Date(clock.now.getTime() + days * 24 * 60 * MINUTE_MS);
  await deleteOldWebhooksJob(database, () => after(29)).run({});
  assert.equal(await count(), 1);
  await deleteOldWebhooksJob(database, () => after(31)).run({});
  assert.equal(await count(), 0);
});
