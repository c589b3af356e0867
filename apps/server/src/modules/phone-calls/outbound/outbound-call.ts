import { isIPv6 } from "node:net";
import { buildOffer, LocalSrtpKeys, type UserAgent } from "@parley/sip";
import type { Resolver } from "@parley/sip/resolver";
import type { MediaLeg, MediaLegHandlers } from "../../../media/media-legs.ts";
import type { OutgoingRoute } from "../../sip-trunks/sip-trunks.service.ts";
import { type DestinationPolicy, isRedirectAllowed } from "./destination.rules.ts";
import { outcomeOfDial } from "./dial-outcome.rules.ts";
import { dialing } from "./dialing.ts";
import { isLoopback } from "../../../platform/destination-address.ts";
import type { TransferResult } from "@parley/conversation";
import type {
  CallOutcome,
  CallSignaling,
  ActiveCall,
  TransferRoute,
} from "../../active-calls/active-call.ts";
import { notAnswered, type Transfer } from "../transfers/call-transfers.ts";
import { numberIn } from "../sip-number.ts";
import { findMediaAddress } from "../media-address.ts";
import { createMediaHostResolver } from "../media-hosts.ts";
import { PhoneSession, type PhoneSessions } from "../phone-session.ts";
import { type CallAudioSettings, connectEarly, renegotiate, toAudioSettings } from "../sip-audio.ts";

export interface OutboundCallOptions {
  userAgent: UserAgent;
  route: OutgoingRoute;
  sipCallId: string;
  /** E.164, or an extension. */
  toNumber: string;
  ringTimeoutMs: number;
  /** Called immediately before the INVITE. False: the call is canceled, and no INVITE is sent. Default: always true. */
  beforeInvite?: (() => Promise<boolean>) | undefined;
  /** Also limits redirections by the trunk. */
  destinations: DestinationPolicy;
  /** Absent if the call is never transferred. */
  transfer?: Transfer;
  publicAddress: string | undefined;
  sessions: PhoneSessions;
  /** Finds the addresses of host names in SDP. */
  resolver: Pick<Resolver, "addresses">;
  openMedia: (
    media: { sampleRateHz: 8000; isIPv6: boolean },
    handlers: MediaLegHandlers,
  ) => Promise<MediaLeg>;
}

/** SIP signaling of an outbound call. */
export class OutboundCall implements CallSignaling {
  readonly #options: OutboundCallOptions;
  #isRinging = false;
  #session: PhoneSession | undefined;
  #media: MediaLeg | undefined;

  constructor(options: OutboundCallOptions) {
    this.#options = options;
  }

  async establish(call: ActiveCall): Promise<void> {
    const { route, publicAddress, openMedia } = this.#options;
    const [hop] = await route.locate();
    if (hop === undefined) return call.hangUp(dialFailure("the trunk's host name does not resolve"));
    const address = await findMediaAddress(publicAddress, hop.address);
    if (address === undefined) return call.hangUp(dialFailure("no network route to the trunk"));
    // Every telephone supports narrowband; wideband audio would be resampled for most callees.
    const sampleRateHz = 8000;
    // The greeting is made while it rings.
    const media = await openMedia({ sampleRateHz, isIPv6: isIPv6(address) }, call.mediaHandlers);
    call.takeMedia(media);
    this.#media = media;
    const srtp = { keys: new LocalSrtpKeys(), isRequired: route.isSrtpRequired };
    const isLoopbackAllowed = isLoopback(hop.address);
    const settings = toAudioSettings({
      address,
      port: media.rtpPort,
      sampleRateHz,
      srtp,
      isLoopbackAllowed,
    });
    await this.#dial(call, media, settings);
  }

  async transfer(call: ActiveCall, route: TransferRoute): Promise<TransferResult> {
    const { transfer } = this.#options;
    const [session, media] = [this.#session, this.#media];
    if (transfer === undefined || session === undefined || media === undefined) return notAnswered;
    return await transfer({ call, media, session }, route);
  }

  /** Ends an answered call. The call's signal cancels an unanswered one. */
  end(_outcome: CallOutcome): void {
    this.#session?.bye();
  }

  async #dial(call: ActiveCall, media: MediaLeg, settings: CallAudioSettings): Promise<void> {
    const { userAgent, route, sipCallId, toNumber, ringTimeoutMs, sessions, resolver, destinations } =
      this.#options;
    call.signal.throwIfAborted();
    if ((await this.#options.beforeInvite?.()) === false) return call.hangUp(withdrawn);
    const resolveHosts = createMediaHostResolver(resolver, settings.address);
    const session = new PhoneSession({ call, media, settings, resolveHosts, sessions });
    const result = await userAgent.invite({
      callId: sipCallId,
      ...dialing(route, toNumber),
      sdp: buildOffer(settings),
      ringTimeoutMs,
      isRedirectAllowed: (uri) => isRedirectAllowed(numberIn(uri), toNumber, destinations),
      signal: call.signal,
      onProvisional: ({ sdp }) => {
        this.#ring(call);
        if (sdp !== "") void resolveHosts(sdp).then((early) => connectEarly(early, settings, media));
      },
      onReinvite: async (offer) => renegotiate(await resolveHosts(offer), settings, media),
    });
    if (!result.ok) return call.hangUp(outcomeOfDial(result));
    this.#session = session;
    session.follow(result.session);
    // It connects nothing if the call was hung up at the moment of its answer.
    if (!(await session.connect(result.session.remoteSdp))) return;
    media.start();
    // The answer proves that the callee's side has received our INVITE.
    media.confirm();
    call.answered();
  }

  #ring(call: ActiveCall): void {
    if (!this.#isRinging) call.ringing();
    this.#isRinging = true;
  }
}

const withdrawn: CallOutcome = {
  status: "canceled",
  endReason: "canceled",
  endDetail: "withdrawn before it was dialed",
};

function dialFailure(endDetail: string): CallOutcome {
  return { status: "failed", endReason: "dial_failed", endDetail };
}
