import type { Session } from "@parley/sip";
import type { MediaLeg } from "../../media/media-pool.ts";
import type { CallOutcome, ActiveCall } from "../active-calls/active-call.ts";

/** Ends the call with its session, and takes what the other side offers and presses during it. */
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

/** The other side ended an answered call; `detail` where that was not by a BYE. */
export function hungUp(detail: string | undefined): CallOutcome {
  return {
    status: "completed",
    endReason: "user_hangup",
    ...(detail !== undefined && { endDetail: detail }),
  };
}

/** The two sides have no audio in common. */
export function sdpFailure(endDetail: string): CallOutcome {
  return { status: "failed", endReason: "error_internal", endDetail };
}
