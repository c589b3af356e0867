import type { InviteFailure } from "@parley/sip";
import type { CallOutcome } from "../../active-calls/active-call.ts";

/** Returns the outcome of a call that was not answered. */
export function outcomeOfDial({ cause, status, reason }: InviteFailure): CallOutcome {
  if (cause === "ring_timeout") return { ...noAnswer, endDetail: "ringing timeout" };
  // The platform canceled the call: its own outcome came first.
  if (cause === "canceled") return { status: "canceled", endReason: "canceled" };
  if (cause === "no_response") return { ...failed, endDetail: "the trunk does not answer" };
  if (cause === "transport_error") return { ...failed, endDetail: "the trunk cannot be reached" };
  return { ...outcomeOfStatus(status), endDetail: toDetail(status, reason) };
}

/** Longest reason of the network. Carriers send up to some 40 characters. */
const MAX_DETAIL_CHARACTERS = 100;

/** A reason comes from the network, and goes to transcripts and language models. */
function toDetail(status: number, reason: string): string {
  const line = `${status} ${reason}`.replace(/[\p{C}\s]+/gu, " ").trim();
  const characters = Array.from(line);
  return characters.length <= MAX_DETAIL_CHARACTERS
    ? line
    : `${characters.slice(0, MAX_DETAIL_CHARACTERS).join("")}…`;
}

const noAnswer = { status: "no_answer", endReason: "dial_no_answer" } as const;
const busy = { status: "busy", endReason: "dial_busy" } as const;
const rejected = { status: "failed", endReason: "dial_rejected" } as const;
const failed = { status: "failed", endReason: "dial_failed" } as const;

function outcomeOfStatus(status: number): Pick<CallOutcome, "status" | "endReason"> {
  switch (status) {
    case 486:
    case 600:
      return busy;
    case 408:
    case 480:
      return noAnswer;
    case 603:
    case 607:
    case 608:
      return rejected;
    default:
      return failed;
  }
}
