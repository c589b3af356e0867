import { randomBytes } from "node:crypto";
import type { Timer } from "../clock.ts";
import { Dialog, MAX_FORWARDS } from "../dialogs/dialog.ts";
import { DigestClient, type DigestCredentials } from "../digest/client.ts";
import { quote } from "../grammar/scanner.ts";
import { parseUri } from "../grammar/uri.ts";
import { type HeaderFields, HeaderList, singleLine } from "../messages/header-list.ts";
import type { OutgoingRequest, SipResponse } from "../messages/message.ts";
import type { ClientTransaction } from "../transactions/client-transaction.ts";
import { newTag } from "../transactions/identifiers.ts";
import { TIMEOUT_MS } from "../transactions/timers.ts";
import type { NextHop } from "../transport/locate.ts";
import type { Destination, Hop } from "../transport/transport.ts";
import type { OpenCall, UserAgentCore } from "./core.ts";
import { allowedMethods, sdpOf } from "./request-rules.ts";
import { DialogSession, type Session } from "./session.ts";

/** A URI, with a display name where one is wanted. */
export type Party = string | { displayName: string; uri: string };

export interface InviteOptions {
  to: Party;
  from: Party;
  /** Default: the URI of `to`. */
  requestUri?: string;
  /** The next hop, such as a trunk. Default: the Request-URI says it. */
  destination?: NextHop;
  /** The offer. */
  sdp: string;
  /** For a 401 or 407. */
  credentials?: DigestCredentials;
  headers?: HeaderFields;
  /** The longest wait for a final response, from when the call is placed. Default 180 s. */
  ringTimeoutMs?: number;
  /** Cancels the call while it is not answered. */
  signal?: AbortSignal;
  onProvisional?: (response: ProvisionalResponse) => void;
}

export interface ProvisionalResponse {
  status: number;
  reason: string;
  /** Early media; empty where there is none. */
  sdp: string;
  headers: HeaderList;
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
    };

type InviteFailure = Exclude<InviteResult, { ok: true }>;

/** How many forks of one INVITE may answer before a hostile peer is suspected. */
const MAX_FORKS = 16;

const DEFAULT_RING_TIMEOUT_MS = 180_000;

const cancelled: InviteFailure = { ok: false, cause: "cancelled", status: 487, reason: "Request Terminated" };
const ringTimeout: InviteFailure = {
  ok: false,
  cause: "ring_timeout",
  status: 408,
  reason: "Request Timeout",
};
const noResponse: InviteFailure = { ok: false, cause: "no_response", status: 408, reason: "Request Timeout" };
const unreachable: InviteFailure = {
  ok: false,
  cause: "transport_error",
  status: 503,
  reason: "Service Unavailable",
};

/** A call being placed (RFC 3261 §13.2), through challenges, cancellation and forks. */
export class OutgoingInvite implements OpenCall {
  readonly #core: UserAgentCore;
  readonly #options: InviteOptions;
  readonly #digest: DigestClient | undefined;
  readonly #callId = randomBytes(16).toString("hex");
  readonly #localTag = newTag();
  readonly #result = Promise.withResolvers<InviteResult>();
  /** Settles when nothing of the attempt is left that would have to be told to the peer. */
  readonly #done = Promise.withResolvers<undefined>();
  /** What the caller was told; afterwards whatever comes is only cleaned up. */
  #isSettled = false;
  #sequence = 1;
  #authorization: HeaderFields = {};
  #transaction: ClientTransaction | undefined;
  #hasProvisional = false;
  #isCancelSent = false;
  #timers: Timer[] = [];
  /** How to repeat the ACK for each fork that answered, by its tag. */
  readonly #acks = new Map<string, () => void>();

  constructor(core: UserAgentCore, options: InviteOptions) {
    this.#core = core;
    this.#options = options;
    this.#digest = options.credentials === undefined ? undefined : new DigestClient(options.credentials);
  }

  /** Places the call. Resolves once and never rejects. */
  async run(): Promise<InviteResult> {
    const { signal, destination, ringTimeoutMs = DEFAULT_RING_TIMEOUT_MS } = this.#options;
    if (signal?.aborted === true) return cancelled;
    this.#core.openCalls.add(this);
    const onAbort = (): void => this.#cancel(cancelled);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#timers.push(this.#core.clock.schedule(ringTimeoutMs, () => this.#cancel(ringTimeout)));
    try {
      const target = await this.#core.locator.locate(destination ?? this.#requestUri);
      if (this.#isSettled) this.#finish();
      else this.#send(target);
    } catch {
      this.#fail(unreachable);
    }
    const result = await this.#result.promise;
    signal?.removeEventListener("abort", onAbort);
    return result;
  }

  get #requestUri(): string {
    return this.#options.requestUri ?? uriOf(this.#options.to);
  }

