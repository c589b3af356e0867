import { randomBytes } from "node:crypto";
import type { Timer } from "../../clock.ts";
import { Dialog, MAX_FORWARDS } from "../../dialogs/dialog.ts";
import { DigestClient } from "../../digest/client.ts";
import { isSips, parseUri } from "../../grammar/uri.ts";
import { HeaderList } from "../../messages/header-list.ts";
import type { OutgoingRequest, SipResponse } from "../../messages/message.ts";
import { newTag } from "../../transactions/identifiers.ts";
import type { ClientTransaction } from "../../transactions/client-transaction.ts";
import { TIMEOUT_MS } from "../../transactions/timers.ts";
import type { NextHop } from "../../transport/locate.ts";
import type { Destination, Hop } from "../../transport/transport.ts";
import type { OpenCall, UserAgentCore } from "../core.ts";
import { DialogSession } from "../session/dialog-session.ts";
import { formatParty, uriOf, writeIdentity } from "../identity.ts";
import {
  canceled,
  noResponse,
  rejection,
  ringTimeout,
  unacceptable,
  unreachable,
} from "./invite-failures.ts";
import type { InviteFailure, InviteOptions, InviteResult } from "./invite-options.ts";
import { OutgoingFork } from "./outgoing-fork.ts";
import { RedirectTargets } from "./redirection.ts";
import { formatReplaces } from "../session/replaces.ts";
import { capabilities, sdpOf } from "../request-rules.ts";
import { MIN_SESSION_INTERVAL_SECONDS, readMinSe } from "../session/session-expires.ts";

/** Maximum number of answering forks of one INVITE; more suggest a hostile peer. */
const MAX_FORKS = 16;

/** Maximum number of increases of a session interval that is too short for the peer or a proxy. */
const MAX_INTERVAL_RAISES = 3;

const DEFAULT_RING_TIMEOUT_MS = 180_000;
const DEFAULT_MAX_REDIRECTS = 5;

/** An outgoing call (RFC 3261 §13.2) with challenges, redirections, cancellation and forks. */
export class OutgoingInvite implements OpenCall {
  readonly #core: UserAgentCore;
  readonly #options: InviteOptions;
  readonly #digest: DigestClient | undefined;
  readonly #targets: RedirectTargets;
  readonly #callId: string;
  readonly #localTag = newTag();
  readonly #result = Promise.withResolvers<InviteResult>();
  /** Settles when the attempt needs no further message to the peer. */
  readonly #done = Promise.withResolvers<undefined>();
  /** True after the caller has its result; later messages only clean up. */
  #isSettled = false;
  #requestUri: string;
  #routes: readonly string[];
  #sequence = 1;
  #minSessionSeconds: number;
  #intervalRaises = 0;
  #transaction: ClientTransaction | undefined;
  #hasProvisional = false;
  #isCancelSent = false;
  #timers: Timer[] = [];
  /** The early dialogs, by the peer's tag. */
  readonly #forks = new Map<string, OutgoingFork>();
  /** Functions that repeat the ACK of each answered fork, by its tag. */
  readonly #acks = new Map<string, () => void>();

  constructor(core: UserAgentCore, options: InviteOptions) {
    this.#core = core;
    this.#options = options;
    this.#callId = options.callId ?? randomBytes(16).toString("hex");
    this.#digest = options.credentials === undefined ? undefined : new DigestClient(options.credentials);
    this.#requestUri = options.requestUri ?? uriOf(options.to);
    this.#routes = options.routes ?? [];
    this.#minSessionSeconds = core.sessionTimer.minSeconds;
    const { maxRedirects = DEFAULT_MAX_REDIRECTS, isRedirectAllowed = () => true } = options;
    this.#targets = new RedirectTargets(this.#requestUri, maxRedirects, isRedirectAllowed);
  }

  /** Places the call. Resolves once and never rejects. */
  async run(): Promise<InviteResult> {
    const { signal, destination, ringTimeoutMs = DEFAULT_RING_TIMEOUT_MS } = this.#options;
    if (signal?.aborted === true) return canceled;
    this.#core.openCalls.add(this);
    const onAbort = (): void => this.#cancel(canceled);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#timers.push(this.#core.clock.schedule(ringTimeoutMs, () => this.#cancel(ringTimeout)));
    await this.#locateAndSend(destination ?? this.#requestUri);
    const result = await this.#result.promise;
    signal?.removeEventListener("abort", onAbort);
    return result;
  }

  async #locateAndSend(target: string | NextHop): Promise<void> {
    try {
      const destination = await this.#core.locator.locate(target);
      if (this.#isSettled) this.#finish();
      else {
        this.#digest?.startRequest();
        this.#send(destination);
      }
    } catch {
      this.#failTarget(unreachable);
    }
  }

