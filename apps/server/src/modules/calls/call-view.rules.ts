import type { Call } from "@parley/contract";
import { LATER_LATENCY_PARTS } from "./calls.rules.ts";
import type { CallRow } from "./calls.store.ts";

/** Converts a call to its form in the API. */
export function presentCall(row: CallRow): Call {
  const {
    organizationId: _organizationId,
    nodeId: _nodeId,
    sipCallId: _sipCallId,
    campaignContactId: _campaignContactId,
    dialedAt: _dialedAt,
    postCallWebhookUrl: _postCallWebhookUrl,
    ...shown
  } = row;
  return {
    ...shown,
    latency: row.latency && { ...LATER_LATENCY_PARTS, ...row.latency },
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    answeredAt: row.answeredAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
