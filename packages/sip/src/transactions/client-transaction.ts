import type { Clock } from "../clock.ts";
import { type OutgoingRequest, serializeMessage, type SipResponse } from "../messages/message.ts";
import { retryAfterMs } from "../messages/delta-seconds.ts";
import type { HopHealth } from "../transport/hop-health.ts";
import type { Destination, Hop } from "../transport/transport.ts";
import type { TransportSet } from "../transport/transport-set.ts";
import type { TransactionEnvironment } from "./environment.ts";
import { clientTransactionKey, newBranch } from "./identifiers.ts";
import { type ClientTransactionUser, InviteClientTransaction } from "./invite-client.ts";
import { NonInviteClientTransaction } from "./non-invite-client.ts";
import { T1_MS, TIMEOUT_MS } from "./timers.ts";

export type ClientMachine = InviteClientTransaction | NonInviteClientTransaction;

/** The functions of the transaction layer that a client transaction uses. */
export interface ClientEnvironment {
  transports: TransportSet;
  health: HopHealth;
  clock: Clock;
  /** Returns the top Via for a request to this hop. */
  viaFor: (hop: Hop, branch: string) => string;
  transmit: (data: Buffer, hop: Hop, onError: () => void) => void;
  /** Sends responses with this key to the machine until it is forgotten; their Via must match the hop. */
  register: (key: string, machine: ClientMachine, hop: Hop) => void;
  forget: (key: string) => void;
}

/** RFC 3261 §18.1.1: larger requests risk fragmentation if the path MTU is unknown. */
const MAX_UDP_REQUEST_BYTES = 1_300;

/**
 * Wait for a response from one hop if there are alternatives. Timers B and F would delay a caller by 32 s; a live
 * server answers an INVITE within 200 ms by 100 (§17.2.1), and four retransmissions have been sent by then.
 */
const HOP_TIMEOUT_MS = 16 * T1_MS;

/** How long a failed hop is tried last. */
const DEFAULT_AVOIDANCE_MS = 30_000;
/** Upper limit of a peer's Retry-After. */
const MAX_AVOIDANCE_MS = 300_000;

/**
 * A sent request that waits for responses. It is sent to one hop after another until one serves it
 * (RFC 3263 §4.3), each time in a new state machine with a new branch.
 */
export class ClientTransaction {
  /** As last sent, including its Via. */
  readonly request: OutgoingRequest;
  readonly #environment: ClientEnvironment;
  readonly #user: ClientTransactionUser;
  #hop: Hop;
  #remainingHops: readonly Hop[];
  /** The hop whose request was moved to TCP because of its size; tried over UDP if TCP fails. */
  #movedToTcp: Hop | undefined;
  /** Time of the first attempt or of the last response: all hops together have 64*T1. */
  #sinceMs: number;
  #isCanceled = false;
  #isTerminated = false;
  #machine: ClientMachine | undefined;

  constructor(
    environment: ClientEnvironment,
    request: OutgoingRequest,
    destination: Destination,
    user: ClientTransactionUser,
  ) {
    const { alternatives = [], ...hop } = destination;
    this.request = request;
    this.#environment = environment;
    this.#user = user;
    this.#hop = hop;
    this.#remainingHops = alternatives;
    this.#sinceMs = environment.clock.nowMs();
  }

  start(): void {
    const opening = this.#environment.transports.open(this.#hop);
    if (opening === undefined) this.#send();
    else void opening.then((isOpen) => this.#sendWhenOpen(isOpen));
  }

  #sendWhenOpen(isOpen: boolean): void {
    if (this.#isTerminated) return;
    if (!isOpen) return this.#onFailure("transport");
    // The local port is known only after the connection is open.
    this.#user.onNextHop?.(this.#hop);
    this.#send();
  }

  #send(): void {
    const branch = newBranch();
    this.#setVia(branch);
    if (this.#isTooLargeForUdp()) {
      this.#movedToTcp = this.#hop;
      this.#remainingHops = [this.#hop, ...this.#remainingHops];
      this.#hop = { ...this.#hop, protocol: "TCP" };
      this.#setVia(branch);
    }
    this.#startMachine(branch);
  }

