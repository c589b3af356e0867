import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Queries } from "../../platform/database/database.ts";
import { ExpiringCache } from "../../platform/expiring-cache.ts";
import { isNearLimit, type OrganizationLimitsService } from "../organizations/organization-limits.ts";
import * as store from "./calls.store.ts";

const WINDOW_MS = 60_000;
/** A call ends within some seconds; the limit of calls at once has no time of its own. */
const RETRY_AFTER_SECONDS = 5;
/** After a refusal, further inbound calls are refused without asking the database. */
const REFUSED_MS = 1_000;

/** Limits the calls of each organization: at once, and per minute. */
export class CallQuota {
  readonly #limits: OrganizationLimitsService;
  readonly #clock: Clock;
  readonly #refused = new ExpiringCache<true>({ lifetimeMs: REFUSED_MS, maxSize: 10_000 });

  constructor(limits: OrganizationLimitsService, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Whether a call of the organization was refused a moment ago. */
  isExhausted(organizationId: string): boolean {
    return this.#refused.get(organizationId, this.#clock.now().getTime()) === true;
  }

  /** Throws `rate_limited` if the organization may have no further call now. */
  async requireRoom(transaction: Queries, organizationId: string): Promise<void> {
    const now = this.#clock.now();
    const { concurrentCalls, callsPerMinute } = await this.#limits.find(organizationId, transaction);
    const since = new Date(now.getTime() - WINDOW_MS);
    let isNear = false;
    const findRefusal = async (): Promise<AppError | undefined> => {
      const usage = await store.countUsage(transaction, organizationId, since);
      isNear = isNearLimit(usage.open, concurrentCalls) || isNearLimit(usage.recent, callsPerMinute);
      if (usage.open >= concurrentCalls)
        return refusal(`${concurrentCalls} calls at once`, "concurrentCalls", RETRY_AFTER_SECONDS);
      if (usage.recent < callsPerMinute) return undefined;
      const waitMs = (usage.oldestAt?.getTime() ?? now.getTime()) + WINDOW_MS - now.getTime();
      const seconds = Math.max(1, Math.ceil(waitMs / 1000));
      return refusal(`${callsPerMinute} calls per minute`, "callsPerMinute", seconds);
    };
    let refused = await findRefusal();
    if (refused === undefined && isNear) {
      await this.#limits.lock(transaction, organizationId);
      refused = await findRefusal();
    }
    if (refused === undefined) return;
    this.#refused.set(organizationId, true, now.getTime());
    throw refused;
  }
}

function refusal(what: string, name: string, retryAfterSeconds: number): AppError {
  const message = `The organization's limit of ${what} is reached. Retry after the time in the Retry-After header, or ask the operator to raise the limit ${name}.`;
  return new AppError("rate_limited", { message, retryAfterSeconds });
}
