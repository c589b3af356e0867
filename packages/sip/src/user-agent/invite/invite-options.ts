import type { DigestCredentials } from "../../digest/client.ts";
import type { HeaderFields, HeaderList } from "../../messages/header-list.ts";
import type { NextHop } from "../../transport/locate.ts";
import type { IdentityOptions, Party } from "../identity.ts";
import type { Replaces } from "../session/replaces.ts";
import type { Session } from "../session/session.ts";

export interface InviteOptions {
  to: Party;
  from: Party;
  /** The Call-ID of the call (RFC 3261 §20.8); must be globally unique. Default: random. */
  callId?: string;
  /** Default: the URI of `to`. */
  requestUri?: string;
  /** The next hop, for example a trunk. Default: derived from the Request-URI. */
  destination?: NextHop;
  /**
   * URIs of loose routers that the request passes after `destination`, nearest first: the Service-Route of a
   * registration (RFC 3608).
   */
  routes?: readonly string[];
  /** The offer; empty to request the peer's offer, which {@link onOffer} answers. */
  sdp: string;
  /** Answers the peer's offer if we made none; `undefined` ends the call. */
  onOffer?: (offer: string) => string | undefined | Promise<string | undefined>;
  /** Used after a 401 or 407. */
  credentials?: DigestCredentials;
  /** The caller's identity for the peer's network. */
  identity?: IdentityOptions;
  /** The peer's call that this one replaces (RFC 3891). */
  replaces?: Replaces;
  headers?: HeaderFields;
  /** Longest wait for a final response from the start of the call. Default 180 s. */
  ringTimeoutMs?: number;
  /** Maximum number of redirect targets that are called one after another. Default 5; 0 follows none. */
  maxRedirects?: number;
  /** False skips a target named by a 3xx. Default: all are allowed. */
  isRedirectAllowed?: (uri: string) => boolean;
  /** Cancels the call until it is answered. */
  signal?: AbortSignal;
  onProvisional?: (response: ProvisionalResponse) => void;
  /** Answers the peer's UPDATE offers before it answers the call, and acts as {@link Session.onReinvite} afterwards. */
  onReinvite?: NonNullable<Session["onReinvite"]>;
}

export interface ProvisionalResponse {
  status: number;
  reason: string;
  /** Early media; empty if there is none. */
  sdp: string;
  headers: HeaderList;
  /**
   * Identifies one of several peers that ring in parallel (RFC 3261 §12.1); empty if the response creates no
   * dialog.
   */
  dialogId: string;
}

export type InviteResult =
  | { ok: true; session: Session }
  | {
      ok: false;
      cause: "rejected" | "no_response" | "ring_timeout" | "canceled" | "transport_error";
      /** The status of the response; without a response, the substitute of RFC 3261 §8.1.3.1. */
      status: number;
      reason: string;
      /** The header fields of the response. */
      headers?: HeaderList;
      /** The pause before the next call that the peer requests (RFC 3261 §20.33). */
      retryAfterMs?: number;
    };

/** Why a call was not established. */
export type InviteFailure = Exclude<InviteResult, { ok: true }>;
