import { isIP } from "node:net";
import {
  buildOffer,
  type IncomingInvite,
  LocalSrtpKeys,
  type ReferOptions,
  type ReferResult,
  type Session,
} from "@parley/sip";
import type { MediaLeg } from "../../media/media-legs.ts";
import { isLoopback } from "../../platform/destination-address.ts";
import type { ActiveCall } from "../active-calls/active-call.ts";
import { audioMismatch, outcomeOfEnd } from "./call-end.rules.ts";
import type { ResolveMediaHosts } from "./media-hosts.ts";
import {
  answerCallOffer,
  type CallAudioSettings,
  connectAnswered,
  newOrigin,
  renegotiate,
  toMediaPath,
} from "./sip-audio.ts";

/** Answered phone calls of this node by their SIP sessions. */
export type PhoneSessions = WeakMap<Session, PhoneSession>;

export interface PhoneSessionOptions {
  call: Pick<ActiveCall, "id" | "hangUp" | "signal" | "organizationId">;
  media: Pick<MediaLeg, "connect" | "hearKey">;
  settings: CallAudioSettings;
  resolveHosts: ResolveMediaHosts;
  sessions: PhoneSessions;
}

/** The SIP session of an answered phone call. The session of another party may replace it (RFC 3891). */
export class PhoneSession {
  readonly #options: PhoneSessionOptions;
  #session: Session | undefined;
  #transfer: Promise<unknown> | undefined;

  constructor(options: PhoneSessionOptions) {
    this.#options = options;
  }

  get callId(): string {
    return this.#options.call.id;
  }

  get organizationId(): string {
    return this.#options.call.organizationId;
  }

  /**
   * Makes this session the call's: passes its offers, answers and key presses on to the media, and ends the call with
   * it. Call it before the session is established: the peer's next request may arrive with its ACK.
   */
  follow(session: Session, settings = this.#options.settings): void {
    const { call, media, resolveHosts, sessions } = this.#options;
    this.#session = session;
    sessions.set(session, this);
    session.onReinvite = async (offer) => renegotiate(await resolveHosts(offer), settings, media);
    session.onOfferNeeded = () => buildOffer(settings, session.localSdp);
    session.onRemoteAnswer = (answer) => void this.connect(answer, settings, session.localSdp);
    session.onDtmf = ({ digit }) => media.hearKey(digit);
    void session.ended.then(async ({ cause }) => {
      if (cause === "remote_bye") await this.#transfer;
      // If another session has replaced this one, the call goes on.
      if (this.#session === session) call.hangUp(outcomeOfEnd(cause));
    });
  }

  /**
   * Connects the audio after the peer's answer. Ends the call and returns false if the two sides have no audio in common.
   *
   * @param offer Our description that was answered. Default: that of a new call.
   */
  async connect(answer: string, settings = this.#options.settings, offer?: string): Promise<boolean> {
    const { call, media, resolveHosts } = this.#options;
    const resolved = await resolveHosts(answer);
    if (call.signal.aborted) return false;
    const failure = connectAnswered(resolved, settings, media, offer);
    if (failure !== undefined) call.hangUp(audioMismatch(`SDP answer: ${failure}`));
    return failure === undefined;
  }

  /**
   * Continues the call with the party that sent this INVITE, whose Replaces names the current session (RFC 3891 §3). If
   * the party's audio is unusable, the INVITE is rejected and the call goes on as before.
   *
   * @param address Our audio's address for this party.
   */
  async continueWith(invite: IncomingInvite, address: string): Promise<void> {
    const { call, media, resolveHosts } = this.#options;
    const settings = this.#settingsFor(invite, address);
    const offer = invite.body === "" ? undefined : await resolveHosts(invite.body);
    // RFC 3891 §3: the call has ended, or another party has just replaced the session.
    if (call.signal.aborted || invite.replaces !== this.#session) return invite.reject(603);
    if (invite.signal.aborted) return;
    if (isIP(address) !== isIP(this.#options.settings.address)) return invite.reject(488);
    const answer = offer === undefined ? undefined : answerCallOffer(offer, settings);
    if (answer?.ok === false) return invite.reject(answer.status, answer.reason);
    this.follow(invite.session, settings);
    if (answer !== undefined) media.connect(toMediaPath(answer.audio));
    const accepted = await invite.accept({ sdp: answer?.sdp ?? buildOffer(settings) });
    if (accepted.ok && answer === undefined) await this.connect(accepted.session.remoteSdp, settings);
  }

  /** Asks the other side to call a third party in our place (RFC 3515). Never rejects. */
  async refer(options: ReferOptions): Promise<ReferResult> {
    const over = {
      ok: false,
      cause: "ended",
      status: 481,
      reason: "Call/Transaction Does Not Exist",
    } as const;
    return (await this.#session?.refer(options)) ?? over;
  }

  /** If the other side hangs up before this step of a transfer is over, the call ends after it: it may end the call otherwise. */
  async endAfter<Result>(step: Promise<Result>): Promise<Result> {
    this.#transfer = step.catch(() => undefined);
    return await step;
  }

  bye(): void {
    void this.#session?.bye();
  }

  /** The same audio in a new session: its own keys, so that the former party cannot decrypt it. */
  #settingsFor({ source }: IncomingInvite, address: string): CallAudioSettings {
    const { settings } = this.#options;
    return {
      ...settings,
      address,
      origin: newOrigin(),
      srtp: { ...settings.srtp, keys: new LocalSrtpKeys() },
      isLoopbackAllowed: isLoopback(source.address),
    };
  }
}
