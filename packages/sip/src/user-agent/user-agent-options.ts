import type { Clock } from "../clock.ts";
import type { HeaderList } from "../messages/header-list.ts";
import type { SipRequest } from "../messages/message.ts";
import type { MessageTrace } from "../transactions/transaction-layer.ts";
import type { ListenOptions } from "../transport/listen.ts";
import type { NextHop } from "../transport/locate.ts";
import type { Resolver } from "../transport/resolver.ts";
import type { Hop, SocketAddress } from "../transport/transport.ts";
import type { Party } from "./identity.ts";
import type { IncomingInvite } from "./invite/incoming-invite.ts";
import type { RegistrationOptions } from "./registration.ts";
import type { Rejection } from "./request-rules.ts";
import type { SessionTimerSettings } from "./session/session-timer.ts";

export interface UserAgentOptions {
  /** UDP and TCP listen here, one address per family; port 0 chooses a free port. */
  bind: SocketAddress | readonly SocketAddress[];
  tls?: NonNullable<ListenOptions["tls"]>;
  /**
   * The address in Via and Contact at which peers reach us. Default: `bind.address`, or this machine's first
   * external one.
   */
  publicAddress?: string;
  /** The value of User-Agent and Server. */
  userAgent?: string;
  /** Called for an incoming call, which must be accepted or rejected; a thrown error rejects it with 500. */
  onInvite: (invite: IncomingInvite) => void;
  /** The status for OPTIONS outside a call, for example 503 if calls are not accepted. Default 200. */
  onOptions?: (request: SipRequest) => number;
  /**
   * Rejects an INVITE outside a dialog before it costs a transaction: the rejection is sent without state (RFC
   * 3261 §8.2.7); `undefined` passes the INVITE to `onInvite`. Retransmissions of an INVITE with a pending
   * promise are dropped. Default: accepts all.
   */
  screenInvite?: (invite: InviteToScreen) => Rejection | undefined | Promise<Rejection | undefined>;
  /**
   * False drops the request instead of sending a stateless rejection to this source. A challenge is always sent.
   * Default: always true.
   */
  mayReject?: (source: SocketAddress) => boolean;
  /** Called for every message, for traces. */
  onMessage?: (trace: MessageTrace) => void;
  /** Called for a message that was dropped, rejected as malformed or could not be sent. */
  onDropped?: (reason: string, peer: SocketAddress) => void;
  /** Called for an error thrown by an application callback or by the stack itself; calls continue. */
  onError?: (error: unknown) => void;
  /** New requests above this number of open transactions get 503. Default 50,000. */
  maxTransactions?: number;
  /** Session timers (RFC 4028). Default: half an hour, at least 90 s. */
  sessionTimer?: Partial<SessionTimerSettings>;
  /** Default: the name servers and hosts file of this machine. */
  resolver?: Resolver;
  clock?: Clock;
  /** From 0 to 1, for delays that must differ from the peer's. Default: `Math.random`. */
  random?: () => number;
}

/** An INVITE without a transaction, and its source. */
export interface InviteToScreen extends SipRequest {
  source: Hop;
}

export interface OptionsRequest {
  to: Party;
  from: Party;
  /** Default: derived from the URI of `to`. */
  destination?: NextHop;
}

/** A query to a registrar about an address of record. */
export type RegistrationQuery = Pick<RegistrationOptions, "address" | "credentials"> & { server?: NextHop };

/** A response with any status, or a failure. */
export type OptionsResult =
  | { ok: true; status: number; reason: string; headers: HeaderList }
  | { ok: false; cause: "no_response" | "transport_error" };
