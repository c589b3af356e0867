import { buildOffer, type Session } from "@parley/sip";
import type { MediaLeg } from "../../media/media-pool.ts";
import type { CallOutcome, ActiveCall } from "../active-calls/active-call.ts";
import { type CallAudioSettings, connectAnswered, renegotiate } from "./sip-audio.ts";

/**
 * Passes the peer's offers, its answers and its key presses on to the call's media. Call it before the call is
 * answered: the peer's next request may arrive with its ACK.
 */
export function handleSession(
  session: Session,
  call: Pick<ActiveCall, "hangUp">,
  media: Pick<MediaLeg, "connect" | "hearKey">,
  settings: CallAudioSettings,
): void {
  session.onReinvite = (offer) => renegotiate(offer, settings, media);
  session.onOfferNeeded = () => buildOffer(settings, session.localSdp);
  session.onRemoteAnswer = (answer) => {
    const failure = connectAnswered(answer, settings, media, session.localSdp);
    if (failure !== undefined) call.hangUp(sdpFailure(`SDP answer: ${failure}`));
  };
  session.onDtmf = ({ digit }) => media.hearKey(digit);
}

/** Ends the call with its SIP session. */
export function endWithSession(session: Session, call: ActiveCall): void {
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
