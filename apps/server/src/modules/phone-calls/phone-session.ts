import { buildOffer, type Session } from "@parley/sip";
import type { MediaLeg } from "../../media/media-pool.ts";
import type { ActiveCall } from "../active-calls/active-call.ts";
import { audioMismatch, outcomeOfEnd } from "./call-end.rules.ts";
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
    if (failure !== undefined) call.hangUp(audioMismatch(`SDP answer: ${failure}`));
  };
  session.onDtmf = ({ digit }) => media.hearKey(digit);
}

/** Ends the call with its SIP session. */
export function endWithSession(session: Session, call: Pick<ActiveCall, "hangUp">): void {
  void session.ended.then(({ cause }) => call.hangUp(outcomeOfEnd(cause)));
}