  #send(destination: Destination): void {
    const request = this.#buildRequest(destination);
    this.#hasProvisional = false;
    this.#transaction = this.#core.layer.sendRequest(request, destination, {
      onResponse: (response, source) => this.#receive(response, request, source),
      onFailure: (failure) => this.#failTarget(failure === "timeout" ? noResponse : unreachable),
      onNextHop: (hop) => {
        this.#hasProvisional = false;
        request.headers.set("contact", this.#contact(hop));
      },
    });
  }

  /** §8.1.3.5: the same INVITE again, with the next CSeq number. */
  #sendAgain(destination: Hop): void {
    this.#discardForks();
    this.#sequence++;
    this.#send(destination);
  }

  /** §8.1.1, §13.2.1, RFC 4028 §7.1. */
  #buildRequest(destination: Hop): OutgoingRequest {
    const { from, to, sdp, identity, replaces, headers: extra = {} } = this.#options;
    const { expiresSeconds } = this.#core.sessionTimer;
    const { from: fromValue, fields: identityFields } = writeIdentity(from, identity);
    const headers = new HeaderList();
    for (const uri of this.#routes) headers.add("route", `<${uri}>`);
    headers.add("max-forwards", MAX_FORWARDS);
    headers.add("from", `${fromValue};tag=${this.#localTag}`);
    headers.add("to", formatParty(to));
    headers.add("call-id", this.#callId);
    headers.add("cseq", `${this.#sequence} INVITE`);
    headers.add("contact", this.#contact(destination));
    headers.addAll(capabilities);
    headers.add("session-expires", String(Math.max(expiresSeconds, this.#minSessionSeconds)));
    if (this.#minSessionSeconds > MIN_SESSION_INTERVAL_SECONDS)
      headers.add("min-se", String(this.#minSessionSeconds));
    if (replaces !== undefined) headers.addAll({ require: "replaces", replaces: formatReplaces(replaces) });
    if (this.#core.userAgentName !== undefined) headers.add("user-agent", this.#core.userAgentName);
    const request = { method: "INVITE", requestUri: this.#requestUri, headers, body: sdp };
    if (this.#digest !== undefined) headers.addAll(this.#digest.authorize(request));
    headers.addAll(identityFields);
    headers.addAll(extra);
    if (sdp !== "") headers.add("content-type", "application/sdp");
    return request;
  }

  #contact(destination: Hop): string {
    const { from, identity } = this.#options;
    const uri = identity?.isPrivate === true ? undefined : parseUri(uriOf(from));
    const user = uri?.scheme === "tel" ? uri.number : uri?.user;
    // §8.1.1.8.
    const isSecure = [this.#requestUri, ...this.#routes.slice(0, 1)].some(isSips);
    return this.#core.contactFor(user, destination, isSecure && destination.protocol === "TLS");
  }

  #receive(response: SipResponse, request: OutgoingRequest, source: Hop): void {
    const { status } = response;
    if (status < 200) this.#receiveProvisional(response, request, source);
    else if (status < 300) {
      this.#receiveSuccess(response, request, source).catch(this.#core.reportError);
    } else this.#receiveFailure(response, source);
  }

  #receiveProvisional(response: SipResponse, request: OutgoingRequest, source: Hop): void {
    this.#hasProvisional = true;
    if (this.#isSettled) {
      // §9.1: the CANCEL had to wait for this response.
      this.#sendCancel();
      return;
    }
    if (response.status === 100) return;
    const fork = this.#forkOf(response, request, source);
    if (fork?.receiveProvisional(response) === false) return;
    const { status, reason, headers } = response;
    const dialogId = fork?.session.id ?? "";
    const sdp = sdpOf(response);
    this.#core.guard(() => this.#options.onProvisional?.({ status, reason, sdp, headers, dialogId }));
  }

  /** §12.1.2: a response with a tag creates an early dialog; each fork has its own. */
  #forkOf(response: SipResponse, request: OutgoingRequest, source: Hop): OutgoingFork | undefined {
    const remoteTag = response.to.parameters.get("tag");
    if (remoteTag === undefined) return undefined;
    const known = this.#forks.get(remoteTag);
    if (known !== undefined || this.#forks.size >= MAX_FORKS) return known;
    const fork = this.#createFork(response, request, source);
    this.#forks.set(remoteTag, fork);
    return fork;
  }

  #createFork(response: SipResponse, request: OutgoingRequest, source: Hop): OutgoingFork {
    const dialog = Dialog.asClient(request, response);
    const contactFor = (peer: Hop): string => this.#contact(peer);
    const options = { contactFor, peer: source, digest: this.#digest, isCaller: true };
    const session = new DialogSession(this.#core, dialog, options, {
      // Only incoming calls wait for a PRACK.
      onPrack: (prack) => void prack.respond(481),
      // §15: the called side may not end an early dialog by BYE.
      onBye: (bye) => void bye.respond(481),
      onReplaced: () => this.#cancel(canceled),
    });
    session.onReinvite = this.#options.onReinvite;
    const { sdp, onOffer } = this.#options;
    return new OutgoingFork({ core: this.#core, dialog, session, request, offer: sdp, onOffer });
  }

  #receiveFailure(response: SipResponse, source: Hop): void {
    const { status, headers } = response;
    if (this.#isSettled) this.#fail(canceled);
    // §22.2, §22.3.
    else if (this.#digest?.storeChallenge(status, headers) === true) this.#sendAgain(source);
    // RFC 4028 §7.3.
    else if (status === 422 && ++this.#intervalRaises <= MAX_INTERVAL_RAISES) {
      this.#minSessionSeconds = Math.max(this.#minSessionSeconds, readMinSe(headers));
      this.#sendAgain(source);
    } else {
      if (status === 300 || status === 301 || status === 302) this.#targets.add(headers);
      this.#failTarget(rejection(response));
    }
  }

  /** §8.1.3.4: tries another target of a redirection, unless the callee rejects for all targets (6xx). */
  #failTarget(failure: InviteFailure): void {
    const next = this.#isSettled || failure.status >= 600 ? undefined : this.#targets.next();
    if (next === undefined) {
      this.#fail(failure);
      return;
    }
    this.#discardForks();
    this.#requestUri = next;
    // The routes led to the first target.
    this.#routes = [];
    this.#sequence++;
    void this.#locateAndSend(next);
  }

  /** §13.2.2.4: acknowledges every 2xx; only the first one establishes the call, and other forks are ended at once. */
  async #receiveSuccess(response: SipResponse, request: OutgoingRequest, peer: Hop): Promise<void> {
    const remoteTag = response.to.parameters.get("tag") ?? "";
    const repeatAck = this.#acks.get(remoteTag);
    if (repeatAck !== undefined) {
      repeatAck();
      return;
    }
    if (this.#acks.size >= MAX_FORKS) return;
    // Set before the destination is known, because this 2xx may be repeated in the meantime.
    this.#acks.set(remoteTag, () => undefined);
    const isWanted = !this.#isSettled;
    this.#isSettled = true;
    this.#digest?.storeChallenge(response.status, response.headers);
    this.#clearTimers();
    const fork = this.#forks.get(remoteTag) ?? this.#createFork(response, request, peer);
    this.#forks.delete(remoteTag);
    this.#discardForks();
    const { isAgreed, repeatAck: repeat } = await fork.confirm(response);
    this.#acks.set(remoteTag, repeat);
    if (isWanted) this.#result.resolve(isAgreed ? { ok: true, session: fork.session } : unacceptable);
    // §9.1, §13.2.2.4: answered although canceled, or answered by a second fork.
    if (!isWanted || !isAgreed) await fork.session.bye();
    this.#finish();
  }

  /** Settles the result at once, and notifies the peer as soon as §9.1 permits. */
  #cancel(failure: InviteFailure): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#result.resolve(failure);
    this.#clearTimers();
    if (this.#hasProvisional) this.#sendCancel();
  }

  #sendCancel(): void {
    const transaction = this.#transaction;
    if (transaction === undefined || this.#isCancelSent) return;
    this.#isCancelSent = true;
    this.#core.layer.sendCancel(transaction);
    // §9.1: without a final response, the INVITE counts as canceled after 64*T1.
    this.#timers.push(
      this.#core.clock.schedule(TIMEOUT_MS, () => {
        transaction.terminate();
        this.#finish();
      }),
    );
  }

  #fail(failure: InviteFailure): void {
    this.#isSettled = true;
    this.#result.resolve(failure);
    this.#finish();
  }

  #finish(): void {
    this.#clearTimers();
    this.#discardForks();
    this.#core.openCalls.delete(this);
    this.#done.resolve(undefined);
  }

  /** §13.2.2.3: the early dialogs of an INVITE end with its final response. */
  #discardForks(): void {
    for (const fork of this.#forks.values()) fork.session.discard();
    this.#forks.clear();
  }

  #clearTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
  }

  async close(): Promise<void> {
    this.#cancel(canceled);
    await this.#done.promise;
  }

  abandon(): void {
    this.#fail(canceled);
  }
}
