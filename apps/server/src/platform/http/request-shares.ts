import type { OrganizationLimits } from "@parley/contract";
import { AppError } from "../app-error.ts";
import { Paces } from "../paces.ts";
import { Shares } from "../shares.ts";

/** Requests that may wait, per request that may run. */
const WAITING_PER_RUNNING = 10;
const RETRY_AFTER_SECONDS = 1;
/** Requests at once after a pause, in seconds of the organization's rate. */
const BURST_SECONDS = 0.25;

type RequestLimits = Pick<OrganizationLimits, "concurrentRequests" | "requestsPerSecond">;

export type FindRequestLimits = (organizationId: string) => Promise<RequestLimits>;

/** Requests that wait for another node or a network at once, per request that this node handles: they use little of it. */
const WAITING_ELSEWHERE_PER_RUNNING = 10;

/** A request that takes a share. */
export interface SharedRequest {
  organizationId: string;
  /** Whether its effect is outside the database, such as a command to a call on another node. */
  isRemote?: boolean | undefined;
}

/**
 * Bounds the requests of each organization that this node handles at once (`concurrentRequests`) and begins per second
 * (`requestsPerSecond`).
 */
export class RequestShares {
  readonly #shares = new Shares();
  readonly #paces = new Paces();
  readonly #findLimits: FindRequestLimits;

  constructor(findLimits: FindRequestLimits) {
    this.#findLimits = findLimits;
  }

  /** Throws `rate_limited` if too many requests of the organization wait. */
  async requireRoom(request: SharedRequest): Promise<void> {
    this.#requireRoom(request, await this.#findLimits(request.organizationId));
  }

  /**
   * Waits until the organization may have another request handled. The caller disposes the share. Rejects with the signal's
   * reason if it aborts before, and with `rate_limited` if too many wait.
   */
  async take(request: SharedRequest, signal: AbortSignal): Promise<Disposable> {
    const { organizationId } = request;
    const limits = await this.#findLimits(organizationId);
    // Nothing between the check and the wait, so that requests that arrive together are counted.
    this.#requireRoom(request, limits);
    const { requestsPerSecond: perSecond } = limits;
    await this.#paces.wait(
      organizationId,
      { perSecond, burst: Math.max(1, BURST_SECONDS * perSecond) },
      signal,
    );
    return await this.#shares.take(keyOf(request), atOnceOf(request, limits), signal);
  }

  #requireRoom(request: SharedRequest, limits: RequestLimits): void {
    const { concurrentRequests, requestsPerSecond } = limits;
    const waiting =
      this.#paces.countWaiting(request.organizationId) + this.#shares.countWaiting(keyOf(request));
    if (waiting < WAITING_PER_RUNNING * concurrentRequests) return;
    throw new AppError("rate_limited", {
      message:
        `The organization sends more requests than this node handles for it (${atOnceOf(request, limits)} at once, ` +
        `${requestsPerSecond} per second), and too many wait. Retry after the time in the Retry-After header, or ask the ` +
        "operator to raise the limits concurrentRequests and requestsPerSecond.",
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

function atOnceOf({ isRemote = false }: SharedRequest, { concurrentRequests }: RequestLimits): number {
  return concurrentRequests * (isRemote ? WAITING_ELSEWHERE_PER_RUNNING : 1);
}

function keyOf({ organizationId, isRemote = false }: SharedRequest): string {
  return isRemote ? `${organizationId} remote` : organizationId;
}
