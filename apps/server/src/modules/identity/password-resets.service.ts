import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Mailer } from "../../platform/mail/mailer.ts";
import { RESET_SECONDS, type AuthLibrary } from "./auth-library.ts";
import { findUserByEmail } from "./identity.store.ts";

const TOKEN_BYTES = 32;
/** Mails that are being sent. */
const MAX_SENDING = 20;

interface PasswordResetsDependencies {
  database: Database;
  clock: Clock;
  logger: Logger;
  mailer: Mailer;
  library: () => Promise<AuthLibrary>;
  origin: () => string;
}

/** Links that reset forgotten passwords. */
export class PasswordResetsService {
  readonly #dependencies: PasswordResetsDependencies;
  readonly #sending = new Set<Promise<void>>();

  constructor(dependencies: PasswordResetsDependencies) {
    this.#dependencies = dependencies;
  }

  get canSendMail(): boolean {
    return this.#dependencies.mailer.isConfigured;
  }

  /**
   * Sends a link to the address if it has an account. Returns before it looks the address up, so that the time of the
   * answer does not show whether there is an account. Throws `mail_not_configured` and `rate_limited`.
   */
  request(email: string): void {
    const { logger } = this.#dependencies;
    if (!this.canSendMail) throw new AppError("mail_not_configured");
    if (this.#sending.size >= MAX_SENDING) throw new AppError("rate_limited");
    const sending = this.#request(email)
      .catch((error: unknown) =>
        logger.warn({ err: error }, "sending a link for a forgotten password failed"),
      )
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Creates a link for the operator. Throws `not_found` if the address has no account. */
  async createLink(email: string): Promise<{ link: string; expiresAt: string }> {
    const { database, clock, library } = this.#dependencies;
    const user = await findUserByEmail(database, email.toLowerCase());
    if (user === undefined) throw new AppError("not_found", { message: "No user has this e-mail address." });
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const expiresAt = new Date(clock.now().getTime() + RESET_SECONDS * 1000);
    const { internalAdapter } = await (await library()).$context;
    await internalAdapter.createVerificationValue({
      identifier: `reset-password:${token}`,
      value: user.id,
      expiresAt,
    });
    return { link: this.#linkOf(token), expiresAt: expiresAt.toISOString() };
  }

  /** Called by the library, with the token of a requested reset. */
  async send(email: string, token: string): Promise<void> {
    const subject = "Reset your password on Parley";
    const text = `Somebody, probably you, asked to reset your password on Parley.\n\nChoose a new one within an hour:\n${this.#linkOf(token)}\n\nIf it was not you, do nothing: your password stays as it is.\n`;
    await this.#dependencies.mailer.send({ to: email, subject, text });
  }

  /** Waits for mails that are being sent. */
  async close(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #request(email: string): Promise<void> {
    const { api } = await this.#dependencies.library();
    await api.requestPasswordReset({ body: { email: email.toLowerCase() } });
  }

  #linkOf(token: string): string {
    return `${this.#dependencies.origin()}/reset-password#token=${token}`;
  }
}
