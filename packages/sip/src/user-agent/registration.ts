import type { Timer } from "../clock.ts";
import type { DialogReply } from "../dialogs/dialog-client.ts";
import { DigestClient, type DigestCredentials } from "../digest/client.ts";
import { isSips, parseUri } from "../grammar/uri.ts";
import { addressesOf, type SipResponse } from "../messages/message.ts";
import { readDeltaSeconds, retryAfterMs } from "../messages/delta-seconds.ts";
import type { NextHop } from "../transport/locate.ts";
import type { Destination, Hop } from "../transport/transport.ts";
import type { OpenCall, UserAgentCore } from "./core.ts";
import { type Party, uriOf } from "./identity.ts";
import { StandaloneRequests } from "./standalone.ts";

export interface RegistrationOptions {
  /** The address of record: To and From of each REGISTER (RFC 3261 §10.2). */
  address: Party;
  /** The Request-URI, without a user part. Default: `sip:` and the host of `address`. */
  registrar?: string;
  /** The servers, tried in turn if one fails. Default: the server named by `registrar`. */
  servers?: readonly NextHop[];
  credentials?: DigestCredentials;
  /** The user part of Contact, to which calls to us are addressed. Default: that of `address`. */
  contactUser?: string;
  /** Requested lifetime of the binding; the registrar decides. Default 600. */
  expiresSeconds?: number;
  /** Called for each change of {@link Registration.state}. */
  onChange?: (state: RegistrationState) => void;
}

export type RegistrationState =
  | { status: "registering" }
  /** `undefined` for the server named by the registrar's URI. */
  | {
      status: "registered";
      server: NextHop | undefined;
      expiresSeconds: number;
      /** URIs that calls from this address must pass, nearest first (RFC 3608). */
      serviceRoutes: readonly string[];
    }
  | {
      status: "failed";
      reason: string;
      /** The status of the response, if any. */
      responseStatus: number | undefined;
      retryInMs: number;
    }
  | { status: "closed" };

const DEFAULT_EXPIRES_SECONDS = 600;
const MAX_EXPIRES_SECONDS = 24 * 60 * 60;

/** RFC 5626 §4.5: the first pause after every server has failed, and the longest one. */
const MIN_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 1_800_000;

/** Random delay, because a restarting registrar breaks all connections at once. */
const MAX_RECOVERY_PAUSE_MS = 1_000;

/** Upper limit of a registrar's Retry-After. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Maximum number of 423 responses in a row before the registration counts as failed. */
const MAX_INTERVAL_RAISES = 2;

/** An unanswered refresh takes 32 s to fail, and another server needs time after that. */
const REFRESH_MARGIN_SECONDS = 70;

/** §10.2: a Request-URI of the domain without the user; empty if there is no domain. */
export function registrarOf(address: Party): string {
  const uri = parseUri(uriOf(address));
  return uri === undefined || uri.scheme === "tel" ? "" : `${uri.scheme}:${uri.host}`;
}

/**
 * Keeps one address registered (RFC 3261 §10.2): refreshes the binding before it expires, tries the next server
 * if one fails, and pauses for a growing time after all have failed. Runs until closed.
 */
export class Registration implements OpenCall {
  readonly #core: UserAgentCore;
  readonly #options: RegistrationOptions;
  readonly #requests: StandaloneRequests;
  readonly #registrar: string;
  readonly #servers: readonly (NextHop | undefined)[];
  readonly #onClosed: () => void;
  #state: RegistrationState = { status: "registering" };
  #serverIndex = 0;
  /** Failures since the last success. */
  #failures = 0;
  #expiresSeconds: number;
  /** As sent in the last REGISTER. */
  #contact = "";
  /** As registered, and since when. */
  #registered: { contact: string; sinceMs: number } | undefined;
  #intervalRaises = 0;
  #timer: Timer | undefined;
  /** The destination of the last REGISTER. */
  #hop: Hop | undefined;
  #stopKeepAlive: () => void = () => undefined;
  /** The pending REGISTER, if any. */
  #attempt: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #isAbandoned = false;