  #send(destination: Destination): void {
    const request = this.#buildRequest(destination);
    this.#hasProvisional = false;
    this.#transaction = this.#core.layer.sendRequest(request, destination, {
      onResponse: (response, source) => this.#receive(response, request, source),
      onFailure: (failure) => this.#fail(failure === "timeout" ? noResponse : unreachable),
      onNextHop: (hop) => {
        this.#hasProvisional = false;
        request.headers.set("contact", this.#contact(hop));
      },
    });
  }

  /** §8.1.1, §13.2.1 */
  #buildRequest(destination: Hop): OutgoingRequest {
    const { from, to, sdp, headers: extra = {} } = this.#options;
    const headers = new HeaderList();
    headers.add("max-forwards", MAX_FORWARDS);
    headers.add("from", `${formatParty(from)};tag=${this.#localTag}`);
    headers.add("to", formatParty(to));
    headers.add("call-id", this.#callId);
    headers.add("cseq", `${this.#sequence} INVITE`);
    headers.add("contact", this.#contact(destination));
    headers.add("allow", allowedMethods);
    if (this.#core.userAgentName !== undefined) headers.add("user-agent", this.#core.userAgentName);
    headers.addAll(this.#authorization);
    headers.addAll(extra);
    if (sdp !== "") headers.add("content-type", "application/sdp");
    return { method: "INVITE", requestUri: this.#requestUri, headers, body: sdp };
  }

  #contact(destination: Hop): string {
    const uri = parseUri(uriOf(this.#options.from));
    return this.#core.contactFor(uri?.scheme === "tel" ? uri.number : uri?.user, destination);
  }

  #receive(response: SipResponse, request: OutgoingRequest, source: Hop): void {
    const { status } = response;
    if (status < 200) this.#receiveProvisional(response);
    else if (status < 300) {
      this.#receiveSuccess(response, request, source).catch(this.#core.reportError);
    } else if (status === 401 || status === 407) this.#receiveChallenge(status, response, request, source);
    else this.#fail(rejection(response));
  }

  #receiveProvisional(response: SipResponse): void {
    this.#hasProvisional = true;
    if (this.#isSettled) {
      // The cancellation that had to wait for this (§9.1).
      this.#sendCancel();
      return;
    }
    if (response.status === 100) return;
    const { status, reason, headers } = response;
    const sdp = sdpOf(response);
    this.#core.guard(() => this.#options.onProvisional?.({ status, reason, sdp, headers }));
  }

  /** §22.2, §22.3: the same INVITE again with credentials and the next CSeq number (§8.1.3.5). */
  #receiveChallenge(
    status: 401 | 407,
    response: SipResponse,
    request: OutgoingRequest,
    challenger: Hop,
  ): void {
    const answer = this.#digest?.answer(status, response.headers, "INVITE", request.requestUri);
    if (answer === undefined || this.#isSettled) {
      this.#fail(rejection(response));
      return;
    }
    this.#authorization = { ...this.#authorization, ...answer };
    this.#sequence++;
    this.#send(challenger);
  }

  /** §13.2.2.4: every 2xx is acknowledged; only the first one makes the call, another fork's is ended at once. */
  async #receiveSuccess(response: SipResponse, request: OutgoingRequest, peer: Hop): Promise<void> {
    const remoteTag = response.to.parameters.get("tag") ?? "";
    const repeatAck = this.#acks.get(remoteTag);
    if (repeatAck !== undefined) {
      repeatAck();
      return;
    }
    if (this.#acks.size >= MAX_FORKS) return;
    // Set before the destination is known: another copy of this 2xx may come meanwhile.
    this.#acks.set(remoteTag, () => undefined);
    const isWanted = !this.#isSettled;
    this.#isSettled = true;
    this.#clearTimers();
    const dialog = Dialog.asClient(request, response);
    const session = new DialogSession(this.#core, dialog, {
      localSdp: this.#options.sdp,
      remoteSdp: sdpOf(response),
      contact: this.#contact(peer),
      peer,
      credentials: this.#options.credentials,
    });
    await this.#acknowledge(session, dialog, request, response);
    if (isWanted) this.#result.resolve({ ok: true, session });
    // §9.1, §13.2.2.4: answered although it was cancelled, or by a second fork.
    else await session.bye();
    this.#finish();
  }

  async #acknowledge(
    session: DialogSession,
    dialog: Dialog,
    invite: OutgoingRequest,
    response: SipResponse,
  ): Promise<void> {
    const destination = await session.destination().catch(() => undefined);
    if (destination === undefined) return;
    const ack = dialog.createAck(response.cseq.sequence);
    // §22.1: the ACK carries the credentials of its INVITE, for it cannot be challenged.
    for (const name of ["authorization", "proxy-authorization"]) {
      for (const value of invite.headers.getAll(name)) ack.headers.add(name, value);
    }
    this.#acks.set(dialog.remoteTag, this.#core.layer.sendAck(ack, destination));
  }

  /** Tells the caller at once, and the peer as soon as §9.1 allows. */
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
    // §9.1: where no final response follows, the INVITE counts as cancelled after 64*T1.
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
    this.#core.openCalls.delete(this);
    this.#done.resolve(undefined);
  }

  #clearTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
  }

  async close(): Promise<void> {
    this.#cancel(cancelled);
    await this.#done.promise;
  }

  abandon(): void {
    this.#fail(cancelled);
  }
}

function rejection({ status, reason, headers }: SipResponse): InviteFailure {
  return { ok: false, cause: "rejected", status, reason, headers };
}

function uriOf(party: Party): string {
  return typeof party === "string" ? party : party.uri;
}

export function formatParty(party: Party): string {
  // No character may end the angle brackets early.
  const uri = singleLine(uriOf(party)).replace(/[<>"\s]/g, "");
  const displayName = typeof party === "string" ? "" : singleLine(party.displayName);
  return displayName === "" ? `<${uri}>` : `${quote(displayName)} <${uri}>`;
}
