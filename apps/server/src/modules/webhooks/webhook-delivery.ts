import type { Database } from "../../platform/database/database.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { PostCallWebhook } from "./post-call-webhook.ts";
import type { WebhookSender } from "./webhook-sender.ts";
import { buildBody, type DeliveryJob, type WebhooksService } from "./webhooks.service.ts";
import * as store from "./webhooks.store.ts";

export const DELIVERY_DEADLINE_MS = 10_000;

export interface WebhookDeliveryOptions {
  database: Database;
  sender: WebhookSender;
  webhooks: WebhooksService;
  calls: Pick<CallsService, "notePostCallWebhook">;
  postCall: Pick<PostCallWebhook, "buildData">;
}

/** Delivers events to customers' servers at least once, and stores each attempt. */
export class WebhookDelivery {
  readonly #options: WebhookDeliveryOptions;
  readonly #abort = new AbortController();

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options;
  }

  /** Makes one attempt. Rejects if its result could not be stored; the job then runs again. */
  async deliver(job: DeliveryJob): Promise<void> {
    const { database, sender, webhooks, calls } = this.#options;
    const event = await webhooks.find(database, job);
    if (event === undefined) return;
    const body = event.body ?? (await this.#build(event));
    if (body === undefined) return;
    const limits = { deadlineMs: DELIVERY_DEADLINE_MS, signal: this.#abort.signal };
    const { attempt } = await sender.send({ ...event, body }, limits);
    await database.transaction(async (transaction) => {
      const progress = await webhooks.record(transaction, job, attempt);
      if (progress !== undefined && event.type === "call.post")
        await calls.notePostCallWebhook(transaction, event.subjectId, progress);
    });
  }

  /**
   * Builds and stores the body of an event that was announced without one: only events of ended calls are. Returns the stored
   * body; `undefined` if the event was deleted with its call. The lock excludes a concurrent deletion of what the body contains.
   */
  async #build({ id, organizationId, subjectId }: store.WebhookEventRow): Promise<string | undefined> {
    const { database, postCall } = this.#options;
    return await database.transaction(async (transaction) => {
      const event = await store.lockEvent(transaction, id);
      if (event === undefined || event.body !== null) return event?.body ?? undefined;
      const body = buildBody(event, await postCall.buildData(transaction, organizationId, subjectId));
      await store.updateEvent(transaction, id, { body });
      return body;
    });
  }

  /** Aborts running attempts; their jobs run again, on this node or another. Idempotent. */
  close(): void {
    this.#abort.abort(new Error("the node is shutting down"));
  }
}
