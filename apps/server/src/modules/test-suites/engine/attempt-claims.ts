import { randomUUID } from "node:crypto";
import type { TestMode } from "@parley/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { OrganizationLimitsService } from "../../organizations/organization-limits.ts";
import * as store from "../test-runs.store.ts";

/** A node that dies leaves its attempts to others after this time. */
export const CLAIM_MS = 10_000;
/** How long an attempt waits that found no place. */
const POSTPONED_MS = 2_000;

interface AttemptClaimsDependencies {
  clock: Clock;
  organizationLimits: Pick<OrganizationLimitsService, "find">;
}

/** Decides which node carries an attempt, within the limit of its organization. */
export class AttemptClaims {
  readonly #database: Database;
  readonly #dependencies: AttemptClaimsDependencies;

  constructor(database: Database, dependencies: AttemptClaimsDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Claims the next attempt of these modes, of the organization with the fewest attempts in progress. */
  async claim(modes: readonly TestMode[]): Promise<store.ClaimedAttempt | undefined> {
    if (modes.length === 0) return undefined;
    const now = this.#dependencies.clock.now();
    for (const organizationId of await store.listWaitingOrganizations(this.#database, now, modes)) {
      const claimed = await this.#claimOf(organizationId, modes);
      if (claimed !== undefined) return claimed;
    }
    return undefined;
  }

  /** Returns whether the claim was still valid. */
  async renew(attempt: store.ClaimedAttempt): Promise<boolean> {
    return await store.updateClaimed(this.#database, attempt, { claimedUntil: this.#until() });
  }

  /** Puts an attempt back that did not begin, or that another node can begin at once. */
  async release(attempt: store.ClaimedAttempt, { isPostponed }: { isPostponed: boolean }): Promise<void> {
    const waitMs = isPostponed ? POSTPONED_MS : 0;
    await store.updateClaimed(this.#database, attempt, {
      claimId: null,
      claimedUntil: null,
      startedAt: null,
      dueAt: new Date(this.#dependencies.clock.now().getTime() + waitMs),
    });
  }

  /** Locks the run before the attempt, as the end of an attempt does. */
  async #claimOf(
    organizationId: string,
    modes: readonly TestMode[],
  ): Promise<store.ClaimedAttempt | undefined> {
    return await this.#database.transaction(async (transaction) => {
      await store.lockClaims(transaction, organizationId);
      const now = this.#dependencies.clock.now();
      const limits = await this.#dependencies.organizationLimits.find(organizationId, transaction);
      const claimed = await store.countClaimed(transaction, organizationId, now);
      if (claimed >= limits.concurrentTestAttempts) return undefined;
      const found = await store.findWaiting(transaction, organizationId, now, modes);
      if (found === undefined) return undefined;
      const run = await store.lockRun(transaction, found.runId);
      const claim = { claimId: randomUUID(), claimedUntil: this.#until() };
      const row = await store.updateOpenAttempt(transaction, found.id, {
        ...claim,
        startedAt: now,
        lostClaims: found.claimId === null ? found.lostClaims : found.lostClaims + 1,
      });
      if (run === undefined || row === undefined) return undefined;
      if (run.status === "queued")
        await store.updateRun(transaction, run.id, { status: "running", startedAt: now, updatedAt: now });
      return { ...row, ...claim };
    });
  }

  #until(): Date {
    return new Date(this.#dependencies.clock.now().getTime() + CLAIM_MS);
  }
}
