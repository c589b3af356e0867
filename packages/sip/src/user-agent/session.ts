import type { HeaderFields, HeaderList } from "../messages/header-list.ts";
import type { IncomingRefer } from "../subscriptions/incoming-refer.ts";
import type { ReferOptions, ReferResult } from "../subscriptions/outgoing-refer.ts";
import type { ReinviteAnswer } from "./incoming-offers.ts";
import type { DtmfInfo, DtmfInfoType } from "./info-dtmf.ts";
import type { OfferResult } from "./outgoing-offers.ts";
import type { Replaces } from "./replaces.ts";

/** How a session ended. */
export interface SessionEnd {
  /**
   * `no_ack`: the peer never acknowledged our 2xx, so it was ended by BYE (RFC 3261 §13.3.1.4). `lost`: it answered a
   * request with 408 or 481, or not at all (§12.2.1.2). `expired`: no sign of life came in time (RFC 4028 §10).
   * `replaced`: another call took its place (RFC 3891).
   */
  cause: "remote_bye" | "local_bye" | "no_ack" | "lost" | "expired" | "replaced" | "closed";
  /** Those of the peer's BYE: Reason (RFC 3326) and its like. */
  headers?: HeaderList;
}

/** What the peer said to a request. */
export type RequestResult =
  | { ok: true; status: number; headers: HeaderList }
  | { ok: false; cause: "rejected" | "no_response" | "ended"; status: number; reason: string };

/** An established call. */
export interface Session {
  /** Names the dialog: Call-ID and both tags. */
  readonly id: string;
  readonly callId: string;
  /** For {@link ReferOptions.replaces}, and for a new call that is to take this one's place at the peer. */
  readonly replaces: Replaces;
  /** The session descriptions in force. */
  readonly localSdp: string;
  readonly remoteSdp: string;
  /** Whether the peer holds us: it takes no audio. */
  readonly isHeld: boolean;
  /** Whether we hold the peer. */
  readonly isHolding: boolean;
  readonly isEnded: boolean;
  /** Resolves once, when either side has ended the call. Never rejects. */
  readonly ended: Promise<SessionEnd>;
  /**
   * Answers an offer of the peer by re-INVITE or UPDATE (hold, codec change). Without it every offer is answered by
   * what is in force, its direction turned towards the offer. A handler that throws refuses the offer with 500, as one
   * does that takes longer than 32 s; for an UPDATE 8 s, and 504. While we hold the peer, the answer is narrowed to it.
   */
  onReinvite: ((offer: string) => ReinviteAnswer | Promise<ReinviteAnswer>) | undefined;
  /** The peer answered {@link localSdp}, which a re-INVITE without an offer asked for. */
  onRemoteAnswer: ((answer: string) => void) | undefined;
  /** The peer told of a key by INFO. */
  onDtmf: ((key: DtmfInfo) => void) | undefined;
  /** The peer asks us to call somebody in its place. Without it every REFER is declined with 603. */
  onRefer: ((refer: IncomingRefer) => void) | undefined;
  /** Offers another description, by re-INVITE. `o=` is continued from the last one (RFC 3264 §8). Never rejects. */
  offer(sdp: string): Promise<OfferResult>;
  /** Holds the peer, who is then sent audio and asked for none (RFC 3264 §8.4). Idempotent, never rejects. */
  hold(): Promise<OfferResult>;
  /** Takes the peer back from hold. Idempotent, never rejects. */
  resume(): Promise<OfferResult>;
  /** Asks the peer to call somebody else, and resolves with what came of it. The call goes on until ended. Never rejects. */
  refer(options: ReferOptions): Promise<ReferResult>;
  /** Tells the peer of a key by INFO; telephone events in RTP are the usual way. Never rejects. */
  sendDtmf(digit: string, options?: { durationMs?: number; type?: DtmfInfoType }): Promise<RequestResult>;
  /** Asks whether the peer still knows the call; one that does not ends it as `lost`. Never rejects. */
  options(): Promise<RequestResult>;
  /**
   * Ends the call (RFC 3261 §15). {@link ended} resolves at once; the promise resolves when the peer has answered
   * the BYE or can no longer be expected to. Idempotent, never rejects.
   */
  bye(headers?: HeaderFields): Promise<void>;
}
