import { retryAfterMs } from "../../messages/delta-seconds.ts";
import type { SipResponse } from "../../messages/message.ts";
import type { InviteFailure } from "./invite-options.ts";

export const canceled: InviteFailure = {
  ok: false,
  cause: "canceled",
  status: 487,
  reason: "Request Terminated",
};
export const ringTimeout: InviteFailure = {
  ok: false,
  cause: "ring_timeout",
  status: 408,
  reason: "Request Timeout",
};
export const noResponse: InviteFailure = {
  ok: false,
  cause: "no_response",
  status: 408,
  reason: "Request Timeout",
};
export const unreachable: InviteFailure = {
  ok: false,
  cause: "transport_error",
  status: 503,
  reason: "Service Unavailable",
};
export const unacceptable: InviteFailure = {
  ok: false,
  cause: "rejected",
  status: 488,
  reason: "Not Acceptable Here",
};

/** The failure of a call that the peer has rejected. */
export function rejection(response: SipResponse): InviteFailure {
  const { status, reason, headers } = response;
  const waitMs = retryAfterMs(response);
  return {
    ok: false,
    cause: "rejected",
    status,
    reason,
    headers,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  };
}
