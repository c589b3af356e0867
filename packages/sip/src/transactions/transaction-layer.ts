import type { Clock } from "../clock.ts";
import type { OutgoingRequest, SipMessage, SipRequest, SipResponse } from "../messages/message.ts";
import { serializeMessage } from "../messages/message.ts";
import { parseMessage, type ParseFailure, type UnacceptableRequest } from "../messages/parse.ts";
import { createResponse, type ResponseContent } from "../messages/response.ts";
import type { HopHealth } from "../transport/hop-health.ts";
import { keepAlive } from "../transport/keep-alive.ts";
import type { Destination, Hop, SocketAddress } from "../transport/transport.ts";
import type { TransportSet } from "../transport/transport-set.ts";
import { hostOf, responseDestination, stampSource, withoutBrackets } from "../transport/via-rules.ts";
import { type ClientEnvironment, type ClientMachine, ClientTransaction } from "./client-transaction.ts";
import type { TransactionEnvironment } from "./environment.ts";
import {
  clientTransactionKey,
  mergeKey,
  newBranch,
  serverTransactionKey,
  statelessTag,
} from "./identifiers.ts";
import { detached } from "./retained-message.ts";
import type { ClientTransactionUser } from "./invite-client.ts";
import { InviteServerTransaction } from "./invite-server.ts";
import { NonInviteServerTransaction } from "./non-invite-server.ts";
import { localTagOf, ServerTransaction } from "./server-transaction.ts";

/** A message as sent or received by the transport. */
export interface MessageTrace {
  direction: "in" | "out";
  /** Our address, as the peer reaches it. */
  local: SocketAddress;
  peer: Hop;
  data: Buffer;
}

/** A final answer that needs no transaction (RFC 3261 §8.2.7). */
export interface StatelessAnswer {
  status: number;
  content?: ResponseContent;
}

interface TransactionUser {
  /**
   * The answer to a new request other than ACK, or `undefined` to create a transaction. There is no transaction
   * yet, so the request may be repeated after the answer. Must not throw or reject.
   */
  screen(request: SipRequest, source: Hop): Screening | Promise<Screening>;
  /** A new request that passed {@link screen} and must be answered. */
  onRequest(transaction: ServerTransaction): void;
  /** An ACK that matches no transaction, that is, the ACK of a 2xx (RFC 3261 §17.1.1.3). */
  onAck(ack: SipRequest): void;
}

export interface TransactionLayerOptions {
  transports: TransportSet;
  health: HopHealth;
  clock: Clock;
  user: TransactionUser;
  /** Returns the host for Via by which the peer at `destination` reaches us. */
  hostFor: (destination: Hop) => string;
  serverName: string | undefined;
  maxTransactions: number;
  /** False drops the request instead of sending a rejection without a transaction to this source. */
  mayReject: (source: SocketAddress) => boolean;
  onMessage: ((trace: MessageTrace) => void) | undefined;
  /** A message was dropped or rejected for this reason. */
  onDropped: (reason: string, peer: SocketAddress) => void;
  /** Processing a message threw an error. One message must not end the process with all its calls. */
  onFault: (error: unknown) => void;
}

export type Screening = StatelessAnswer | undefined;

type ServerMachine = InviteServerTransaction | NonInviteServerTransaction;

/** Maximum number of requests that wait for the application's screening. */
const MAX_SCREENED_REQUESTS = 1_000;

/** Retry-After of requests rejected for overload. */
const OVERLOAD_RETRY_AFTER_SECONDS = "5";

/** Matches messages to transactions and creates them (RFC 3261 §17). */
export class TransactionLayer {
  readonly #options: TransactionLayerOptions;
  readonly #clients = new Map<string, { machine: ClientMachine; hop: Hop }>();
  readonly #clientEnvironment: ClientEnvironment;
  readonly #servers = new Map<string, ServerMachine>();
  readonly #byMergeKey = new Map<string, ServerMachine>();
  /** Keys of the requests being screened. */
  readonly #screened = new Set<string>();

