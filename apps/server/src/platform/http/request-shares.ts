import type { OrganizationLimits } from "@parley/contract";
import { AppError } from "../app-error.ts";
import { Shares } from "../shares.ts";

/** Requests that may wait, per request that may run. */
const WAITING_PER_RUNNING = 10;
const RETRY_AFTER_SECONDS = 1;

export type FindRequestLimit = (
  organizationId: string,
) => Promise<Pick<OrganizationLimits, "concurrentRequests">>;

/** Bounds the requests of each organization that this node handles at once (`concurrentRequests`). */
export class RequestShares {
  readonly #shares = new Shares();
  readonly #findLimits: FindRequestLimit;

  constructor(findLimits: FindRequestLimit) {
    this.#findLimits = findLimits;
  }

  /** Throws `rate_limited` if too many requests of the organization wait. Returns how many may run at once. */
  async requireRoom(organizationId: string): Promise<number> {
    const { concurrentRequests } = await this.#findLimits(organizationId);
    if (this.#shares.countWaiting(organizationId) < WAITING_PER_RUNNING * concurrentRequests)
      return concurrentRequests;
    throw new AppError("rate_limited", {
      message:
        `The organization sends more requests at once than this node handles for it (${concurrentRequests}), and too many wait. ` +
        "Retry after the time in the Retry-After header, or ask the operator to raise the limit concurrentRequests.",
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /** Waits until the organization may have another request handled. The caller disposes the share. */
  async take(organizationId: string): Promise<Disposable> {
    return await this.#shares.take(organizationId, await this.requireRoom(organizationId));
  }
}
