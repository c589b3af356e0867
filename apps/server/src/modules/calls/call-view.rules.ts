import type { Call, CallDetail, CallPostData } from "@parley/contract";
import type { CallRow } from "./calls.store.ts";

/** A call as the API shows it. */
export function presentCall(row: CallRow): Call {
  const {
    organizationId: _organizationId,
    nodeId: _nodeId,
    sipCallId: _sipCallId,
    postCallWebhookUrl: _postCallWebhookUrl,
    ...shown
  } = row;
  return {
    ...shown,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    answeredAt: row.answeredAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}

/** A call that has ended, as the post-call webhook tells of it. */
export function toPostData(call: CallDetail, variables: Record<string, string>): CallPostData {
  const { id, agentId, agentRevision, environment, channel, direction, status, endReason, endDetail } = call;
  const { fromNumber, toNumber, startedAt, answeredAt, endedAt, billableSeconds, conversationId } = call;
  const { transcript, extraction, evaluation, recordingUrl, isTest } = call;
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
    campaignId: null,
    transcript,
    extraction,
    evaluation,
    recordingUrl,
    isTest,
  };
}
