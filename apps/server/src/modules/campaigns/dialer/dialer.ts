import { errorMessage } from "@parley/conversation/error-message";
import type { ErrorCode, PauseReason } from "@parley/contract";
import { systemClock, type Timer } from "@parley/sip";
import type { Logger } from "pino";
import { AppError } from "../../../platform/app-error.ts";
import type { Bus } from "../../../platform/bus/bus.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import type {
  OutboundCallsService,
  PreparedCall,
} from "../../phone-calls/outbound/outbound-calls.service.ts";
import { findNextDial } from "../campaign-view.rules.ts";
import { countOf } from "../campaigns.rules.ts";
import type { CampaignsService } from "../campaigns.service.ts";
import { type CampaignRow, findDueTimes, listDialing } from "../campaigns.store.ts";
import type { DialClaims } from "./dial-claims.ts";

/** After a failure of the database, and of unexpected errors. */
const RETRY_MS = 1_000;
/** How often a full node looks for a place, in memory only, while a contact is due. */
const PLACE_CHECK_MS = 200;
/** Longest sleep, after which the clock is read again. */
const MAX_SLEEP_MS = 3_600_000;

interface DialerOptions {
  database: Database;
  bus: Bus;
  clock: Clock;
  campaigns: Pick<CampaignsService, "stop" | "beginScheduled">;
  outboundCalls: Pick<OutboundCallsService, "prepare" | "dial" | "hasPlaceForCampaigns">;
  claims: DialClaims;
  topic: string;
  logger: Logger;
}

/**
 * Dials the contacts of all campaigns, on each node. Sleeps until the first contact is due or a campaign changes; the claims
 * decide which node dials it.
 */
export class Dialer {
  readonly #options: DialerOptions;
  /** Campaigns that the organization's limits hold back. */
  readonly #heldBack = new Map<string, Date>();
  #stops: (() => void)[] = [];
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  #isWoken = false;
  #wake: () => void = () => {};

  constructor(options: DialerOptions) {
    this.#options = options;
  }

  start(): void {
    const { bus, topic } = this.#options;
    const wake = (): void => this.#awake();
    this.#stops = [bus.subscribe(topic, wake), bus.onReconnect(wake)];
    this.#running = this.#run();
  }

  /** Dials no further contact. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#awake();
    await this.#running;
  }

  /**
   * Dials at most one contact of each campaign that may dial now. Returns the milliseconds until the next one is due;
   * `undefined` if that depends on the end of a call or a change of a campaign.
   */
  async round(): Promise<number | undefined> {
    const { database, clock, logger } = this.#options;
    const campaigns = await listDialing(database);
    const due = await findDueTimes(
      database,
      campaigns.map(({ id }) => id),
    );
    const now = clock.now();
    let waitMs = Infinity;
    for (const campaign of campaigns) {
      if (this.#isClosed) break;
      const at = this.#findNext(campaign, due.get(campaign.id) ?? new Map(), now);
      const dueMs = at === undefined ? Infinity : at.getTime() - now.getTime();
      try {
        waitMs = Math.min(waitMs, dueMs > 0 ? dueMs : await this.#advance(campaign));
      } catch (error) {
        logger.error({ err: error, campaignId: campaign.id }, "dialing for a campaign failed");
        waitMs = Math.min(waitMs, RETRY_MS);
      }
    }
    return waitMs === Infinity ? undefined : waitMs;
  }

  /** Returns when the campaign can advance; `undefined` if not before a call ends. */
  #findNext(campaign: CampaignRow, due: ReadonlyMap<string, Date>, now: Date): Date | undefined {
    if (campaign.status === "scheduled") return campaign.startAt ?? now;
    if (countOf(campaign, "calling") >= campaign.maxConcurrency) return undefined;
    const next = findNextDial(campaign, due, now);
    const heldBack = this.#heldBack.get(campaign.id);
    return next !== undefined && heldBack !== undefined && heldBack > next ? heldBack : next;
  }

  /** Begins a scheduled campaign, or dials its next contact. Returns the milliseconds until it is tried again. */
  async #advance(campaign: CampaignRow): Promise<number> {
    const { campaigns, outboundCalls } = this.#options;
    if (campaign.status === "scheduled") {
      await campaigns.beginScheduled(campaign.id);
      return 0;
    }
    const prepared = await this.#prepare(campaign);
    if (prepared === "stopped") return 0;
    if (prepared === undefined) return PLACE_CHECK_MS;
    let isDialed = false;
    try {
      const claim = await this.#options.claims.claim(campaign.id, prepared);
      this.#heldBack.delete(campaign.id);
      if (claim === undefined) return 0;
      const { recorded, call } = claim;
      isDialed = true;
      outboundCalls.dial(prepared, recorded, call, async () => await this.#options.claims.mark(claim));
      return 0;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
      return this.#holdBack(campaign.id, error);
    } finally {
      if (!isDialed) prepared.place[Symbol.dispose]();
    }
  }

  /** Pauses the campaign if its calls would be refused. */
  async #prepare(campaign: CampaignRow): Promise<PreparedCall | "stopped" | undefined> {
    const { outboundCalls, campaigns, logger } = this.#options;
    try {
      return await outboundCalls.prepare(campaign.organizationId, campaign);
    } catch (error) {
      const reason = error instanceof AppError ? reasons[error.code] : undefined;
      if (reason === undefined) throw error;
      await campaigns.stop(campaign.id, reason, errorMessage(error));
      logger.warn({ campaignId: campaign.id, reason }, "a campaign was paused");
      return "stopped";
    }
  }

  /** The contact waits for the organization's limits: nothing was stored. */
  #holdBack(campaignId: string, { retryAfterSeconds = 1 }: AppError): number {
    const waitMs = retryAfterSeconds * 1000;
    this.#heldBack.set(campaignId, new Date(this.#options.clock.now().getTime() + waitMs));
    return waitMs;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWoken = false;
      const waitMs = await this.round().catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, "the dialer could not read the campaigns; retrying");
        return RETRY_MS;
      });
      await this.#sleep(waitMs ?? MAX_SLEEP_MS);
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isWoken || this.#isClosed || ms <= 0) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = systemClock.schedule(Math.min(ms, MAX_SLEEP_MS), resolve);
    });
    timer?.cancel();
  }

  #awake(): void {
    this.#isWoken = true;
    this.#wake();
  }
}

/** Errors of a call that a campaign's later calls would get too. */
const reasons: Partial<Record<ErrorCode, PauseReason>> = {
  billing_inactive: "billing_inactive",
  environment_not_found: "environment_not_found",
  from_number_not_on_trunk: "from_number_not_on_trunk",
  agent_not_callable: "agent_not_callable",
  // Of the fields that planning refuses only the agent can change: the caller ID was valid when it was stored.
  invalid_body: "agent_not_found",
};
