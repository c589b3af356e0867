import type { Clock } from "../clock.ts";
import { withoutBrackets, hostOf, responseDestination, stampSource } from "../transport/via-rules.ts";
import type { OutgoingRequest, SipMessage, SipRequest, SipResponse } from "../messages/message.ts";
import { serializeMessage } from "../messages/message.ts";
import { parseMessage, type ParseFailure, type UnacceptableRequest } from "../messages/parse.ts";
import { createResponse, type ResponseContent } from "../messages/response.ts";
import type { SocketAddress, Transport } from "../transport/transport.ts";
import { ackForFailure, type ClientTransaction, copyForSameTransaction } from "./client-transaction.ts";
import type { TransactionEnvironment } from "./environment.ts";
import {
  clientTransactionKey,
  mergeKey,
  newBranch,
  serverTransactionKey,
  statelessTag,
} from "./identifiers.ts";
import { type ClientTransactionUser, InviteClientTransaction } from "./invite-client.ts";
import { InviteServerTransaction } from "./invite-server.ts";
import { NonInviteClientTransaction } from "./non-invite-client.ts";
import { NonInviteServerTransaction } from "./non-invite-server.ts";
import { ServerTransaction } from "./server-transaction.ts";

/** A message as it passed the transport. */
export interface MessageTrace {
  direction: "in" | "out";
  peer: SocketAddress;
  data: Buffer;
}

interface TransactionUser {
  /** A new request other than ACK; it has to be answered. */
  onRequest(transaction: ServerTransaction): void;
  /** An ACK that matches no transaction: that of a 2xx (RFC 3261 §17.1.1.3). */
  onAck(ack: SipRequest): void;
}

export interface TransactionLayerOptions {
  transport: Transport;
  clock: Clock;
  user: TransactionUser;
  /** The host that peers at `destination` reach us by, for Via. */
  hostFor: (destination: SocketAddress) => string;
  serverName: string | undefined;
  maxTransactions: number;
  onMessage: ((trace: MessageTrace) => void) | undefined;
  /** A message was dropped or refused, with the reason. */
  onDropped: (reason: string, peer: SocketAddress) => void;
  /** Processing a message threw. One message must not end the process that holds every other call. */
  onFault: (error: unknown) => void;
}

/** Seconds after which a request refused for want of room may come again. */
const OVERLOAD_RETRY_AFTER_SECONDS = "5";

/** Matches messages to transactions and creates them (RFC 3261 §17), over one transport. */
export class TransactionLayer {
  readonly #options: TransactionLayerOptions;
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, ServerTransaction>();
  readonly #byMergeKey = new Map<string, ServerTransaction>();

  constructor(options: TransactionLayerOptions) {
    this.#options = options;
    options.transport.start((data, source) => {
      try {
        this.#receive(data, source);
      } catch (error) {
        options.onFault(error);
      }
    });
  }

  get transactionCount(): number {
    return this.#clients.size + this.#servers.size;
  }

  /** Sends a request in a new transaction. A Via is put on top (§18.1.1); `rport` asks for symmetric routing. */
  sendRequest(
    request: OutgoingRequest,
    destination: SocketAddress,
    user: ClientTransactionUser,
  ): ClientTransaction {
    const branch = newBranch();
    request.headers.prepend("via", this.#viaFor(destination, branch));
    return this.#startClient(request, destination, branch, user);
  }

  /** §9.1: cancels an INVITE whose provisional response has come, in a transaction of its own. */
  sendCancel(invite: ClientTransaction): void {
    const cancel = copyForSameTransaction(invite.request, "CANCEL", invite.request.headers.get("to") ?? "");
    const branch = /branch=([^;]+)/.exec(cancel.headers.get("via") ?? "")?.[1] ?? "";
    // What the peer thinks of the CANCEL changes nothing: the INVITE gets its final response or its deadline.
    const user = { onResponse: () => undefined, onFailure: () => undefined };
    this.#startClient(cancel, invite.destination, branch, user);
  }

  /** Sends the ACK of a 2xx, which is outside any transaction (§13.2.2.4), and answers how to send it again. */
  sendAck(ack: OutgoingRequest, destination: SocketAddress): () => void {
    ack.headers.prepend("via", this.#viaFor(destination, newBranch()));
    const data = serializeMessage(ack);
    const send = (): void => this.#transmit(data, destination);
    send();
    return send;
  }

  #viaFor(destination: SocketAddress, branch: string): string {
    const { protocol, localAddress } = this.#options.transport;
    const host = hostOf(this.#options.hostFor(destination));
    return `SIP/2.0/${protocol} ${host}:${localAddress.port};branch=${branch};rport`;
  }

  #startClient(
    request: OutgoingRequest,
    destination: SocketAddress,
    branch: string,
    user: ClientTransactionUser,
  ): ClientTransaction {
    const key = clientTransactionKey(branch, request.method);
    const data = serializeMessage(request);
    const environment: TransactionEnvironment = {
      clock: this.#options.clock,
      isReliable: this.#options.transport.isReliable,
      send: (message) => this.#transmit(message, destination, () => machine.fail("transport")),
      onTerminated: () => this.#clients.delete(key),
    };
    const machine: InviteClientTransaction | NonInviteClientTransaction =
      request.method === "INVITE"
        ? new InviteClientTransaction(environment, user, data, (response) =>
            serializeMessage(ackForFailure(request, response)),
          )
        : new NonInviteClientTransaction(environment, user, data);
    const transaction: ClientTransaction = { request, destination, machine };
    this.#clients.set(key, transaction);
    if (this.transactionCount > this.#options.maxTransactions) {
      // Like an error of the transport (§17.1.4), and after the caller has the transaction in hand.
      this.#options.clock.schedule(0, () => machine.fail("transport"));
    } else machine.start();
    return transaction;
  }

  #receive(data: Buffer, source: SocketAddress): void {
    // Keep-alives (RFC 5626 §3.5.1 sends CRLF over streams; over UDP many phones do too) are not messages.
    if (isKeepAlive(data)) return;
    this.#options.onMessage?.({ direction: "in", peer: source, data });
    const parsed = parseMessage(data);
    if (!parsed.ok) this.#refuseMalformed(parsed, source);
    else this.#dispatch(parsed.message, source);
  }

