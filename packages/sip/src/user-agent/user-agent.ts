import { guardClock, systemClock } from "../clock.ts";
import { dialogKeyOfRequest } from "../dialogs/dialog.ts";
import { DigestClient, type DigestCredentials } from "../digest/client.ts";
import { TransactionLayer } from "../transactions/transaction-layer.ts";
import { HopHealth } from "../transport/hop-health.ts";
import { listenAll } from "../transport/listen.ts";
import { Locator, type NextHop } from "../transport/locate.ts";
import { SystemResolver } from "../transport/resolver.ts";
import type { Hop, SocketAddress, Transport } from "../transport/transport.ts";
import { TransportSet } from "../transport/transport-set.ts";
import type { DialogOwner, OpenCall, UserAgentCore } from "./core.ts";
import { uriOf } from "./identity.ts";
import { IncomingRequests } from "./incoming-requests.ts";
import type { InviteOptions, InviteResult } from "./invite/invite-options.ts";
import { OutgoingInvite } from "./invite/outgoing-invite.ts";
import { OptionsPinger, type PingOptions } from "./options-pinger.ts";
import { OwnAddresses } from "./own-addresses.ts";
import { Registration, type RegistrationOptions, registrarOf } from "./registration.ts";
import { defaultSessionTimer } from "./session/session-timer.ts";
import { type StandaloneRequest, StandaloneRequests } from "./standalone.ts";
import type {
  OptionsRequest,
  OptionsResult,
  RegistrationQuery,
  UserAgentOptions,
} from "./user-agent-options.ts";

const DEFAULT_MAX_TRANSACTIONS = 50_000;
const DEFAULT_CLOSE_TIMEOUT_MS = 3_000;

/** A SIP user agent, both client and server (RFC 3261 §8, §13). */
export class UserAgent {
  readonly #transports: TransportSet;
  /** The listening addresses with their protocols. */
  readonly listeners: readonly Hop[];
  /** The first listening address. */
  readonly address: SocketAddress;
  readonly #core: UserAgentCore;
  readonly #requests: IncomingRequests;
  readonly #registrations = new Set<Registration>();
  readonly #pingers = new Set<OptionsPinger>();
  #closing: Promise<void> | undefined;

  private constructor(options: Omit<UserAgentOptions, "bind" | "tls">, transports: readonly Transport[]) {
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
    const addresses = new OwnAddresses(this.#transports, this.address, options.publicAddress);
    const layer = new TransactionLayer({
      transports: this.#transports,
      health,
      clock,
      user: {
        screen: (request, source) => this.#requests.screen(request, source),
        onRequest: (transaction) => this.#requests.onRequest(transaction),
        onAck: (ack) => this.#core.dialogs.get(dialogKeyOfRequest(ack))?.onAck(ack),
      },
      hostFor: (peer) => addresses.hostFor(peer),
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
      contactFor: (user, peer, isSips) => addresses.contactFor(user, peer, isSips),
      reportError,
      guard: (callback) => {
        try {
          callback();
        } catch (error) {
          reportError(error);
        }
      },
    };
    this.#requests = new IncomingRequests(this.#core, options, () => this.#closing !== undefined);
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
    const fields = (hop: Hop) => ({
      Contact: this.#core.contactFor(undefined, hop),
      Accept: "application/sdp",
    });
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

  /** True if requests can be sent to hops of this protocol and address family. */
  canReach(hop: Pick<Hop, "protocol" | "address">): boolean {
    return this.#transports.find(hop) !== undefined;
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
