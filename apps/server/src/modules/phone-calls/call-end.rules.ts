import type { InviteEnd, SessionEnd } from "@parley/sip";
import type { CallOutcome } from "../active-calls/active-call.ts";

/** The other side is gone without having ended the call. */
const gone = { status: "failed", endReason: "media_timeout" } as const;
const closed = { status: "failed", endReason: "node_lost", endDetail: "this node stopped SIP" } as const;

/** Returns the outcome of an answered call that its SIP session ended. */
export function outcomeOfEnd(cause: SessionEnd["cause"]): CallOutcome {
  switch (cause) {
    case "remote_bye":
      return { status: "completed", endReason: "user_hangup" };
    case "replaced":
      return { status: "completed", endReason: "transferred", endDetail: "another call replaced it" };
    case "no_ack":
      return { ...gone, endDetail: "no ACK for our answer" };
    case "lost":
      return { ...gone, endDetail: "the other side has lost the call, or answers no SIP requests" };
    case "expired":
      return { ...gone, endDetail: "session timer expired: no refresh in time" };
    case "local_bye":
    case "closed":
      return closed;
  }
}

/** Returns the outcome of an inbound call that ended before it was established. */
export function outcomeOfInviteEnd(end: InviteEnd): CallOutcome {
  switch (end) {
    case "canceled":
    case "hung_up":
    case "rejected":
      return { status: "canceled", endReason: "canceled" };
    case "expired":
      return { status: "canceled", endReason: "canceled", endDetail: "the INVITE expired" };
    case "no_ack":
      return { ...gone, endDetail: "no PRACK for our provisional response" };
    case "closed":
      return closed;
  }
}

/** Returns the outcome of a call whose two sides have no audio in common: codec, encryption or network. */
export function audioMismatch(endDetail: string): CallOutcome {
  return { status: "failed", endReason: "dial_failed", endDetail };
}
