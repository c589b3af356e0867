import type { OrganizationLimits } from "@parley/contract";
import { AppError } from "../app-error.ts";
import { Shares } from "../shares.ts";

/** Requests that may wait, per request that may run. */
const WAITING_PER_RUNNING = 10;
const RETRY_AFTER_SECONDS = 1;

export type FindRequestLimit = (
  organizationId: string,
) => Promise<Pick<OrganizationLimits, "concurrentRequests">>;

/** Requests that wait for another node or a network at once, per request that this node handles: they use little of it. */
const WAITING_ELSEWHERE_PER_RUNNING = 10;

/** A request that takes a share. */
export interface SharedRequest {
  organizationId: string;
  /** Whether its effect is outside the database, such as a command to a call on another node. */
  isRemote?: boolean | undefined;
}

/** Bounds the requests of each organization that this node handles at once (`concurrentRequests`). */
export class RequestShares {
  readonly #shares = new Shares();
  readonly #findLimits: FindRequestLimit;

  constructor(findLimits: FindRequestLimit) {
    this.#findLimits = findLimits;
  }

  /** Throws `rate_limited` if too many requests of the organization wait. Returns how many may run at once. */
  async requireRoom(request: SharedRequest): Promise<number> {
    const { concurrentRequests } = await this.#findLimits(request.organizationId);
    const atOnce = concurrentRequests * (request.isRemote === true ? WAITING_ELSEWHERE_PER_RUNNING : 1);
    if (this.#shares.countWaiting(keyOf(request)) < WAITING_PER_RUNNING * concurrentRequests) return atOnce;
    throw new AppError("rate_limited", {
      message:
        `The organization sends more requests at once than this node handles for it (${atOnce}), and too many wait. ` +
        "Retry after the time in the Retry-After header, or ask the operator to raise the limit concurrentRequests.",
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * Waits until the organization may have another request handled. The caller disposes the share. Rejects with the signal's
   * reason if it aborts before.
   */
  async take(request: SharedRequest, signal: AbortSignal): Promise<Disposable> {
    return await this.#shares.take(keyOf(request), await this.requireRoom(request), signal);
  }
}

function keyOf({ organizationId, isRemote = false }: SharedRequest): string {
  return isRemote ? `${organizationId} remote` : organizationId;
}
