import type { Clock } from "../../platform/clock.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import {
  type OutboundAnswer,
  type OutboundClient,
  OutboundError,
} from "../../platform/outbound-http/outbound-client.ts";
import type { SigningSecretsService } from "./signing/signing-secrets.service.ts";
import { signatureHeaders } from "./signing/webhook-signature.rules.ts";
import type { WebhookAttempt } from "./webhooks.service.ts";

const MAX_STORED_ANSWER_CHARACTERS = 2_000;

export interface WebhookSenderOptions {
  client: OutboundClient;
  signingSecrets: Pick<SigningSecretsService, "findSecrets">;
  clock: Clock;
}

export interface WebhookMessage {
  id: string;
  organizationId: string;
  url: string;
  body: string;
}

/** Sends the request of a webhook, signed with the secrets that are valid at that time. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #clock: Clock;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /** Resolves with the result of the attempt. Rejects with the signal's reason, or if the secrets cannot be read. */
  async send(
    { id, organizationId, url, body }: WebhookMessage,
    { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal },
  ): Promise<{ attempt: WebhookAttempt; answer: OutboundAnswer | undefined }> {
    const { client, signingSecrets } = this.#options;
    const secrets = await signingSecrets.findSecrets(organizationId);
    const startedAt = this.#clock.now();
    const startedMs = performance.now();
    const headers = {
      "user-agent": "Parley",
      "content-type": "application/json",
      ...signatureHeaders({ id, body, at: startedAt }, secrets),
    };
    const outcome = await client
      .send({ method: "POST", url, headers, body, deadlineMs, signal })
      .catch((error: unknown) => {
        if (error instanceof OutboundError) return error;
        throw error;
      });
    const durationMs = Math.round(performance.now() - startedMs);
    return { attempt: { startedAt, durationMs, ...describe(outcome) }, answer: answerIn(outcome) };
  }
}

function answerIn(outcome: OutboundAnswer | OutboundError): OutboundAnswer | undefined {
  return outcome instanceof OutboundError ? undefined : outcome;
}

function describe(
  outcome: OutboundAnswer | OutboundError,
): Pick<WebhookAttempt, "answerStatus" | "answer" | "problem"> {
  if (outcome instanceof OutboundError)
    return { answerStatus: null, answer: null, problem: toStorableText(outcome.message) };
  const { status, body } = outcome;
  // A character has at most four bytes; one that is cut becomes a replacement character.
  const text = new TextDecoder().decode(body.subarray(0, 4 * MAX_STORED_ANSWER_CHARACTERS));
  return {
    answerStatus: status,
    answer: toStorableText(text.slice(0, MAX_STORED_ANSWER_CHARACTERS)),
    problem: status >= 200 && status < 300 ? null : `HTTP status ${status}`,
  };
}
