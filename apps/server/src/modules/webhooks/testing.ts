/**
 * For tests: a customer's server, the documented recipes for verifying its requests, and deliveries run step by step.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { Webhook } from "standardwebhooks";
import { type JobQueue, Jobs } from "../../platform/jobs/jobs.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import { CallsService } from "../calls/calls.service.ts";
import { createTestLine, createTestServer, inboundCall, type TestServer } from "../testing.ts";
import { PostCallWebhook } from "./post-call-webhook.ts";
import { WebhookDeliveriesService } from "./webhook-deliveries.service.ts";
import { WebhookDelivery } from "./webhook-delivery.ts";
import { WebhookSender } from "./webhook-sender.ts";
import { deliverWebhooksJob } from "./webhooks.jobs.ts";
import { type DeliveryJob, WebhooksService } from "./webhooks.service.ts";

export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Respond = (response: ServerResponse) => void;

interface Receiver {
  url: string;
  requests: ReceivedRequest[];
  respond: Respond;
  /** Refuses connections from now on. */
  stop: () => void;
}

export async function startReceiver(t: TestContext, respond: Respond): Promise<Receiver> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url = "", headers } = request;
      receiver.requests.push({ method, url, headers, body });
      receiver.respond(response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}/hook`,
    requests: [],
    respond,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  t.after(() => receiver.stop());
  return receiver;
}

/** Whether the request was signed with the secret, by the public library and by the recipe in our documentation. */
export function isSignedWith(
  secret: string,
  { method, url = "", headers, body: sent }: SignedContent & Partial<ReceivedRequest>,
): boolean {
  const content = headers["x-parley-signed-content"];
  const body = content === undefined ? sent : Buffer.from(String(content), "base64url").toString();
  if (content !== undefined) {
    const [path, query = ""] = url.split("?");
    assert.deepEqual(JSON.parse(body), { method, path, query });
  }
  const verdicts = [isStandard(secret, { headers, body }), isOurs(secret, { headers, body })];
  assert.equal(verdicts[0], verdicts[1], "both signatures say the same");
  return verdicts[0] === true;
}

export function isSigned({ headers }: ReceivedRequest): boolean {
  return headers["x-service-signature"] !== undefined || headers["webhook-signature"] !== undefined;
}

type SignedContent = Pick<ReceivedRequest, "headers" | "body">;

function isStandard(secret: string, { headers, body }: SignedContent): boolean {
  try {
    const plain: Record<string, string> = JSON.parse(JSON.stringify(headers));
    new Webhook(secret).verify(body, plain);
    return true;
  } catch {
    return false;
  }
}

function isOurs(secret: string, { headers, body }: SignedContent): boolean {
  const parts = String(headers["x-service-signature"]).split(",");
  const time = parts.find((part) => part.startsWith("t="))?.slice(2);
  const expected = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  return parts.includes(`v1=${expected}`);
}

export interface Enqueued {
  data: DeliveryJob;
  startAfter: Date | undefined;
}

/** Calls whose ends are announced with `webhooks`, and the delivery of these events. */
function deliverBy(
  { database, modules: { conversations, recordings } }: TestServer,
  webhooks: WebhooksService,
  sender: WebhookSender,
) {
  const calls = new CallsService(database, {
    conversations,
    recordingLinks: recordings,
    quota: { requireRoom: async () => {} },
  });
  const postCall = new PostCallWebhook({ calls, recordings, webhooks });
  postCall.subscribe();
  return { calls, delivery: new WebhookDelivery({ database, sender, webhooks, calls, postCall }) };
}

function queueInto(jobs: Enqueued[]): JobQueue {
  return {
    enqueue: async (_transaction, _kind, data, { startAfter } = {}) =>
      void jobs.push({ data: JSON.parse(JSON.stringify(data)), startAfter }),
  };
}

async function startQueue(server: TestServer, sender: WebhookSender) {
  const { connectionString, modules } = server;
  const queue = await Jobs.start({ connectionString, logger: createLogger({ level: "silent" }) });
  const webhooks = new WebhooksService(queue, modules.organizationLimits);
  const { calls, delivery } = deliverBy(server, webhooks, sender);
  await queue.work(deliverWebhooksJob(delivery));
  const close = async (): Promise<void> => {
    delivery.close();
    await queue.close();
  };
  return { webhooks, calls, close };
}

/**
 * Creates a call whose agent names a server that answers with `respond`, and the jobs of its end, which the test runs.
 */
export async function openDeliveries(t: TestContext, respond: Respond) {
  const server = await createTestServer();
  t.after(async () => await server.close());
  const { organizationId, database, modules } = server;
  const client = new OutboundClient({ isPrivateAllowed: true });
  t.after(async () => await client.close());
  const receiver = await startReceiver(t, respond);
  const clock = { now: new Date() };
  const jobs: Enqueued[] = [];
  const webhooks = new WebhooksService(queueInto(jobs), modules.organizationLimits);
  const { signingSecrets } = modules;
  const sender = new WebhookSender({ client, signingSecrets, clock: { now: () => clock.now } });
  const { calls, delivery } = deliverBy(server, webhooks, sender);
  const deliveries = new WebhookDeliveriesService(database, webhooks);
  const line = await createTestLine(server);
  const openCall = async (): Promise<string> => {
    const call = inboundCall(organizationId, {
      ...line,
      agentRevision: 3,
      configurationRevision: 3,
      environment: "staging",
      variables: { customer: "Ada" },
      postCallWebhookUrl: receiver.url,
      at: clock.now,
    });
    return (await calls.openInbound(call)).callId;
  };
  return {
    server,
    organizationId,
    database,
    client,
    receiver,
    clock,
    jobs,
    webhooks,
    calls,
    signingSecrets,
    sender,
    delivery,
    deliveries,
    openCall,
    endCall: async (id: string): Promise<boolean> =>
      await calls.finish(id, { status: "completed", endReason: "user_hangup", endedAt: clock.now }),
    progressOf: async (id: string) => {
      const { postCallWebhookStatus, postCallWebhookAttempts } = await calls.get(organizationId, id);
      return [postCallWebhookStatus, postCallWebhookAttempts];
    },
    /** Runs the jobs in the real queue. */
    startQueue: async () => await startQueue(server, sender),
    /** Runs the next job at its due time. */
    runNext: async (): Promise<Enqueued> => {
      const job = jobs.shift();
      assert.ok(job !== undefined);
      clock.now = job.startAfter ?? clock.now;
      await delivery.deliver(job.data);
      return job;
    },
  };
}
