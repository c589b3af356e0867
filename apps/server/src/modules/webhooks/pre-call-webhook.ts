import { randomUUID } from "node:crypto";
import type { CallPreData } from "@parley/contract";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { type PreCallReading, readPreCallAnswer } from "./pre-call-answer.rules.ts";
import type { WebhookSender } from "./webhook-sender.ts";
import { buildBody, type ToldEvent, type WebhookAttempt, type WebhooksService } from "./webhooks.service.ts";

export const PRE_CALL_DEADLINE_MS = 5_000;

export interface PreCallQuestion {
  organizationId: string;
  url: string;
  data: CallPreData;
}

export interface PreCallWebhookOptions {
  database: Database;
  sender: WebhookSender;
  webhooks: WebhooksService;
  logger: Logger;
  clock: Clock;
}

/** Asks a customer's server how to handle a call that is about to be answered or placed. */
export class PreCallWebhook {
  readonly #options: PreCallWebhookOptions;
  readonly #clock: Clock;

  constructor(options: PreCallWebhookOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /** Never rejects: without a usable answer the call continues without it. Ends early if the call ends. */
  async ask({ organizationId, url, data }: PreCallQuestion, signal: AbortSignal): Promise<PreCallReading> {
    const facts = { id: randomUUID(), type: "call.pre" as const, createdAt: this.#clock.now() };
    const event = {
      ...facts,
      organizationId,
      subjectId: data.id,
      agentId: data.agentId,
      url,
      body: buildBody(facts, data),
    };
    try {
      const { attempt, answer } = await this.#options.sender.send(event, {
        deadlineMs: PRE_CALL_DEADLINE_MS,
        signal,
      });
      const reading =
        answer === undefined
          ? { answer: {}, problems: [attempt.problem ?? "no answer"] }
          : readPreCallAnswer(answer);
      await this.#log(event, attempt);
      return reading;
    } catch (error) {
      if (signal.aborted) await this.#log(event, this.#brokenOff(event));
      else this.#options.logger.error({ err: error, callId: data.id }, "sending a pre-call webhook failed");
      return { answer: {}, problems: ["the request could not be sent"] };
    }
  }

  async #log(event: ToldEvent, attempt: WebhookAttempt): Promise<void> {
    const { database, webhooks, logger } = this.#options;
    const written = database.transaction(
      async (transaction) => await webhooks.log(transaction, event, attempt),
    );
    await written.catch((error: unknown) =>
      logger.error({ err: error, webhookId: event.id }, "storing a pre-call webhook failed"),
    );
  }

  #brokenOff({ createdAt }: ToldEvent): WebhookAttempt {
    return {
      startedAt: createdAt,
      durationMs: this.#clock.now().getTime() - createdAt.getTime(),
      answerStatus: null,
      answer: null,
      problem: "the call ended before the answer arrived",
    };
  }
}
