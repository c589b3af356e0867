import type { Session } from "@parley/sip";
import type { MediaLeg } from "../../media/media-pool.ts";
import type { CallOutcome, ActiveCall } from "../active-calls/active-call.ts";

/** Ends the call with its SIP session, and passes re-INVITEs and key presses on to it. */
export function followSession(
  session: Session,
  call: ActiveCall,
  media: MediaLeg,
  onReinvite: NonNullable<Session["onReinvite"]>,
): void {
  session.onReinvite = onReinvite;
  session.onDtmf = ({ digit }) => media.hearKey(digit);
  void session.ended.then(({ cause }) => call.hangUp(hungUp(cause === "remote_bye" ? undefined : cause)));
}

/** Outcome of an answered call that the other side ended. `detail`: the cause, if it was not a BYE. */
export function hungUp(detail: string | undefined): CallOutcome {
  return {
    status: "completed",
    endReason: "user_hangup",
    ...(detail !== undefined && { endDetail: detail }),
  };
}

/** Outcome of a call whose two sides have no audio in common. */
export function sdpFailure(endDetail: string): CallOutcome {
  return { status: "failed", endReason: "error_internal", endDetail };
}
