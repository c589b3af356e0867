import type { HeaderFields, HeaderList } from "../../messages/header-list.ts";
import type { IncomingRefer } from "../../subscriptions/incoming-refer.ts";
import type { ReferOptions, ReferResult } from "../../subscriptions/outgoing-refer.ts";
import type { ReinviteAnswer } from "./incoming-offers.ts";
import type { DtmfInfo, DtmfInfoOptions } from "./info-dtmf.ts";
import type { OfferResult } from "./outgoing-offers.ts";
import type { Replaces } from "./replaces.ts";

/** How a session ended. */
export interface SessionEnd {
  /**
   * `no_ack`: the peer did not acknowledge our 2xx, so the session was ended by BYE (RFC 3261 §13.3.1.4). `lost`:
   * the peer answered a request with 408 or 481, or not at all (§12.2.1.2). `expired`: there was no refresh in
   * time (RFC 4028 §10). `replaced`: another call replaced it (RFC 3891).
   */
  cause: "remote_bye" | "local_bye" | "no_ack" | "lost" | "expired" | "replaced" | "closed";
  /** The header fields of the peer's BYE, for example Reason (RFC 3326). */
  headers?: HeaderList;
}

/** The peer's response to a request. */
export type RequestResult =
  | { ok: true; status: number; headers: HeaderList }
  | { ok: false; cause: "rejected" | "no_response" | "ended"; status: number; reason: string };

/** An established call. */
export interface Session {
  /** Identifies the dialog: Call-ID and both tags. */
  readonly id: string;
  readonly callId: string;
  /** For {@link ReferOptions.replaces}, and for a new call that replaces this one at the peer. */
  readonly replaces: Replaces;
  /** The session descriptions in effect. */
  readonly localSdp: string;
  readonly remoteSdp: string;
  /** True if the peer has put us on hold: it receives no audio. */
  readonly isHeld: boolean;
  /** True if we have put the peer on hold. */
  readonly isHolding: boolean;
  readonly isEnded: boolean;
  /** Resolves when either side has ended the call. Never rejects. */
  readonly ended: Promise<SessionEnd>;
  /**
   * Answers the peer's offer in a re-INVITE or UPDATE (hold, codec change). Without a handler, every offer is
   * answered with the current description, adapted to the offer's direction. If the handler throws or takes
   * longer than 32 s, the offer is rejected with 500; for an UPDATE, 504 after 8 s. While the peer is on our
   * hold, the answer is narrowed to that.
   */
  onReinvite: ((offer: string) => ReinviteAnswer | Promise<ReinviteAnswer>) | undefined;
  /**
   * Returns the description to offer: in {@link hold} and {@link resume}, and if the peer requests an offer by a
   * re-INVITE without one (RFC 3261 §14.2), for example to connect another party. Without a handler, the last
   * description of the application is offered, which the peer's last offer may have narrowed.
   */
  onOfferNeeded: (() => string) | undefined;
  /**
   * Called with each answer of the peer to {@link localSdp} after the one that established the call: to an offer of
   * this side, a refresh included, or in the ACK of a re-INVITE without an offer.
   */
  onRemoteAnswer: ((answer: string) => void) | undefined;
  /** Called for a key that the peer sent by INFO. */
  onDtmf: ((key: DtmfInfo) => void) | undefined;
  /** Called if the peer asks us to call a third party. Without a handler, every REFER is declined with 603. */
  onRefer: ((refer: IncomingRefer) => void) | undefined;
  /** Offers a new description by re-INVITE, with `o=` continued from the last one (RFC 3264 §8). Never rejects. */
  offer(sdp: string): Promise<OfferResult>;
  /** Puts the peer on hold: it is sent audio but sends none (RFC 3264 §8.4). Idempotent, never rejects. */
  hold(): Promise<OfferResult>;
  /** Ends our hold. Idempotent, never rejects. */
  resume(): Promise<OfferResult>;
  /**
   * Asks the peer to call a third party, and resolves with the outcome. The call continues until ended. Never
   * rejects.
   */
  refer(options: ReferOptions): Promise<ReferResult>;
  /** Sends a key by INFO; RTP telephone events are the usual way. Never rejects. */
  sendDtmf(digit: string, options?: DtmfInfoOptions): Promise<RequestResult>;
  /** Checks that the peer still has the call; otherwise the call ends as `lost`. Never rejects. */
  options(): Promise<RequestResult>;
  /**
   * Ends the call (RFC 3261 §15). {@link ended} resolves at once; the promise resolves when the peer has answered
   * the BYE or has timed out. Idempotent, never rejects.
   */
  bye(headers?: HeaderFields): Promise<void>;
}
