import { randomUUID } from "node:crypto";
import type { TestableWebhookType, WebhookTest } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { SavedAgent } from "../agents/agent-state.rules.ts";
import { PRE_CALL_DEADLINE_MS } from "./pre-call-webhook.ts";
import { readPreCallAnswer } from "./pre-call-answer.rules.ts";
import { sampleCallPost, sampleCallPre } from "./sample-event.rules.ts";
import { DELIVERY_DEADLINE_MS } from "./webhook-delivery.ts";
import type { WebhookSender } from "./webhook-sender.ts";
import { buildBody } from "./webhooks.service.ts";

const settings = {
  "call.pre": { field: "preCallWebhookUrl", deadlineMs: PRE_CALL_DEADLINE_MS, sample: sampleCallPre },
  "call.post": { field: "postCallWebhookUrl", deadlineMs: DELIVERY_DEADLINE_MS, sample: sampleCallPost },
} as const;

export interface WebhookTestsOptions {
  sender: Pick<WebhookSender, "send">;
  agents: Pick<AgentsService, "read">;
  clock: Clock;
}

/** Sends sample events to agents' webhooks, with the code that sends the real ones. */
export class WebhookTests {
  readonly #options: WebhookTestsOptions;
  readonly #closing = new AbortController();

  constructor(options: WebhookTestsOptions) {
    this.#options = options;
  }

  /** Throws `invalid_body` if there is no such agent, or it has no URL for the event. */
  async test(organizationId: string, agentId: string, type: TestableWebhookType): Promise<WebhookTest> {
    const { sender, clock } = this.#options;
    const { field, deadlineMs, sample } = settings[type];
    const agent = await this.#readAgent(organizationId, agentId);
    const url = agent.document[field];
    if (url === null) throw invalidBody("type", `the agent has no ${field}`);
    const now = clock.now();
    const id = randomUUID();
    const body = buildBody({ id, type, createdAt: now }, sample(agent, now));
    const limits = { deadlineMs, signal: this.#closing.signal };
    const { attempt, answer } = await sender.send({ id, organizationId, url, body }, limits);
    const reading = type === "call.pre" && answer !== undefined ? readPreCallAnswer(answer) : undefined;
    return {
      id,
      type,
      url,
      body,
      ...attempt,
      startedAt: attempt.startedAt.toISOString(),
      preCallAnswer: reading?.answer ?? null,
      preCallProblems: reading?.problems ?? [],
    };
  }

  async #readAgent(organizationId: string, agentId: string): Promise<SavedAgent> {
    try {
      return await this.#options.agents.read(organizationId, agentId);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      throw invalidBody("agentId", "must be the id of an agent of this organization");
    }
  }

  /** Aborts running tests. Idempotent. */
  close(): void {
    this.#closing.abort(new Error("the node is shutting down"));
  }
}
