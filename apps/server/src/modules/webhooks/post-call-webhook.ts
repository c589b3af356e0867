import type { CallDetail, CallPostData } from "@parley/contract";
import type { Queries } from "../../platform/database/database.ts";
import { isResultPending } from "../calls/calls.rules.ts";
import type { CallsService, EndedCall } from "../calls/calls.service.ts";
import type { RecordingsService } from "../recordings/recordings.service.ts";
import type { WebhooksService } from "./webhooks.service.ts";

/** How long the webhook waits for pending results of the call. */
const RESULTS_DEADLINE_MS = 60_000;
/** Validity of the link to the recording: the receiver may handle the event late and cannot request another link. */
const RECORDING_LINK_MS = 24 * 3600_000;

export interface PostCallWebhookOptions {
  calls: Pick<CallsService, "ended" | "settled" | "get" | "notePostCallWebhook">;
  recordings: Pick<RecordingsService, "findUrl">;
  webhooks: Pick<WebhooksService, "announce" | "hasten">;
}

/** Announces the end of each call whose record names a URL, once its results are known or 60 s after its end. */
export class PostCallWebhook {
  readonly #options: PostCallWebhookOptions;

  constructor(options: PostCallWebhookOptions) {
    this.#options = options;
  }

  /** Subscribes to the ends of calls. */
  subscribe(): void {
    const { calls, webhooks } = this.#options;
    calls.ended.subscribe(
      async (transaction, { call, noticedAt }) => await this.#announce(transaction, call, noticedAt),
    );
    calls.settled.subscribe(async (transaction, { call, at }) => {
      await webhooks.hasten(transaction, call.organizationId, call.id, at);
    });
  }

  /** The data of the event, of a call that has ended. Throws `not_found` if it was deleted. */
  async buildData(transaction: Queries, organizationId: string, callId: string): Promise<CallPostData> {
    const { calls, recordings } = this.#options;
    const call = await calls.get(organizationId, callId, transaction);
    const link = { validForMs: RECORDING_LINK_MS, queries: transaction };
    const recordingUrl = await recordings.findUrl(organizationId, callId, link);
    return toPostData({ ...call, recordingUrl });
  }

  async #announce(transaction: Queries, call: EndedCall, noticedAt: Date): Promise<void> {
    const { id: callId, agentId, organizationId, postCallWebhookUrl: url } = call;
    if (url === null) return;
    const firstAttemptAt = isResultPending(call)
      ? new Date(noticedAt.getTime() + RESULTS_DEADLINE_MS)
      : noticedAt;
    const event = { organizationId, type: "call.post" as const, callId, agentId, url, firstAttemptAt };
    const { calls, webhooks } = this.#options;
    await webhooks.announce(transaction, event, noticedAt);
    await calls.notePostCallWebhook(transaction, callId, { status: "pending", attempts: 0 });
  }
}

function toPostData(call: CallDetail): CallPostData {
  const { id, agentId, agentRevision, environment, channel, direction, status, endReason, endDetail } = call;
  const { fromNumber, toNumber, startedAt, answeredAt, endedAt, billableSeconds, conversationId } = call;
  const { variables, transcript, analysisStatus, extraction, evaluation, recordingUrl, campaignId, isTest } =
    call;
  return {
    id,
    conversationId,
    agentId,
    agentRevision,
    environment,
    channel,
    direction,
    status,
    endReason,
    endDetail,
    fromNumber,
    toNumber,
    startedAt,
    answeredAt,
    endedAt,
    billableSeconds,
    variables,
    campaignId,
    transcript,
    analysisStatus,
    extraction,
    evaluation,
    recordingUrl,
    isTest,
  };
}
