import { networkInterfaces } from "node:os";
import { type Clock, guardClock, systemClock } from "../clock.ts";
import { Dialog, dialogKey, dialogKeyOfRequest } from "../dialogs/dialog.ts";
import { DigestClient, type DigestCredentials } from "../digest/client.ts";
import type { HeaderList } from "../messages/header-list.ts";
import type { SipRequest } from "../messages/message.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import {
  type MessageTrace,
  type Screening,
  type StatelessAnswer,
  TransactionLayer,
} from "../transactions/transaction-layer.ts";
import { HopHealth } from "../transport/hop-health.ts";
import { listenAll, type ListenOptions } from "../transport/listen.ts";
import { Locator, type NextHop } from "../transport/locate.ts";
import { type Resolver, SystemResolver } from "../transport/resolver.ts";
import type { Hop, SocketAddress, Transport } from "../transport/transport.ts";
import { TransportSet } from "../transport/transport-set.ts";
import { hostOf } from "../transport/via-rules.ts";
import type { DialogOwner, OpenCall, UserAgentCore } from "./core.ts";
import { IncomingInvite } from "./invite/incoming-invite.ts";
import { type Party, uriOf } from "./identity.ts";
import { OptionsPinger, type PingOptions } from "./options-pinger.ts";
import type { InviteOptions, InviteResult } from "./invite/invite-options.ts";
import { OutgoingInvite } from "./invite/outgoing-invite.ts";
import { Registration, type RegistrationOptions, registrarOf } from "./registration.ts";
import { readReplaces } from "./session/replaces.ts";
import { capabilities, type Rejection, rejectionOf } from "./request-rules.ts";
import {
  defaultSessionTimer,
  rejectionOfInterval,
  type SessionTimerSettings,
} from "./session/session-timer.ts";
import { type StandaloneRequest, StandaloneRequests } from "./standalone.ts";

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

const DEFAULT_MAX_TRANSACTIONS = 50_000;
const DEFAULT_CLOSE_TIMEOUT_MS = 3_000;

/** A SIP user agent, both client and server (RFC 3261 §8, §13). */
export class UserAgent {
  readonly #options: Omit<UserAgentOptions, "bind" | "tls">;
  readonly #transports: TransportSet;
  /** The listening addresses with their protocols. */
  readonly listeners: readonly Hop[];
  /** The first listening address. */
  readonly address: SocketAddress;
  readonly #core: UserAgentCore;
  /** Looked up once: the answer to a message must match the address from which it was sent. */
  readonly #outerAddresses = { IPv4: outerAddress("IPv4"), IPv6: outerAddress("IPv6") };
  readonly #registrations = new Set<Registration>();
  readonly #pingers = new Set<OptionsPinger>();
  #closing: Promise<void> | undefined;

