import type { WebhookDeliveryDetail, WebhookDeliverySummary } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { WebhooksService } from "./webhooks.service.ts";
import * as store from "./webhooks.store.ts";

/** Log of the events sent to customers' servers. */
export class WebhookDeliveriesService {
  readonly #database: Database;
  readonly #webhooks: WebhooksService;

  constructor(database: Database, webhooks: WebhooksService) {
    this.#database = database;
    this.#webhooks = webhooks;
  }

  async list(organizationId: string, filter: store.DeliveryFilter) {
    return toPage(filter, await store.listEvents(this.#database, organizationId, filter), present);
  }

  async get(organizationId: string, id: string): Promise<WebhookDeliveryDetail> {
    const row = await store.findEventOf(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    const attempts = await store.listAttempts(this.#database, id);
    return { ...present(row), body: row.body, attemptLog: attempts.map(presentAttempt) };
  }

  async resend(organizationId: string, id: string): Promise<WebhookDeliverySummary> {
    return await this.#database.transaction(async (transaction) => {
      const row = await store.findEventOf(transaction, organizationId, id);
      if (row === undefined) throw new AppError("not_found");
      // The body of an event is unknown until its call is analyzed.
      if (row.body === null) throw new AppError("webhook_not_sent");
      await this.#webhooks.resend(transaction, row);
      return present(row);
    });
  }
}

function present(row: Omit<store.WebhookEventRow, "body">): WebhookDeliverySummary {
  const { id, type, subjectId, agentId, url, status, attempts, nextAttemptAt, createdAt } = row;
  const isOfMessage = type === "message.received";
  return {
    id,
    type,
    callId: isOfMessage ? null : subjectId,
    messageId: isOfMessage ? subjectId : null,
    agentId,
    url,
    status,
    attempts,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

function presentAttempt({ eventId: _eventId, startedAt, ...attempt }: store.WebhookAttemptRow) {
  return { ...attempt, startedAt: startedAt.toISOString() };
}
