import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { sourceOf } from "../../platform/http/failed-attempts.ts";
import { AttemptLimiter } from "../../platform/rate-limit/attempt-limiter.ts";

/**
 * Limits failed attempts to sign in, sign up and confirm a password, over all nodes. Attempts are counted before the work,
 * so that concurrent guesses count too; successful ones are taken back.
 */
export class AuthLimits {
  /** An address may be that of a whole office. */
  readonly #ofAddress: AttemptLimiter;
  readonly #ofAccount: AttemptLimiter;
  /** Mails that strangers cause. */
  readonly #ofMail: AttemptLimiter;

  constructor(database: Database, clock: Clock) {
    const create = (name: string, burst: number, intervalMs: number): AttemptLimiter =>
      new AttemptLimiter(database, clock, { name, burst, intervalMs });
    this.#ofAddress = create("sign-in of address", 30, 2_000);
    this.#ofAccount = create("sign-in of account", 10, 30_000);
    this.#ofMail = create("mail to account", 3, 300_000);
  }

  /**
   * Runs an attempt. Throws `rate_limited`.
   *
   * @param account E-mail address, whether or not it has an account.
   */
  async attempt<T>(address: string, account: string | undefined, work: () => Promise<T>): Promise<T> {
    const source = sourceOf(address);
    requireNoWait(await this.#ofAddress.take(source), "from this address");
    const key = account?.toLowerCase();
    if (key !== undefined) requireNoWait(await this.#ofAccount.take(key), "for this account");
    const result = await work();
    await this.#ofAddress.giveBack(source);
    if (key !== undefined) await this.#ofAccount.giveBack(key);
    return result;
  }

  /** Counts a request for a mail. Throws `rate_limited`. */
  async countMail(address: string, account: string): Promise<void> {
    requireNoWait(await this.#ofAddress.take(sourceOf(address)), "from this address");
    requireNoWait(await this.#ofMail.take(account.toLowerCase()), "for this account");
  }
}

function requireNoWait(waitMs: number, what: string): void {
  if (waitMs === 0) return;
  throw new AppError("rate_limited", {
    message: `Too many attempts ${what}. Retry after the time in the Retry-After header.`,
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