  #dispatch(message: SipMessage, source: SocketAddress): void {
    if (message.kind === "response") this.#receiveResponse(message, source);
    else {
      message.topVia = stampSource(message.headers, message.topVia, source);
      this.#receiveRequest(message, source);
    }
  }

  #receiveResponse(response: SipResponse, source: SocketAddress): void {
    const branch = response.topVia.parameters.get("branch") ?? "";
    const transaction = this.#clients.get(clientTransactionKey(branch, response.cseq.method));
    // §18.1.2: a top Via that is not ours means that the response has lost its way; so does a second Via (§8.1.3.3).
    const isOurs =
      transaction !== undefined &&
      withoutBrackets(response.topVia.host) === this.#options.hostFor(transaction.destination) &&
      response.headers.getList("via").length === 1;
    // A stray 2xx is dropped too (RFC 6026 §8.4): its dialog has already been acknowledged or given up.
    if (isOurs) transaction.machine.receive(response);
    else this.#options.onDropped("response without a transaction", source);
  }

  #receiveRequest(request: SipRequest, source: SocketAddress): void {
    const key = serverTransactionKey(request, request.method);
    const existing = this.#servers.get(key);
    if (existing !== undefined) existing.receive(request);
    else if (request.method === "ACK") this.#options.user.onAck(request);
    else if (this.transactionCount >= this.#options.maxTransactions) {
      this.#options.onDropped("too many transactions", source);
      this.#respondStateless(request, source, 503, {
        headers: { "Retry-After": OVERLOAD_RETRY_AFTER_SECONDS },
      });
    } else this.#startServer(request, source, key);
  }

  #startServer(request: SipRequest, source: SocketAddress, key: string): void {
    const destination = responseDestination(request.topVia, source);
    const merge = mergeKey(request);
    const environment: TransactionEnvironment = {
      clock: this.#options.clock,
      isReliable: this.#options.transport.isReliable,
      send: (message) => this.#transmit(message, destination),
      onTerminated: () => {
        this.#servers.delete(key);
        if (merge !== undefined && this.#byMergeKey.get(merge) === transaction)
          this.#byMergeKey.delete(merge);
      },
    };
    const machine =
      request.method === "INVITE"
        ? new InviteServerTransaction(environment, (ack) => transaction.onAck(ack))
        : new NonInviteServerTransaction(environment);
    const transaction: ServerTransaction = new ServerTransaction(
      request,
      source,
      this.#options.serverName,
      machine,
    );
    this.#servers.set(key, transaction);
    if (merge !== undefined && this.#byMergeKey.has(merge)) {
      // §8.2.2.2: the same request has come by another way.
      transaction.respond(482, { reason: "Merged Request" });
      return;
    }
    if (merge !== undefined) this.#byMergeKey.set(merge, transaction);
    this.#options.user.onRequest(transaction);
  }

  /** §9.2: the INVITE that a CANCEL is about. */
  findCancelled(cancel: SipRequest): ServerTransaction | undefined {
    return this.#servers.get(serverTransactionKey(cancel, "INVITE"));
  }

  #refuseMalformed(failure: ParseFailure, source: SocketAddress): void {
    this.#options.onDropped(`malformed: ${failure.reason}`, source);
    const { request } = failure;
    if (request === undefined) return;
    request.topVia = stampSource(request.headers, request.topVia, source);
    this.#respondStateless(request, source, failure.status, { reason: failure.reason });
  }

  #respondStateless(
    request: UnacceptableRequest,
    source: SocketAddress,
    status: number,
    content: ResponseContent,
  ): void {
    const response = createResponse(request.headers, status, statelessTag(request.headers), content);
    this.#transmit(serializeMessage(response), responseDestination(request.topVia, source));
  }

  #transmit(data: Buffer, destination: SocketAddress, onError?: () => void): void {
    this.#options.onMessage?.({ direction: "out", peer: destination, data });
    this.#options.transport.send(data, destination, (error) => {
      this.#options.onDropped(`not sent: ${error.message}`, destination);
      onError?.();
    });
  }

  /** Ends every transaction at once, without a word to anyone. Idempotent. */
  terminateAll(): void {
    for (const transaction of this.#clients.values()) transaction.machine.terminate();
    for (const transaction of this.#servers.values()) transaction.terminate();
  }
}

/** Nothing but CR, LF, NUL or spaces, as phones send to keep a NAT binding open. */
function isKeepAlive(data: Buffer): boolean {
  if (data.length > 8) return false;
  return data.every((byte) => byte === 0x0d || byte === 0x0a || byte === 0 || byte === 0x20);
}
