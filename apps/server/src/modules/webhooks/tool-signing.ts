import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { SignRequest } from "../../custom-tools/webhook-tool.ts";
import type { SigningSecretsService } from "./signing-secrets.service.ts";
import { signatureHeaders } from "./webhook-signature.rules.ts";

/** A caller waits for what the tool answers. */
const DEADLINE_MS = 1_000;

export interface ToolSigningOptions {
  signingSecrets: Pick<SigningSecretsService, "findSecrets">;
  logger: Logger;
  clock: Clock;
}

/** Signs the requests of calls' tools with the organization's secrets of the moment. */
export class ToolSigning {
  readonly #options: ToolSigningOptions;
  readonly #clock: Clock;

  constructor(options: ToolSigningOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /**
   * For one call. Without a secret there are no headers. While the database is away, when nobody can change them, it goes
   * by the secrets that the call had before; never rejects.
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
    // What loses the race is nobody's business any more.
    late.catch(() => {});
    try {
      return await Promise.race([this.#options.signingSecrets.findSecrets(organizationId), late]);
    } finally {
      over.abort();
    }
  }
}
