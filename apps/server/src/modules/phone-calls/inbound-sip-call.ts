import type { TransferResult } from "@parley/conversation";
import {
  buildOffer,
  findOfferedCodec,
  type HeaderFields,
  type IncomingInvite,
  type InviteEnd,
  LocalSrtpKeys,
  type Rejection,
} from "@parley/sip";
import type { Resolver } from "@parley/sip/resolver";
import type { MediaLeg, MediaLegHandlers } from "../../media/media-legs.ts";
import { NoMediaCapacityError } from "../../media/media-pool.ts";
import { isLoopback } from "../../platform/destination-address.ts";
import type { CallOutcome, CallSignaling, ActiveCall, TransferRoute } from "../active-calls/active-call.ts";
import { audioMismatch, outcomeOfInviteEnd } from "./call-end.rules.ts";
import { createMediaHostResolver } from "./media-hosts.ts";
import { PhoneSession, type PhoneSessions } from "./phone-session.ts";
import { notAnswered, type Transfer } from "./transfers/call-transfers.ts";
import {
  answerCallOffer,
  audioCodecs,
  type CallAudioSettings,
  sampleRateOf,
  toAudioSettings,
  toMediaPath,
} from "./sip-audio.ts";

export interface InboundSipCallOptions {
  invite: IncomingInvite;
  /** The address in our SDP. */
  mediaAddress: string;
  /** True if calls without SRTP are refused. */
  isSrtpRequired: boolean;
  sessions: PhoneSessions;
  /** Finds the addresses of host names in SDP. */
  resolver: Pick<Resolver, "addresses">;
  /** Absent if the call is never transferred. */
  transfer?: Transfer;
  openMedia: (sampleRateHz: 8000 | 16000, handlers: MediaLegHandlers) => Promise<MediaLeg>;
}

/** Delay before the caller's side tries again while this node is full or starting. */
const RETRY_AFTER_SECONDS = "5";

/** 503 with Retry-After. */
export function notNow(): Rejection & { content: { headers: HeaderFields } } {
  return { status: 503, content: { headers: { "Retry-After": RETRY_AFTER_SECONDS } } };
}

export function refuseForNow(invite: IncomingInvite): void {
  const { status, content } = notNow();
  invite.reject(status, undefined, content.headers);
}

/** SIP signaling of an inbound call for one of our agents. */
export class InboundSipCall implements CallSignaling {
  readonly #options: InboundSipCallOptions;
  readonly #srtp: CallAudioSettings["srtp"];
  #session: PhoneSession | undefined;
  #media: MediaLeg | undefined;

  constructor(options: InboundSipCallOptions) {
    this.#options = options;
    this.#srtp = { keys: new LocalSrtpKeys(), isRequired: options.isSrtpRequired };
  }

  async establish(call: ActiveCall): Promise<void> {
    const { invite, sessions, resolver } = this.#options;
    const endEarly = (): void => call.hangUp(outcomeOfInviteEnd(invite.signal.reason as InviteEnd));
    invite.signal.addEventListener("abort", endEarly, { once: true });
    if (invite.signal.aborted) endEarly();
    invite.ring();
    const { media, settings } = await this.#openMedia(call);
    const resolveHosts = createMediaHostResolver(resolver, settings.address);
    const isOfferOurs = invite.body === "";
    const local = isOfferOurs ? undefined : answerCallOffer(await resolveHosts(invite.body), settings);
    if (local?.ok === false) {
      invite.reject(local.status, local.reason);
      return call.hangUp(audioMismatch(`SDP offer rejected: ${local.status} ${local.reason}`));
    }
    if (local !== undefined) media.connect(toMediaPath(local.audio));
    // The greeting is made while the phone rings, so that the caller hears it from its first word.
    await Promise.race([media.prepared, call.decided]);
    if (call.signal.aborted) return;
    const session = new PhoneSession({ call, media, settings, resolveHosts, sessions });
    session.follow(invite.session);
    const accepting = invite.accept({ sdp: local?.sdp ?? buildOffer(settings) });
    this.#session = session;
    call.answered();
    // Audio begins with the answer, not with its ACK, which may be lost and arrive seconds later.
    if (!isOfferOurs) media.start();
    const accepted = await accepting;
    if (!accepted.ok) return;
    media.confirm();
    if (isOfferOurs && (await session.connect(accepted.session.remoteSdp))) media.start();
  }

  async transfer(call: ActiveCall, route: TransferRoute): Promise<TransferResult> {
    const { transfer } = this.#options;
    const [session, media] = [this.#session, this.#media];
    if (transfer === undefined || session === undefined || media === undefined) return notAnswered;
    return await transfer({ call, media, session }, route);
  }

  /** Ends the session of an answered call; rejects the INVITE of an unanswered one. */
  end({ endReason }: CallOutcome): void {
    const { invite } = this.#options;
    if (this.#session !== undefined) this.#session.bye();
    else if (endReason === "node_lost") invite.reject(503);
    else if (endReason === "rejected_by_webhook") invite.reject(603);
    else invite.reject(endReason === "error_internal" ? 500 : 480);
  }

  async #openMedia(call: ActiveCall): Promise<{ media: MediaLeg; settings: CallAudioSettings }> {
    const { invite, mediaAddress: address, openMedia } = this.#options;
    // Wideband if the caller's first offer has it. A caller without an offer gets narrowband, which every
    // telephone supports.
    const first = findOfferedCodec(invite.body, { address, codecs: audioCodecs, srtp: this.#srtp });
    const sampleRateHz = sampleRateOf(first?.name);
    try {
      const media = await openMedia(sampleRateHz, call.mediaHandlers);
      call.takeMedia(media);
      this.#media = media;
      return {
        media,
        settings: toAudioSettings({
          address,
          port: media.rtpPort,
          sampleRateHz,
          srtp: this.#srtp,
          isLoopbackAllowed: isLoopback(invite.source.address),
        }),
      };
    } catch (error) {
      if (error instanceof NoMediaCapacityError) refuseForNow(invite);
      throw error;
    }
  }
}
