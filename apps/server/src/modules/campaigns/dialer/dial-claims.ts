import type { ContactOutcome } from "@parley/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Queries } from "../../../platform/database/database.ts";
import { inJointTransaction } from "../../../platform/database/joint-transaction.ts";
import type { CallsService } from "../../calls/calls.service.ts";
import type { DoNotCallService } from "../../do-not-call/do-not-call.service.ts";
import { isDestinationAllowed } from "../../phone-calls/outbound/destination.rules.ts";
import type {
  CampaignCall,
  OutboundCallsService,
  PreparedCall,
  RecordedCall,
} from "../../phone-calls/outbound/outbound-calls.service.ts";
import { recordActivity } from "../activity/campaign-activity.store.ts";
import { timezoneOf } from "../campaign-view.rules.ts";
import { count, countOf, finishIfDone, type Tally } from "../campaigns.rules.ts";
import { type CampaignRow, lockCampaign, lockUnchanged, updateCampaign } from "../campaigns.store.ts";
import * as contacts from "../contacts/contacts.store.ts";
import { finalStatusOf, withVoicemailStrategy } from "./attempt-outcome.rules.ts";
import { isOpen, localDay } from "./calling-window.rules.ts";

/** Contacts that one transaction may pass over, because they must not be dialed now. */
const MAX_PASSED_OVER = 100;

/** A contact whose call is recorded and not dialed yet. */
export interface Claim {
  prepared: PreparedCall;
  call: CampaignCall;
  recorded: RecordedCall;
}

interface Candidate {
  campaign: CampaignRow;
  contact: contacts.ContactRow;
  prepared: PreparedCall;
  now: Date;
}

/** Why a contact is passed over. */
type Verdict =
  /** Never dialed. */
  { kind: "refuse"; outcome: ContactOutcome } | { kind: "defer"; dueAt: Date };

interface DialClaimsDependencies {
  clock: Clock;
  calls: CallsService;
  outboundCalls: Pick<OutboundCallsService, "record">;
  doNotCall: Pick<DoNotCallService, "isListed" | "getSettings">;
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
      return { prepared, call, recorded };
    });
  }

  /**
   * Sets the dialing mark: from now on the attempt counts. Returns false if the call must not be dialed any more. Locks
   * the call before the campaign, as the end of a call does.
   */
  async mark({ prepared, call, recorded }: Claim): Promise<boolean> {
    const { calls, clock } = this.#dependencies;
    const { callId } = recorded;
    return await this.#database.transaction(async (transaction) => {
      if (!(await calls.lockOpen(transaction, callId))) return false;
      const campaign = await lockUnchanged(transaction, call.campaignId);
      if (campaign?.status !== "running") return false;
      const contact = await contacts.lockContactOfCall(transaction, call.campaignContactId, callId);
      if (contact === undefined) return false;
      // Another campaign may have dialed the number since the claim.
      await calls.lockDials(transaction, campaign.organizationId, call.toNumber);
      const now = clock.now();
      if ((await this.#judge(transaction, { campaign, contact, prepared, now })) !== undefined) return false;
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
      if (contact === undefined) return { contact, tally };
      const verdict = await this.#judge(transaction, { campaign, contact, prepared, now });
      if (verdict === undefined) return { contact, tally };
      const { id } = contact;
      if (verdict.kind === "defer") {
        await contacts.updateContact(transaction, id, { dueAt: verdict.dueAt, updatedAt: now });
        continue;
      }
      const { outcome } = verdict;
      const status = finalStatusOf(outcome);
      await contacts.updateContact(transaction, id, { status, outcome, updatedAt: now });
      await recordActivity(transaction, campaign.id, { at: now, outcome, attempts: 0, contactsDone: 1 });
      tally = count(tally, { from: "pending", to: status, outcome });
    }
    return { contact: undefined, tally };
  }

  /** Returns why a contact is passed over; `undefined` if it may be dialed. Countries and list may have changed since it was added. */
  async #judge(
    transaction: Queries,
    { campaign, contact, prepared, now }: Candidate,
  ): Promise<Verdict | undefined> {
    const { calls, doNotCall } = this.#dependencies;
    const { organizationId } = campaign;
    const { toNumber } = contact;
    if (!isDestinationAllowed(toNumber, prepared.line.destinations))
      return { kind: "refuse", outcome: "failed" };
    if (await doNotCall.isListed(organizationId, toNumber, transaction))
      return { kind: "refuse", outcome: "do_not_call" };
    const { maxDialsPerDay } = await doNotCall.getSettings(organizationId, transaction);
    if (maxDialsPerDay === null) return undefined;
    const { startsAt, endsAt } = localDay(timezoneOf(campaign, contact.timezone), now);
    const dials = await calls.countDials(transaction, organizationId, toNumber, startsAt);
    return dials < maxDialsPerDay ? undefined : { kind: "defer", dueAt: endsAt };
  }
}

function mayDial(campaign: CampaignRow, now: Date): boolean {
  const { status, nextDialAt, maxConcurrency } = campaign;
  const isPaced = nextDialAt === null || nextDialAt <= now;
  return status === "running" && isPaced && countOf(campaign, "calling") < maxConcurrency;
}

function toCall(
  campaign: CampaignRow,
  { id: campaignContactId, toNumber, variables, attempts }: contacts.ContactRow,
  { line }: PreparedCall,
): CampaignCall {
  const { id: campaignId, defaultVariables } = campaign;
  const document = withVoicemailStrategy(line.agent.document, campaign, attempts + 1);
  const merged = { ...line.agent.variables, ...defaultVariables, ...variables };
  const agent = { ...line.agent, document };
  return { agent, campaignId, campaignContactId, toNumber, variables: merged };
}