  #setVia(branch: string): void {
    const { headers } = this.request;
    const via = this.#environment.viaFor(this.#hop, branch);
    if (headers.has("via")) headers.set("via", via);
    else headers.prepend("via", via);
  }

  #isTooLargeForUdp(): boolean {
    const { transports, health } = this.#environment;
    const overTcp: Hop = { ...this.#hop, protocol: "TCP" };
    return (
      this.#hop.protocol === "UDP" &&
      this.#hop !== this.#movedToTcp &&
      transports.find(overTcp) !== undefined &&
      !health.isAvoided(overTcp) &&
      serializeMessage(this.request).length > MAX_UDP_REQUEST_BYTES
    );
  }

  #startMachine(branch: string): void {
    const { clock, transports, transmit, register, forget } = this.#environment;
    const hop = this.#hop;
    const { method } = this.request;
    const key = clientTransactionKey(branch, method);
    const data = serializeMessage(this.request);
    const environment: TransactionEnvironment = {
      clock,
      isReliable: transports.find(hop)?.isReliable ?? false,
      send: (message) => transmit(message, hop, () => machine.fail("transport")),
      onTerminated: () => forget(key),
    };
    const user: ClientTransactionUser = {
      onResponse: (response, source) => this.#receive(response, source),
      onFailure: (failure) => this.#onFailure(failure),
    };
    const machine: ClientMachine =
      method === "INVITE"
        ? new InviteClientTransaction(environment, user, data, (response) =>
            serializeMessage(ackForFailure(this.request, response)),
          )
        : new NonInviteClientTransaction(environment, user, data);
    this.#machine = machine;
    register(key, machine, hop);
    machine.start(this.#machineTimeoutMs());
  }

  /** Timers B and F: the time left of 64*T1, shared with the remaining hops. */
  #machineTimeoutMs(): number {
    const leftMs = this.#sinceMs + TIMEOUT_MS - this.#environment.clock.nowMs();
    const hops = this.#remainingHops.length + 1;
    return hops === 1 ? leftMs : Math.min(HOP_TIMEOUT_MS, leftMs / hops);
  }

  #receive(response: SipResponse, source: Hop): void {
    this.#sinceMs = this.#environment.clock.nowMs();
    if (response.status === 503) {
      const avoidanceMs = Math.min(retryAfterMs(response) ?? DEFAULT_AVOIDANCE_MS, MAX_AVOIDANCE_MS);
      this.#environment.health.avoid(this.#hop, avoidanceMs);
      // Skip the same server over UDP.
      if (this.#movedToTcp === this.#remainingHops[0]) this.#remainingHops = this.#remainingHops.slice(1);
      if (this.#tryNextHop()) return;
    }
    this.#user.onResponse(response, source);
  }

  #onFailure(failure: "timeout" | "transport"): void {
    const { health, transports } = this.#environment;
    health.avoid(this.#hop, DEFAULT_AVOIDANCE_MS);
    if (failure === "timeout") transports.suspect(this.#hop, HOP_TIMEOUT_MS);
    if (!this.#tryNextHop()) this.#user.onFailure(failure);
  }

  #tryNextHop(): boolean {
    const [next, ...rest] = this.#remainingHops;
    if (next === undefined || this.#isCanceled) return false;
    this.#hop = next;
    this.#remainingHops = rest;
    this.#user.onNextHop?.(next);
    this.start();
    return true;
  }

  /** §9.1: cancels this INVITE in a transaction of its own; no other hop is tried. */
  cancel(user: ClientTransactionUser): void {
    this.#isCanceled = true;
    const { request } = this;
    const cancel = copyForSameTransaction(request, "CANCEL", request.headers.get("to") ?? "");
    const branch = /branch=([^;]+)/.exec(request.headers.get("via") ?? "")?.[1] ?? "";
    new ClientTransaction(this.#environment, cancel, this.#hop, user).#startMachine(branch);
  }

  /** Ends the transaction without notifying its user. Idempotent. */
  terminate(): void {
    this.#isTerminated = true;
    this.#machine?.terminate();
  }
}

/** The header fields that a CANCEL and a failure's ACK copy from their INVITE (RFC 3261 §9.1, §17.1.1.3). */
function copyForSameTransaction(
  request: OutgoingRequest,
  method: "ACK" | "CANCEL",
  to: string,
): OutgoingRequest {
  const headers = request.headers.copyOf(["from", "call-id", "route", "max-forwards", "user-agent"]);
  // Only the top Via of the INVITE, so that branch and sent-by match.
  headers.prepend("via", request.headers.get("via") ?? "");
  headers.add("to", to);
  const sequence = /^\d+/.exec(request.headers.get("cseq") ?? "")?.[0] ?? "1";
  headers.add("cseq", `${sequence} ${method}`);
  return { method, requestUri: request.requestUri, headers, body: "" };
}

/** §17.1.1.3: the ACK of a non-2xx final response has the To of that response. */
function ackForFailure(invite: OutgoingRequest, response: SipResponse): OutgoingRequest {
  return copyForSameTransaction(invite, "ACK", response.headers.get("to") ?? "");
}