  private constructor(options: Omit<UserAgentOptions, "bind" | "tls">, transports: readonly Transport[]) {
    this.#options = options;
    this.#transports = new TransportSet(transports);
    const [first] = transports;
    if (first === undefined) throw new Error("a user agent needs a transport");
    this.address = first.localAddress;
    this.listeners = transports
      .map(({ protocol, localAddress }) => ({ protocol, ...localAddress }))
      .filter(({ port }) => port !== 0);
    const reportError = (error: unknown): void => options.onError?.(error);
    const clock = guardClock(options.clock ?? systemClock, reportError);
    const health = new HopHealth(clock);
    const layer = new TransactionLayer({
      transports: this.#transports,
      health,
      clock,
      user: {
        screen: (request, source) => this.#screen(request, source),
        onRequest: (transaction) => this.#onRequest(transaction),
        onAck: (ack) => this.#core.dialogs.get(dialogKeyOfRequest(ack))?.onAck(ack),
      },
      hostFor: (peer) => this.#hostFor(peer),
      serverName: options.userAgent,
      maxTransactions: options.maxTransactions ?? DEFAULT_MAX_TRANSACTIONS,
      mayReject: options.mayReject ?? (() => true),
      onMessage: options.onMessage,
      onDropped: options.onDropped ?? (() => undefined),
      onFault: reportError,
    });
    this.#core = {
      clock,
      layer,
      userAgentName: options.userAgent,
      sessionTimer: { ...defaultSessionTimer, ...options.sessionTimer },
      random: options.random ?? Math.random,
      locator: new Locator({
        resolver: options.resolver ?? new SystemResolver(),
        health,
        clock,
        random: Math.random,
        isReachable: (hop) => this.canReach(hop),
      }),
      dialogs: new Map<string, DialogOwner>(),
      openCalls: new Set<OpenCall>(),
      contactFor: (user, peer, isSips) => this.#contactFor(user, peer, isSips),
      reportError,
      guard: (callback) => {
        try {
          callback();
        } catch (error) {
          reportError(error);
        }
      },
    };
  }

  /** Listens on UDP and TCP, and on TLS if `tls` has a port; rejects if an address cannot be bound. */
  static async listen(options: UserAgentOptions): Promise<UserAgent> {
    return new UserAgent(options, await listenAll({ clock: systemClock, ...options }));
  }

  /** Uses existing transports, which the user agent closes. */
  static on(
    transports: Transport | readonly Transport[],
    options: Omit<UserAgentOptions, "bind" | "tls">,
  ): UserAgent {
    return new UserAgent(options, Array.isArray(transports) ? transports : [transports]);
  }

  /** Open transactions and calls, for metrics and leak tests. */
  get counts(): { transactions: number; dialogs: number; calls: number } {
    const { layer, dialogs, openCalls } = this.#core;
    return { transactions: layer.transactionCount, dialogs: dialogs.size, calls: openCalls.size };
  }

  /** Places a call. Resolves with the outcome and never rejects. */
  invite(options: InviteOptions): Promise<InviteResult> {
    if (this.#closing !== undefined) {
      return Promise.resolve({
        ok: false,
        cause: "transport_error",
        status: 503,
        reason: "Service Unavailable",
      });
    }
    return new OutgoingInvite(this.#core, options).run();
  }

  /** Checks that a peer is available by OPTIONS (RFC 3261 §11). Resolves within 32 s and never rejects. */
  async options({ to, from, destination }: OptionsRequest): Promise<OptionsResult> {
    const requestUri = uriOf(to);
    const fields = (hop: Hop) => ({ Contact: this.#contactFor(undefined, hop), Accept: "application/sdp" });
    return this.#query({ method: "OPTIONS", requestUri, to, from, fields }, destination);
  }

  /**
   * Queries a registrar for the bindings of an address, by a REGISTER without Contact (RFC 3261 §10.2.3). This
   * shows whether registration would succeed and changes nothing. Resolves within 32 s per challenge and never
   * rejects.
   */
  async queryRegistration({ address, server, credentials }: RegistrationQuery): Promise<OptionsResult> {
    const requestUri = registrarOf(address);
    const request = { method: "REGISTER", requestUri, to: address, from: address, fields: () => ({}) };
    return this.#query(request, server, credentials);
  }

  async #query(
    request: StandaloneRequest,
    destination: NextHop | undefined,
    credentials?: DigestCredentials,
  ): Promise<OptionsResult> {
    const target = await this.#core.locator.locate(destination ?? request.requestUri).catch(() => undefined);
    if (target === undefined || this.#closing !== undefined) return { ok: false, cause: "transport_error" };
    const digest = credentials && new DigestClient(credentials);
    const reply = await new StandaloneRequests(this.#core, digest).send(request, target);
    if ("failure" in reply) {
      return { ok: false, cause: reply.failure === "transport" ? "transport_error" : "no_response" };
    }
    const { status, reason, headers } = reply.response;
    return { ok: true, status, reason, headers };
  }

  /** Registers an address at once, and keeps it registered until it or the user agent is closed (RFC 3261 §10). */
  register(options: RegistrationOptions): Registration {
    const registration = new Registration(this.#core, options, () =>
      this.#registrations.delete(registration),
    );
    this.#registrations.add(registration);
    return registration;
  }

  /** Pings a peer at intervals, starting at once, until it or the user agent is closed. */
  watch(options: PingOptions): OptionsPinger {
    const pinger = new OptionsPinger(this.#core, options, () => this.#pingers.delete(pinger));
    this.#pingers.add(pinger);
    return pinger;
  }

  /** Answers requests that need no transaction: those outside dialogs other than INVITE, and rejected INVITEs. */
  #screen(request: SipRequest, source: Hop): Screening | Promise<Screening> {
    if (request.method === "CANCEL")
      return this.#core.layer.findCanceledInvite(request) === undefined ? { status: 481 } : undefined;
    // §12.2.2: a request in an unknown dialog is answered 481.
    if (request.to.parameters.has("tag"))
      return this.#core.dialogs.has(dialogKeyOfRequest(request)) ? undefined : { status: 481 };
    const rejection = rejectionOf(request);
    if (rejection !== undefined) return rejection;
    if (request.method === "INVITE")
      return this.#rejectionOfInvite(request) ?? this.#screenInvite(request, source);
    if (request.method === "OPTIONS") return this.#answerOptions(request);
    // RFC 3515 §2.4.1 permits REFER outside a dialog, but its sender is a stranger.
    if (request.method === "REFER") return { status: 403 };
    // §15.1.2 for BYE; the other methods also belong to a dialog.
    return { status: 481 };
  }

  #screenInvite(request: SipRequest, source: Hop): Screening | Promise<Screening> {
    const failed = (error: unknown): Rejection => {
      this.#options.onError?.(error);
      return { status: 500 };
    };
    try {
      const screening = this.#options.screenInvite?.({ ...request, source });
      return screening instanceof Promise ? screening.catch(failed) : screening;
    } catch (error) {
      return failed(error);
    }
  }

  #onRequest(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (request.method === "CANCEL") this.#onCancel(transaction);
    else if (request.to.parameters.has("tag")) this.#onRequestInDialog(transaction);
    else this.#onInvite(transaction);
  }

  /** RFC 3261 §9.2. */
  #onCancel(cancel: ServerTransaction): void {
    const invite = this.#core.layer.findCanceledInvite(cancel.request);
    if (invite === undefined) {
      cancel.respond(481);
      return;
    }
    cancel.localTag = invite.localTag;
    cancel.respond(200);
    if (invite.isWaitingForFinal) invite.onCancel?.();
  }

  #onRequestInDialog(transaction: ServerTransaction): void {
    const owner = this.#core.dialogs.get(dialogKeyOfRequest(transaction.request));
    if (owner === undefined) transaction.respond(481);
    else owner.onRequest(transaction);
  }

  #rejectionOfInvite(request: SipRequest): Rejection | undefined {
    if (this.#closing !== undefined) return { status: 503 };
    // §12.1.1, §8.1.1.8: without a Contact, our requests could not reach the caller.
    if (Dialog.asServer(request, "") === undefined)
      return { status: 400, content: { reason: "Bad Contact" } };
    const rejection = rejectionOfInterval(request, this.#core.sessionTimer.minSeconds);
    if (rejection !== undefined) return rejection;
    const replaced = this.#findReplaced(request);
    return typeof replaced === "number" ? { status: replaced } : undefined;
  }

  #onInvite(transaction: ServerTransaction): void {
    const { request, localTag } = transaction;
    // Checked again, because the screening may have taken time.
    const rejection = this.#rejectionOfInvite(request);
    const dialog = Dialog.asServer(request, localTag);
    const replaced = this.#findReplaced(request);
    if (rejection !== undefined || dialog === undefined || typeof replaced === "number") {
      transaction.respond(rejection?.status ?? 400, rejection?.content);
      return;
    }
    // §17.2.1: sent at once, so that the caller stops retransmitting the INVITE.
    transaction.respond(100);
    const invite = new IncomingInvite(this.#core, transaction, dialog, replaced);
    try {
      this.#options.onInvite(invite);
    } catch (error) {
      this.#options.onError?.(error);
      invite.reject(500);
    }
  }

  /** RFC 3891 §3: the dialog that the call replaces, or the status that rejects the call. */
  #findReplaced({ headers }: SipRequest): DialogOwner | number | undefined {
    const replaces = readReplaces(headers);
    if (replaces === undefined) return undefined;
    if (replaces === "malformed") return 400;
    const { callId, toTag, fromTag, isEarlyOnly } = replaces;
    const owner = this.#core.dialogs.get(dialogKey({ callId, localTag: toTag, remoteTag: fromTag }));
    return owner === undefined ? 481 : (owner.rejectionOfReplacement(isEarlyOnly) ?? owner);
  }

  /** §11.2. */
  #answerOptions(request: SipRequest): StatelessAnswer {
    let status = this.#closing === undefined ? 200 : 503;
    try {
      if (status === 200) status = this.#options.onOptions?.(request) ?? 200;
    } catch (error) {
      this.#options.onError?.(error);
      status = 500;
    }
    return { status, content: { headers: { ...capabilities, Accept: "application/sdp" } } };
  }

  /** True if requests can be sent to hops of this protocol and address family. */
  canReach(hop: Pick<Hop, "protocol" | "address">): boolean {
    return this.#transports.find(hop) !== undefined;
  }

  #contactFor(user: string | undefined, peer: Hop, isSips = false): string {
    const userPart = user === undefined ? "" : `${encodeURIComponent(user).replaceAll("%2B", "+")}@`;
    const port = this.#transports.localPort(peer);
    // RFC 3261 §26.2.2: a sips URI implies TLS.
    const isImplied = peer.protocol === "UDP" || isSips;
    const transport = isImplied ? "" : `;transport=${peer.protocol.toLowerCase()}`;
    // RFC 5626 §4.3: without a listener, requests must use the existing connection.
    const isFlow = this.#transports.find(peer)?.localAddress.port === 0;
    const host = `${hostOf(this.#hostFor(peer))}${port === undefined ? "" : `:${port}`}`;
    return `<${isSips ? "sips" : "sip"}:${userPart}${host}${transport}${isFlow ? ";ob" : ""}>`;
  }

  /** A socket bound to every address is reached locally by loopback, and from other machines by an external address. */
  #hostFor(peer: Hop): string {
    const { publicAddress } = this.#options;
    const isIPv6 = peer.address.includes(":");
    if (publicAddress !== undefined && publicAddress.includes(":") === isIPv6) return publicAddress;
    const { address } = this.#transports.find(peer)?.localAddress ?? this.address;
    if (address !== "0.0.0.0" && address !== "::") return address;
    const loopback = isIPv6 ? "::1" : "127.0.0.1";
    if (peer.address === loopback || peer.address.startsWith("127.")) return loopback;
    return (isIPv6 ? this.#outerAddresses.IPv6 : this.#outerAddresses.IPv4) ?? loopback;
  }

  /**
   * Ends every call (by BYE, CANCEL or 503, as its state requires), removes every registration, waits for the
   * peers up to the deadline, and closes the transports. New calls get 503 in the meantime. Idempotent.
   */
  close({ deadlineMs = DEFAULT_CLOSE_TIMEOUT_MS }: { deadlineMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  async #close(deadlineMs: number): Promise<void> {
    const { clock, openCalls, layer } = this.#core;
    const { promise: deadline, resolve } = Promise.withResolvers<undefined>();
    const timer = clock.schedule(deadlineMs, () => resolve(undefined));
    for (const pinger of this.#pingers) pinger.close();
    const closing = [...openCalls, ...this.#registrations].map((each) => each.close());
    await Promise.race([Promise.all(closing), deadline]);
    timer.cancel();
    for (const each of [...openCalls, ...this.#registrations]) each.abandon();
    layer.terminateAll();
    await this.#transports.close();
  }
}

/** The first address of this machine that others can reach, by family. */
function outerAddress(family: "IPv4" | "IPv6"): string | undefined {
  const entries = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return entries.find((entry) => entry.family === family && !entry.internal)?.address;
}
