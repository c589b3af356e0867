import type { Clock } from "../clock.ts";
import { type OutgoingRequest, serializeMessage, type SipResponse } from "../messages/message.ts";
import type { HopHealth } from "../transport/hop-health.ts";
import type { Destination, Hop } from "../transport/transport.ts";
import type { TransportSet } from "../transport/transport-set.ts";
import type { TransactionEnvironment } from "./environment.ts";
import { clientTransactionKey, newBranch } from "./identifiers.ts";
import { type ClientTransactionUser, InviteClientTransaction } from "./invite-client.ts";
import { NonInviteClientTransaction } from "./non-invite-client.ts";
import { T1_MS, TIMEOUT_MS } from "./timers.ts";

export type ClientMachine = InviteClientTransaction | NonInviteClientTransaction;

/** What a client transaction needs of the layer that it belongs to. */
export interface ClientEnvironment {
  transports: TransportSet;
  health: HopHealth;
  clock: Clock;
  /** The top Via for a request to this hop. */
  viaFor: (hop: Hop, branch: string) => string;
  transmit: (data: Buffer, hop: Hop, onError: () => void) => void;
  /** Responses of this key, whose Via has to be that for the hop, go to the machine until it is forgotten. */
  register: (key: string, machine: ClientMachine, hop: Hop) => void;
  forget: (key: string) => void;
}

/** RFC 3261 §18.1.1: a larger request risks fragmentation where the path MTU is not known. */
const MAX_UDP_REQUEST_BYTES = 1_300;

/**
 * How long a hop may say nothing while there are others to try. Timers B and F would keep a caller waiting for 32 s; a
 * server that is there answers an INVITE within 200 ms by 100 (§17.2.1), and four repeats have been sent by then.
 */
const SILENT_HOP_MS = 16 * T1_MS;

/** How long a hop that failed is tried last. */
const AVOIDANCE_MS = 30_000;
/** A peer may ask for more by Retry-After, up to this. */
const MAX_AVOIDANCE_MS = 300_000;

/**
 * A request that was sent and is waiting for its responses. It goes to one hop after another until one serves
 * (RFC 3263 §4.3): each time in a state machine of its own, with a new branch.
 */
export class ClientTransaction {
  /** As sent last, its Via included. */
  readonly request: OutgoingRequest;
  readonly #environment: ClientEnvironment;
  readonly #user: ClientTransactionUser;
  #hop: Hop;
  #remainingHops: readonly Hop[];
  /** A hop whose request went to TCP for its size, and is sent by UDP where that fails. */
  #movedToTcp: Hop | undefined;
  /** When the first hop was tried, or the last response came: 64*T1 are for all hops together. */
  #sinceMs: number;
  #isCancelled = false;
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
    // By which port the peer reaches us is known only now.
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
    machine.start(this.#patienceMs());
  }

  /** Timers B and F: the time left of 64*T1, shared with the hops not yet tried. */
  #patienceMs(): number {
    const leftMs = this.#sinceMs + TIMEOUT_MS - this.#environment.clock.nowMs();
    const hops = this.#remainingHops.length + 1;
    return hops === 1 ? leftMs : Math.min(SILENT_HOP_MS, leftMs / hops);
  }

  #receive(response: SipResponse, source: Hop): void {
    this.#sinceMs = this.#environment.clock.nowMs();
    if (response.status === 503) {
      this.#environment.health.avoid(this.#hop, retryAfterMs(response) ?? AVOIDANCE_MS);
      // The same server would say the same by UDP.
      if (this.#movedToTcp === this.#remainingHops[0]) this.#remainingHops = this.#remainingHops.slice(1);
      if (this.#tryNextHop()) return;
    }
    this.#user.onResponse(response, source);
  }

  #onFailure(failure: "timeout" | "transport"): void {
    const { health, transports } = this.#environment;
    health.avoid(this.#hop, AVOIDANCE_MS);
    if (failure === "timeout") transports.suspect(this.#hop, SILENT_HOP_MS);
    if (!this.#tryNextHop()) this.#user.onFailure(failure);
  }

  #tryNextHop(): boolean {
    const [next, ...rest] = this.#remainingHops;
    if (next === undefined || this.#isCancelled) return false;
    this.#hop = next;
    this.#remainingHops = rest;
    this.#user.onNextHop?.(next);
    this.start();
    return true;
  }

  /** §9.1: cancels this INVITE, in a transaction of its own; afterwards no other hop is tried. */
  cancel(user: ClientTransactionUser): void {
    this.#isCancelled = true;
    const { request } = this;
    const cancel = copyForSameTransaction(request, "CANCEL", request.headers.get("to") ?? "");
    const branch = /branch=([^;]+)/.exec(request.headers.get("via") ?? "")?.[1] ?? "";
    new ClientTransaction(this.#environment, cancel, this.#hop, user).#startMachine(branch);
  }

  /** Ends the transaction without a word to its user. Idempotent. */
  terminate(): void {
    this.#isTerminated = true;
    this.#machine?.terminate();
  }
}

function retryAfterMs({ headers }: SipResponse): number | undefined {
  const seconds = /^\d{1,6}/.exec(headers.get("retry-after") ?? "")?.[0];
  return seconds === undefined ? undefined : Math.min(Number(seconds) * 1000, MAX_AVOIDANCE_MS);
}

/** The header fields that an ACK for a failure and a CANCEL take over from their INVITE (RFC 3261 §9.1, §17.1.1.3). */
function copyForSameTransaction(
  request: OutgoingRequest,
  method: "ACK" | "CANCEL",
  to: string,
): OutgoingRequest {
  const headers = request.headers.copyOf(["from", "call-id", "route", "max-forwards", "user-agent"]);
  // Its Via is the top one of the INVITE, alone, so that branch and sent-by are the same.
  headers.prepend("via", request.headers.get("via") ?? "");
  headers.add("to", to);
  const sequence = /^\d+/.exec(request.headers.get("cseq") ?? "")?.[0] ?? "1";
  headers.add("cseq", `${sequence} ${method}`);
  return { method, requestUri: request.requestUri, headers, body: "" };
}

/** §17.1.1.3: the ACK of a final response other than 2xx carries the To of that response. */
function ackForFailure(invite: OutgoingRequest, response: SipResponse): OutgoingRequest {
  return copyForSameTransaction(invite, "ACK", response.headers.get("to") ?? "");
}
