import type { Database } from "../../platform/database/database.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import { type OutboundClient, OutboundError } from "../../platform/outbound-http/outbound-client.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { SigningSecretsService } from "./signing-secrets.service.ts";
import { signatureHeaders } from "./webhook-signature.rules.ts";
import type { AttemptOutcome, DeliveryJob, WebhooksService } from "./webhooks.service.ts";
import * as store from "./webhooks.store.ts";

const DEADLINE_MS = 10_000;
const LONGEST_KEPT_ANSWER = 2_000;

export interface WebhookDeliveryOptions {
  database: Database;
  client: OutboundClient;
  webhooks: WebhooksService;
  signingSecrets: SigningSecretsService;
  calls: Pick<CallsService, "describeEnded" | "noteWebhook">;
  now?: () => Date;
}

/** Tells customers' servers of events: at least once, and each attempt is written down. */
export class WebhookDelivery {
  readonly #options: WebhookDeliveryOptions;
  readonly #now: () => Date;
  readonly #abort = new AbortController();

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
  }

  /** Makes one attempt. Rejects where its outcome could not be written down; then it is to be run again. */
  async deliver(job: DeliveryJob): Promise<void> {
    const { database, webhooks, calls } = this.#options;
    const event = await store.findEvent(database, job.eventId);
    if (event === undefined || event.attempts !== job.attempt - 1) return;
    const outcome = await this.#attempt(event, event.body ?? (await this.#build(event)));
    await database.transaction(async (transaction) => {
      const progress = await webhooks.record(transaction, job, outcome);
      if (progress !== undefined) await calls.noteWebhook(transaction, event.subjectId, progress);
    });
  }

  async #build({ id, type, createdAt, organizationId, subjectId }: store.WebhookEventRow): Promise<string> {
    const data = await this.#options.calls.describeEnded(organizationId, subjectId);
    const body = JSON.stringify({ type, id, createdAt: createdAt.toISOString(), data });
    return await store.freezeBody(this.#options.database, id, body);
  }

  async #attempt(event: store.WebhookEventRow, body: string): Promise<AttemptOutcome> {
    const { client, signingSecrets } = this.#options;
    const secrets = await signingSecrets.findSecrets(event.organizationId);
    try {
      const answer = await client.send({
        method: "POST",
        url: event.url,
        headers: {
          "user-agent": "Parley",
          "content-type": "application/json",
          ...signatureHeaders({ id: event.id, body, at: this.#now() }, secrets),
        },
        body,
        deadlineMs: DEADLINE_MS,
        signal: this.#abort.signal,
      });
      const text = new TextDecoder().decode(answer.body.subarray(0, LONGEST_KEPT_ANSWER));
      const isDelivered = answer.status >= 200 && answer.status < 300;
      return {
        isDelivered,
        at: this.#now(),
        answerStatus: answer.status,
        answer: toStorableText(text),
        problem: isDelivered ? null : `HTTP status ${answer.status}`,
      };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const problem = toStorableText(error.message);
      return { isDelivered: false, at: this.#now(), answerStatus: null, answer: null, problem };
    }
  }

  /** Breaks off what is under way: it is run again, here or on another node. Idempotent. */
  close(): void {
    this.#abort.abort(new Error("the node is ending"));
  }
}
