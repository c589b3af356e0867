import { AppError } from "../../platform/app-error.ts";
import { AttemptLimit } from "../../platform/http/attempt-limit.ts";
import { sourceOf } from "../../platform/http/failed-attempts.ts";

/**
 * Limits failed attempts to sign in, sign up and confirm a password, on each node. Attempts are counted before the work,
 * so that concurrent guesses count too; successful ones are taken back.
 */
export class AuthLimits {
  /** An address may be that of a whole office. */
  readonly #ofAddress: AttemptLimit;
  readonly #ofAccount: AttemptLimit;
  /** Mails that strangers cause. */
  readonly #ofMail: AttemptLimit;

  constructor(nowMs?: () => number) {
    this.#ofAddress = new AttemptLimit({ burst: 30, intervalMs: 2_000, nowMs });
    this.#ofAccount = new AttemptLimit({ burst: 10, intervalMs: 30_000, nowMs });
    this.#ofMail = new AttemptLimit({ burst: 3, intervalMs: 300_000, nowMs });
  }

  /**
   * Runs an attempt. Throws `rate_limited`.
   *
   * @param account E-mail address, whether or not it has an account.
   */
  async attempt<T>(address: string, account: string | undefined, work: () => Promise<T>): Promise<T> {
    const source = sourceOf(address);
    require(this.#ofAddress.take(source), "from this address");
    const key = account?.toLowerCase();
    if (key !== undefined) require(this.#ofAccount.take(key), "for this account");
    const result = await work();
    this.#ofAddress.giveBack(source);
    if (key !== undefined) this.#ofAccount.giveBack(key);
    return result;
  }

  /** Counts a request for a mail. Throws `rate_limited`. */
  countMail(address: string, account: string): void {
    require(this.#ofAddress.take(sourceOf(address)), "from this address");
    require(this.#ofMail.take(account.toLowerCase()), "for this account");
  }
}

function require(waitMs: number, what: string): void {
  if (waitMs === 0) return;
  throw new AppError("rate_limited", {
    message: `Too many attempts ${what}. Retry after the time in the Retry-After header.`,
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
