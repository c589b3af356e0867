import type { ContactOutcome } from "@parley/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Queries } from "../../../platform/database/database.ts";
import { inJointTransaction } from "../../../platform/database/joint-transaction.ts";
import type { CallsService } from "../../calls/calls.service.ts";
import { isDestinationAllowed } from "../../phone-calls/outbound/destination.rules.ts";
import type {
  CampaignCall,
  OutboundCallsService,
  PreparedCall,
  RecordedCall,
} from "../../phone-calls/outbound/outbound-calls.service.ts";
import { timezoneOf } from "../campaign-view.rules.ts";
import { count, countOf, finishIfDone, type Tally } from "../campaigns.rules.ts";
import { type CampaignRow, lockCampaign, lockStatus, updateCampaign } from "../campaigns.store.ts";
import * as contacts from "../contacts/contacts.store.ts";
import { finalStatusOf } from "./attempt-outcome.rules.ts";
import { isOpen } from "./calling-window.rules.ts";

/** Contacts that one transaction may pass over, because they must not be dialed now. */
const MAX_PASSED_OVER = 100;

/** A contact whose call is recorded and not dialed yet. */
export interface Claim {
  call: CampaignCall;
  recorded: RecordedCall;
}

type Verdict =
  | { kind: "dial" }
  /** Never dialed. */
  | { kind: "refuse"; outcome: ContactOutcome };

interface DialClaimsDependencies {
  clock: Clock;
  calls: CallsService;
  outboundCalls: Pick<OutboundCallsService, "record">;
}

/** Claims the next contact of a campaign. Of all nodes, one at a time claims for a campaign. */
export class DialClaims {
  readonly #database: Database;
  readonly #dependencies: DialClaimsDependencies;

  constructor(database: Database, dependencies: DialClaimsDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /**
   * Claims the campaign's next contact and records its call; `undefined` if the campaign may dial none now. Throws
   * `rate_limited` without any effect.
   */
  async claim(campaignId: string, prepared: PreparedCall): Promise<Claim | undefined> {
    return await inJointTransaction(this.#database, async (transaction) => {
      const campaign = await lockCampaign(transaction, campaignId);
      // Read under the lock: it decides about the pace.
      const now = this.#dependencies.clock.now();
      if (campaign === undefined || !mayDial(campaign, now)) return undefined;
      const { contact, tally } = await this.#findContact(transaction, campaign, prepared, now);
      if (contact === undefined) {
        if (tally.contactCounts === campaign.contactCounts) return undefined;
        await updateCampaign(transaction, campaignId, { ...tally, ...finishIfDone(campaign, tally, now) });
        return undefined;
      }
      const call = toCall(campaign, contact, prepared);
      const recorded = await this.#dependencies.outboundCalls.record(prepared, call);
      const change = { status: "calling", callId: recorded.callId, updatedAt: now } as const;
      await contacts.updateContact(transaction, contact.id, change);
      await updateCampaign(transaction, campaignId, {
        ...count(tally, { from: "pending", to: "calling" }),
        nextDialAt: new Date(Math.ceil(now.getTime() + 1000 / campaign.callsPerSecond)),
        updatedAt: now,
      });
      return { call, recorded };
    });
  }

  /**
   * Sets the dialing mark: from now on the attempt counts. Returns false if the call must not be dialed any more. Locks
   * the call before the campaign, as the end of a call does.
   */
  async mark({ call, recorded }: Claim): Promise<boolean> {
    const { calls, clock } = this.#dependencies;
    const { callId } = recorded;
    return await this.#database.transaction(async (transaction) => {
      if (!(await calls.lockOpen(transaction, callId))) return false;
      if ((await lockStatus(transaction, call.campaignId)) !== "running") return false;
      const contact = await contacts.lockContactOfCall(transaction, call.campaignContactId, callId);
      if (contact === undefined) return false;
      const now = clock.now();
      await calls.markDialed(transaction, callId, now);
      const attempts = contact.attempts + 1;
      await contacts.updateContact(transaction, contact.id, {
        attempts,
        lastAttemptAt: now,
        updatedAt: now,
      });
      return true;
    });
  }

  /** Finds the first due contact that may be dialed, and settles those before it that may not. */
  async #findContact(
    transaction: Queries,
    campaign: CampaignRow,
    prepared: PreparedCall,
    now: Date,
  ): Promise<{ contact: contacts.ContactRow | undefined; tally: Tally }> {
    const open = campaign.timezones.filter((own) => {
      return isOpen(campaign.callingWindow, timezoneOf(campaign, own), now);
    });
    let tally: Tally = { contactCounts: campaign.contactCounts, outcomeCounts: campaign.outcomeCounts };
    for (let passedOver = 0; passedOver < MAX_PASSED_OVER; passedOver++) {
      const contact = await contacts.lockDueContact(transaction, campaign.id, open, now);
      const verdict = contact && screen(contact, prepared);
      if (contact === undefined || verdict?.kind === "dial") return { contact, tally };
      if (verdict?.kind === "refuse") {
        const { outcome } = verdict;
        const status = finalStatusOf(outcome);
        await contacts.updateContact(transaction, contact.id, { status, outcome, updatedAt: now });
        tally = count(tally, { from: "pending", to: status, outcome });
      }
    }
    return { contact: undefined, tally };
  }
}

/** The operator may have changed the countries since the contact was added. */
function screen({ toNumber }: contacts.ContactRow, { line }: PreparedCall): Verdict {
  return isDestinationAllowed(toNumber, line.destinations)
    ? { kind: "dial" }
    : { kind: "refuse", outcome: "failed" };
}

function mayDial(campaign: CampaignRow, now: Date): boolean {
  const { status, nextDialAt, maxConcurrency } = campaign;
  const isPaced = nextDialAt === null || nextDialAt <= now;
  return status === "running" && isPaced && countOf(campaign, "calling") < maxConcurrency;
}

function toCall(
  { id: campaignId, defaultVariables }: CampaignRow,
  { id: campaignContactId, toNumber, variables }: contacts.ContactRow,
  { line }: PreparedCall,
): CampaignCall {
  const merged = { ...line.agent.variables, ...defaultVariables, ...variables };
  return { campaignId, campaignContactId, toNumber, variables: merged };
}
