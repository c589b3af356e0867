import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { SignRequest } from "../../../custom-tools/webhook-tool.ts";
import type { SigningSecretsService } from "./signing-secrets.service.ts";
import { signatureHeaders } from "./webhook-signature.rules.ts";

/** The caller waits for the tool's answer. */
const DEADLINE_MS = 1_000;

export interface ToolSigningOptions {
  signingSecrets: Pick<SigningSecretsService, "findSecrets">;
  logger: Logger;
  clock: Clock;
}

/** Signs requests of calls' tools with the organization's current secrets. */
export class ToolSigning {
  readonly #options: ToolSigningOptions;
  readonly #clock: Clock;

  constructor(options: ToolSigningOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /**
   * Returns the signer of one call. Without a secret it adds no headers. While the database is unavailable, and secrets
   * cannot change, it uses the call's last known secrets. Never rejects.
   */
  signerFor(organizationId: string): SignRequest {
    let secrets: readonly string[] = [];
    return async ({ id, body }) => {
      try {
        secrets = await this.#findSecrets(organizationId);
      } catch (error) {
        this.#options.logger.warn({ err: error, organizationId }, "reading signing secrets failed");
      }
      return secrets.length === 0 ? {} : signatureHeaders({ id, body, at: this.#clock.now() }, secrets);
    };
  }

  async #findSecrets(organizationId: string): Promise<readonly string[]> {
    const over = new AbortController();
    const late = sleep(DEADLINE_MS, undefined, { signal: over.signal }).then(() => {
      throw new Error(`no answer within ${DEADLINE_MS} ms`);
    });
    // Rejects after the race too, when its timer is aborted: that is not an unhandled rejection.
    late.catch(() => {});
    try {
      return await Promise.race([this.#options.signingSecrets.findSecrets(organizationId), late]);
    } finally {
      over.abort();
    }
  }
}