  constructor(core: UserAgentCore, options: RegistrationOptions, onClosed: () => void) {
    const {
      address,
      registrar,
      servers = [],
      credentials,
      expiresSeconds = DEFAULT_EXPIRES_SECONDS,
    } = options;
    this.#core = core;
    this.#options = options;
    this.#onClosed = onClosed;
    this.#requests = new StandaloneRequests(core, credentials && new DigestClient(credentials));
    this.#registrar = registrar ?? registrarOf(address);
    this.#servers = servers.length > 0 ? servers : [undefined];
    this.#expiresSeconds = expiresSeconds;
    this.#register();
  }

  get state(): RegistrationState {
    return this.#state;
  }

  #register(): void {
    this.#attempt = this.#send(this.#expiresSeconds).then((reply) => this.#receive(reply));
  }

  async #send(expiresSeconds: number): Promise<DialogReply> {
    const destination = await this.#locate();
    if (destination === undefined) return { failure: "transport" };
    const { address } = this.#options;
    const fields = (hop: Hop) => {
      this.#hop = hop;
      this.#contact = this.#contactFor(hop);
      const former = this.#registered?.contact;
      // §10.2.2: the port of a closed connection no longer reaches us.
      const isMoved = former !== undefined && former !== this.#contact;
      const Contact = isMoved ? `${this.#contact}, ${former};expires=0` : this.#contact;
      // RFC 3327 §5.1: without it, a registrar may reject the Path added by an edge proxy. Path itself is not
      // used here.
      return { Contact, Expires: String(expiresSeconds), Supported: "path" };
    };
    const request = { method: "REGISTER", requestUri: this.#registrar, to: address, from: address, fields };
    return this.#requests.send(request, destination);
  }

  #locate(): Promise<Destination | undefined> {
    const server = this.#servers[this.#serverIndex] ?? this.#registrar;
    return this.#core.locator.locate(server).catch(() => undefined);
  }

  #contactFor(hop: Hop): string {
    const uri = parseUri(uriOf(this.#options.address));
    const user = uri?.scheme === "tel" ? uri.number : uri?.user;
    const isSecure = isSips(uriOf(this.#options.address)) && hop.protocol === "TLS";
    return this.#core.contactFor(this.#options.contactUser ?? user, hop, isSecure);
  }

  #receive(reply: DialogReply): void {
    if (this.#closing !== undefined) return;
    if ("failure" in reply) {
      const reason =
        reply.failure === "transport" ? "the registrar cannot be reached" : "the registrar does not answer";
      this.#fail(reason, undefined, undefined);
    } else if (reply.response.status < 300) this.#succeed(reply.response);
    else if (!this.#raiseInterval(reply.response)) {
      const { status, reason } = reply.response;
      this.#fail(`${status} ${reason}`, status, retryAfterMs(reply.response));
    }
  }

  /** §10.2.8: a 423 contains the shortest allowed interval. */
  #raiseInterval({ status, headers }: SipResponse): boolean {
    const minSeconds = readDeltaSeconds(headers.get("min-expires")) ?? 0;
    if (status !== 423 || minSeconds <= this.#expiresSeconds || ++this.#intervalRaises > MAX_INTERVAL_RAISES)
      return false;
    this.#expiresSeconds = Math.min(minSeconds, MAX_EXPIRES_SECONDS);
    this.#register();
    return true;
  }

  #succeed(response: SipResponse): void {
    const granted = Math.min(this.#grantedSeconds(response), MAX_EXPIRES_SECONDS);
    if (granted === 0) {
      this.#fail("the registrar granted no time", response.status, undefined);
      return;
    }
    this.#failures = 0;
    this.#intervalRaises = 0;
    this.#registered = { contact: this.#contact, sinceMs: this.#core.clock.nowMs() };
    this.#stopKeepAlive();
    if (this.#hop !== undefined)
      this.#stopKeepAlive = this.#core.layer.keepAlive(this.#hop, () => this.#recover());
    // Random, so that registrations started together do not stay in step.
    const latestSeconds = Math.max(granted / 2, granted - REFRESH_MARGIN_SECONDS);
    const refreshSeconds = latestSeconds * (0.9 + 0.1 * this.#core.random());
    this.#change({
      status: "registered",
      server: this.#servers[this.#serverIndex],
      expiresSeconds: granted,
      serviceRoutes: addressesOf(response.headers, "service-route")?.map(({ uri }) => uri) ?? [],
    });
    this.#schedule(refreshSeconds * 1000);
  }

  /**
   * RFC 5626 §4.5: the connection for incoming calls is gone. It is reopened at once, but not in a loop with a
   * registrar that closes every connection.
   */
  #recover(): void {
    this.#timer?.cancel();
    const registeredMs = this.#core.clock.nowMs() - (this.#registered?.sinceMs ?? 0);
    const pauseMs = Math.max(0, MIN_PAUSE_MS - registeredMs);
    this.#change({ status: "registering" });
    this.#schedule(pauseMs + MAX_RECOVERY_PAUSE_MS * this.#core.random());
  }

  /** §10.2.4: the registrar lists every binding of the address; ours has our Contact. */
  #grantedSeconds({ headers }: SipResponse): number {
    const bindings = addressesOf(headers, "contact") ?? [];
    // A rewritten Contact, for example behind a NAT, is recognized if it is the only one.
    const ours =
      bindings.find(({ uri }) => this.#contact === `<${uri}>`) ??
      (bindings.length === 1 ? bindings[0] : undefined);
    return (
      readDeltaSeconds(ours?.parameters.get("expires") ?? headers.get("expires")) ?? this.#expiresSeconds
    );
  }

  /** Tries the next server at once; after all of them have failed, pauses first (RFC 5626 §4.5). */
  #fail(reason: string, responseStatus: number | undefined, requestedMs: number | undefined): void {
    this.#failures++;
    this.#stopKeepAlive();
    this.#serverIndex = (this.#serverIndex + 1) % this.#servers.length;
    const rounds = Math.floor(this.#failures / this.#servers.length);
    const isRoundOver = this.#failures % this.#servers.length === 0;
    const maxPauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.min(rounds - 1, 16));
    const pauseMs = isRoundOver ? maxPauseMs * (0.5 + 0.5 * this.#core.random()) : 0;
    const retryInMs = isRoundOver ? Math.max(pauseMs, Math.min(requestedMs ?? 0, MAX_RETRY_AFTER_MS)) : 0;
    this.#change({ status: "failed", reason, responseStatus, retryInMs });
    this.#schedule(retryInMs);
  }

  #schedule(delayMs: number): void {
    // The application may have closed the registration in its callback.
    if (this.#closing !== undefined) return;
    this.#timer = this.#core.clock.schedule(delayMs, () => this.#register());
  }

  #change(state: RegistrationState): void {
    this.#state = state;
    this.#core.guard(() => this.#options.onChange?.(state));
  }

  /**
   * Removes the binding (§10.2.2) and stops. Resolves when the registrar has answered or timed out. Idempotent,
   * never rejects.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#timer?.cancel();
    const wasRegistered = this.#state.status === "registered" || this.#state.status === "registering";
    await this.#attempt;
    // Skipped if the user agent has stopped waiting in the meantime.
    if (wasRegistered && !this.#isAbandoned) await this.#send(0);
    this.#finish();
  }

  #finish(): void {
    if (this.#state.status === "closed") return;
    this.#stopKeepAlive();
    this.#change({ status: "closed" });
    this.#onClosed();
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#timer?.cancel();
    this.#closing ??= Promise.resolve();
    this.#finish();
  }
}
