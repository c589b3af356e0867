import type { DigestCredentials } from "../digest/client.ts";
import type { HeaderFields, HeaderList } from "../messages/header-list.ts";
import type { NextHop } from "../transport/locate.ts";
import type { IdentityOptions, Party } from "./identity.ts";
import type { Replaces } from "./replaces.ts";
import type { Session } from "./session.ts";

export interface InviteOptions {
  to: Party;
  from: Party;
  /** Names the call in every message (RFC 3261 §20.8); has to be unique in the world. Default: random. */
  callId?: string;
  /** Default: the URI of `to`. */
  requestUri?: string;
  /** The next hop, such as a trunk. Default: the Request-URI says it. */
  destination?: NextHop;
  /**
   * URIs of loose routers that the request goes through after `destination`, the nearest first: the Service-Route of a
   * registration (RFC 3608).
   */
  routes?: readonly string[];
  /** The offer; empty to leave it to the peer, and then {@link onOffer} answers. */
  sdp: string;
  /** Answers the peer's offer where we made none; `undefined` gives the call up. */
  onOffer?: (offer: string) => string | undefined | Promise<string | undefined>;
  /** For a 401 or 407. */
  credentials?: DigestCredentials;
  /** Who the call is from for the peer's network. */
  identity?: IdentityOptions;
  /** The peer's call that this one is to take the place of (RFC 3891). */
  replaces?: Replaces;
  headers?: HeaderFields;
  /** The longest wait for a final response, from when the call is placed. Default 180 s. */
  ringTimeoutMs?: number;
  /** How many other targets a 3xx may send the call to, one after another. Default 5; 0 follows none. */
  maxRedirects?: number;
  /** Whether a target that a 3xx names may be called. Default: any. */
  isRedirectAllowed?: (uri: string) => boolean;
  /** Cancels the call while it is not answered. */
  signal?: AbortSignal;
  onProvisional?: (response: ProvisionalResponse) => void;
  /** Answers offers that the peer makes by UPDATE before it has answered; afterwards as {@link Session.onReinvite}. */
  onReinvite?: NonNullable<Session["onReinvite"]>;
}

export interface ProvisionalResponse {
  status: number;
  reason: string;
  /** Early media; empty where there is none. */
  sdp: string;
  headers: HeaderList;
  /** Tells several peers apart that ring at once (RFC 3261 §12.1); empty where the response makes no dialog. */
  dialogId: string;
}

export type InviteResult =
  | { ok: true; session: Session }
  | {
      ok: false;
      cause: "rejected" | "no_response" | "ring_timeout" | "cancelled" | "transport_error";
      /** That of the response; where none came, the status that RFC 3261 §8.1.3.1 puts in its place. */
      status: number;
      reason: string;
      /** Those of the response. */
      headers?: HeaderList;
      /** How long the peer asks us not to call it again (RFC 3261 §20.33). */
      retryAfterMs?: number;
    };

/** Why a call was not established. */
export type InviteFailure = Exclude<InviteResult, { ok: true }>;