  constructor(options: TransactionLayerOptions) {
    this.#options = options;
    const { transports, health, clock } = options;
    this.#clientEnvironment = {
      transports,
      health,
      clock,
      viaFor: (hop, branch) => this.#viaFor(hop, branch),
      transmit: (data, hop, onError) => this.#transmit(data, hop, onError),
      register: (key, machine, hop) => void this.#clients.set(key, { machine, hop }),
      forget: (key) => void this.#clients.delete(key),
    };
    transports.start((data, source) => {
      try {
        this.#receive(data, source);
      } catch (error) {
        options.onFault(error);
      }
    }, options.onDropped);
  }

  /** Keeps the path from this hop to us open until the returned function is called; see `keepAlive`. */
  keepAlive(hop: Hop, onLost: () => void): () => void {
    return keepAlive(this.#options.transports, this.#options.clock, hop, onLost);
  }

  get transactionCount(): number {
    return this.#clients.size + this.#servers.size;
  }

  /**
   * Sends a request in a new transaction, and to the next hop if one fails. Adds a Via on top (§18.1.1); its
   * `rport` requests symmetric routing.
   */
  sendRequest(
    request: OutgoingRequest,
    destination: Destination,
    user: ClientTransactionUser,
  ): ClientTransaction {
    const isFull = this.transactionCount >= this.#options.maxTransactions;
    const transaction = new ClientTransaction(this.#clientEnvironment, request, destination, user);
    // Asynchronous like a transport error (§17.1.4), so that the caller already has the transaction.
    if (isFull) this.#options.clock.schedule(0, () => user.onFailure("transport"));
    else transaction.start();
    return transaction;
  }

  /** §9.1: cancels an INVITE after its provisional response, in a transaction of its own. */
  sendCancel(invite: ClientTransaction): void {
    // The response to CANCEL is irrelevant: the INVITE gets its final response or times out.
    invite.cancel({ onResponse: () => undefined, onFailure: () => undefined });
  }

  /** Sends the ACK of a 2xx, which is outside any transaction (§13.2.2.4); returns a function that repeats it. */
  sendAck(ack: OutgoingRequest, destination: Destination): () => void {
    const { alternatives = [], ...first } = destination;
    const branch = newBranch();
    ack.headers.prepend("via", "");
    const sendTo = (hop: Hop, [next, ...others]: readonly Hop[]): void => {
      ack.headers.set("via", this.#viaFor(hop, branch));
      this.#transmit(serializeMessage(ack), hop, () => {
        if (next !== undefined) sendTo(next, others);
      });
    };
    const send = (): void => sendTo(first, alternatives);
    send();
    return send;
  }

  #viaFor(hop: Hop, branch: string): string {
    const { transports, hostFor } = this.#options;
    const port = transports.localPort(hop);
    const sentBy = `${hostOf(hostFor(hop))}${port === undefined ? "" : `:${port}`}`;
    // RFC 5923 §5: the peer may send its own requests over this connection.
    const alias = hop.protocol === "UDP" ? "" : ";alias";
    return `SIP/2.0/${hop.protocol} ${sentBy};branch=${branch};rport${alias}`;
  }

  #receive(data: Buffer, source: Hop): void {
    // Keep-alives are not messages (CRLF over streams, RFC 5626 §3.5.1; many phones also use UDP).
    if (isKeepAlive(data)) return;
    this.#trace("in", source, data);
    const parsed = parseMessage(data);
    if (!parsed.ok) this.#rejectMalformed(parsed, source);
    else this.#dispatch(parsed.message, source);
  }

  #dispatch(message: SipMessage, source: Hop): void {
    if (message.kind === "response") this.#receiveResponse(message, source);
    else {
      message.topVia = stampSource(message.headers, message.topVia, source);
      this.#receiveRequest(message, source);
    }
  }

  #receiveResponse(response: SipResponse, source: Hop): void {
    const branch = response.topVia.parameters.get("branch") ?? "";
    const client = this.#clients.get(clientTransactionKey(branch, response.cseq.method));
    // §18.1.2: drop a response with a foreign top Via, or with a second Via (§8.1.3.3).
    const isOurs =
      client !== undefined &&
      withoutBrackets(response.topVia.host) === this.#options.hostFor(client.hop) &&
      response.headers.getList("via").length === 1;
    // A stray 2xx is dropped too (RFC 6026 §8.4): its dialog was already acknowledged or abandoned.
    if (isOurs) client.machine.receive(response, source);
    else this.#options.onDropped("response without a transaction", source);
  }

  #receiveRequest(request: SipRequest, source: Hop): void {
    const key = serverTransactionKey(request, request.method);
    const existing = this.#servers.get(key);
    if (existing !== undefined) existing.receive(request);
    else if (request.method === "ACK") this.#options.user.onAck(request);
    else if (this.#screened.has(key)) return;
    else if (this.#isFull(request)) {
      this.#options.onDropped("too many transactions", source);
      this.#respondStateless(request, source, 503, {
        headers: { "Retry-After": OVERLOAD_RETRY_AFTER_SECONDS },
      });
    } else this.#screen(request, source, key);
  }

  #isFull({ method }: SipRequest): boolean {
    if (this.transactionCount >= this.#options.maxTransactions) return true;
    return method === "INVITE" && this.#screened.size >= MAX_SCREENED_REQUESTS;
  }

  #screen(request: SipRequest, source: Hop, requestKey: string): void {
    const screening = this.#options.user.screen(request, source);
    if (!(screening instanceof Promise)) return this.#proceed(request, source, requestKey, screening);
    const key = detached(requestKey);
    this.#screened.add(key);
    screening
      .then((answer) => {
        // Closed in the meantime.
        if (this.#screened.delete(key)) this.#proceed(request, source, key, answer);
        return undefined;
      })
      .catch(this.#options.onFault);
  }

  #proceed(request: SipRequest, source: Hop, key: string, answer: Screening): void {
    if (answer !== undefined) this.#respondStateless(request, source, answer.status, answer.content ?? {});
    else this.#startServer(request, source, key);
  }

  #startServer(request: SipRequest, source: Hop, requestKey: string): void {
    const destination = responseDestination(request.topVia, source);
    const key = detached(requestKey);
    const mergeOfRequest = mergeKey(request);
    if (mergeOfRequest !== undefined && this.#byMergeKey.has(mergeOfRequest)) {
      // §8.2.2.2: the same request arrived on another path.
      this.#respondStateless(request, source, 482, { reason: "Merged Request" });
      return;
    }
    const merge = mergeOfRequest === undefined ? undefined : detached(mergeOfRequest);
    const environment: TransactionEnvironment = {
      clock: this.#options.clock,
      isReliable: this.#options.transports.find(source)?.isReliable ?? false,
      send: (message) => this.#respond(message, destination),
      onTerminated: () => {
        this.#servers.delete(key);
        if (merge !== undefined) this.#byMergeKey.delete(merge);
      },
    };
    const machine: ServerMachine =
      request.method === "INVITE"
        ? new InviteServerTransaction(environment, localTagOf(request))
        : new NonInviteServerTransaction(environment);
    const transaction = new ServerTransaction(request, source, this.#options.serverName, machine);
    this.#servers.set(key, machine);
    if (merge !== undefined) this.#byMergeKey.set(merge, machine);
    this.#options.user.onRequest(transaction);
  }

  /** §9.2: the INVITE transaction to which a CANCEL refers. */
  findCanceledInvite(cancel: SipRequest): InviteServerTransaction | undefined {
    const found = this.#servers.get(serverTransactionKey(cancel, "INVITE"));
    return found instanceof InviteServerTransaction ? found : undefined;
  }

  #rejectMalformed(failure: ParseFailure, source: Hop): void {
    this.#options.onDropped(`malformed: ${failure.reason}`, source);
    const { request } = failure;
    if (request === undefined) return;
    request.topVia = stampSource(request.headers, request.topVia, source);
    this.#respondStateless(request, source, failure.status, { reason: failure.reason });
  }

  /**
   * §8.2.7, §16.11: retransmissions get the same answer with the same tag, and its ACK matches no transaction. A
   * challenge is always sent, because each call of an authenticating peer begins with one.
   */
  #respondStateless(
    request: UnacceptableRequest,
    source: Hop,
    status: number,
    content: ResponseContent,
  ): void {
    const { serverName, mayReject } = this.#options;
    const isRejection = status >= 300 && status !== 401;
    if (isRejection && !mayReject(source)) return;
    const response = createResponse(request.headers, status, statelessTag(request.headers), content);
    if (serverName !== undefined) response.headers.set("server", serverName);
    this.#respond(serializeMessage(response), responseDestination(request.topVia, source));
  }

  /** §18.2.2: if the request's connection is gone, sends the response over another. */
  #respond(data: Buffer, { alternatives = [], ...hop }: Destination): void {
    const [next, ...others] = alternatives;
    this.#transmit(data, hop, () => {
      if (next !== undefined) this.#respond(data, { ...next, alternatives: others });
    });
  }

  #trace(direction: MessageTrace["direction"], peer: Hop, data: Buffer): void {
    const { onMessage, transports, hostFor } = this.#options;
    if (onMessage === undefined) return;
    const port = transports.localPort(peer) ?? 0;
    onMessage({ direction, local: { address: hostFor(peer), port }, peer, data });
  }

  #transmit(data: Buffer, hop: Hop, onError: () => void): void {
    this.#trace("out", hop, data);
    this.#options.transports.send(data, hop, (error) => {
      this.#options.onDropped(`not sent: ${error.message}`, hop);
      onError();
    });
  }

  /** Ends every transaction at once without notifications. Idempotent. */
  terminateAll(): void {
    for (const { machine } of this.#clients.values()) machine.terminate();
    for (const transaction of this.#servers.values()) transaction.terminate();
    this.#screened.clear();
  }
}

/** True if there are only CR, LF, NUL or spaces, as sent by phones to keep a NAT binding open. */
function isKeepAlive(data: Buffer): boolean {
  if (data.length > 8) return false;
  return data.every((byte) => byte === 0x0d || byte === 0x0a || byte === 0 || byte === 0x20);
}
