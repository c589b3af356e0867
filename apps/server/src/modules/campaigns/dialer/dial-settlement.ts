import type { Bus } from "../../../platform/bus/bus.ts";
import type { Queries } from "../../../platform/database/database.ts";
import type { EndedCall } from "../../calls/calls.service.ts";
import { recordActivity } from "../activity/campaign-activity.store.ts";
import { count, finishIfDone, isDialing, isFinal } from "../campaigns.rules.ts";
import { type CampaignInsert, type CampaignRow, lockCampaign, updateCampaign } from "../campaigns.store.ts";
import { type ContactRow, lockContactOfCall, updateContact } from "../contacts/contacts.store.ts";
import {
  areMostDialsFailing,
  finalStatusOf,
  isDialFailure,
  outcomeOf,
  retryAt,
  watchDial,
} from "./attempt-outcome.rules.ts";

type Settled = Pick<ContactRow, "status" | "outcome" | "dueAt">;

/** Settles the contact of a call that has ended, in the transaction that ends the call. */
export class DialSettlement {
  readonly #bus: Bus;
  readonly #topic: string;

  constructor(bus: Bus, topic: string) {
    this.#bus = bus;
    this.#topic = topic;
  }

  async settle(transaction: Queries, call: EndedCall, now: Date): Promise<void> {
    const { campaignId, campaignContactId } = call;
    if (campaignId === null || campaignContactId === null) return;
    const campaign = await lockCampaign(transaction, campaignId);
    const contact = campaign && (await lockContactOfCall(transaction, campaignContactId, call.id));
    if (campaign === undefined || contact === undefined) return;
    const settled = settleContact(campaign, contact, call);
    await updateContact(transaction, contact.id, { ...settled, callId: null, updatedAt: now });
    const isDone = settled.status !== "pending";
    if (settled.outcome !== null)
      await recordActivity(transaction, campaignId, {
        at: now,
        outcome: settled.outcome,
        attempts: call.dialedAt === null ? 0 : 1,
        contactsDone: isDone ? 1 : 0,
      });
    const tally = count(campaign, {
      from: "calling",
      to: settled.status,
      outcome: isDone ? settled.outcome : null,
    });
    await updateCampaign(transaction, campaignId, {
      ...tally,
      ...watch(campaign, call, now),
      ...finishIfDone(campaign, tally, now),
      updatedAt: now,
    });
    await this.#bus.publish(transaction, this.#topic, campaignId);
  }
}

function settleContact(campaign: CampaignRow, contact: ContactRow, call: EndedCall): Settled {
  const { attempts, dueAt, outcome: last } = contact;
  if (call.dialedAt === null && call.endReason !== "rejected_by_webhook") {
    // Never dialed: put back, and no attempt.
    if (!isFinal(campaign.status)) return { status: "pending", outcome: last, dueAt };
    return attempts > 0
      ? { status: "failed", outcome: last, dueAt }
      : { status: "canceled", outcome: "canceled", dueAt };
  }
  const outcome = outcomeOf(call);
  const { endedAt } = call;
  const next = isFinal(campaign.status) ? undefined : retryAt(campaign, call, { attempts, endedAt });
  if (next !== undefined) return { status: "pending", outcome, dueAt: next };
  return { status: finalStatusOf(outcome), outcome, dueAt };
}

/** Pauses the campaign if most of its last dials failed. */
function watch({ status, recentFailures }: CampaignRow, call: EndedCall, now: Date): Partial<CampaignInsert> {
  const isFailure = isDialFailure(call);
  const isInformative = isFailure || (call.dialedAt !== null && call.endReason !== "node_lost");
  if (!isInformative) return {};
  const recent = watchDial(recentFailures, isFailure);
  if (!isDialing(status) || !areMostDialsFailing(recent)) return { recentFailures: recent };
  return {
    recentFailures: recent,
    status: "paused",
    statusReason: "dials_failing",
    statusDetail: `Most of the last dials failed; the latest at ${now.toISOString()}: ${call.endDetail ?? "no detail"}.`,
  };
}
