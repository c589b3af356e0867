import type { Clock, Timer } from "../clock.ts";
import type { DigestClient } from "../digest/client.ts";
import type { HeaderFields } from "../messages/header-list.ts";
import type { OutgoingRequest, SipResponse } from "../messages/message.ts";
import type { ClientTransaction } from "../transactions/client-transaction.ts";
import { TIMEOUT_MS } from "../transactions/timers.ts";
import type { TransactionLayer } from "../transactions/transaction-layer.ts";
import type { Locator } from "../transport/locate.ts";
import type { Destination, Hop } from "../transport/transport.ts";
import type { Dialog } from "./dialog.ts";

export interface RequestContent {
  headers?: HeaderFields;
  body?: string;
  /** The content type of `body`; `application/sdp` by default. */
  contentType?: string;
}

/** `closed`: the request was abandoned by this side. */
type RequestFailure = "timeout" | "transport" | "closed";

export type DialogReply = { response: SipResponse } | { failure: RequestFailure };

interface DialogClientCore {
  readonly clock: Clock;
  readonly layer: TransactionLayer;
  readonly locator: Locator;
  readonly userAgentName: string | undefined;
}

export interface DialogClientOptions {
  core: DialogClientCore;
  dialog: Dialog;
  /** Source of the peer's messages. */
  peer: Hop;
  digest: DigestClient | undefined;
  /** The Contact value that the peer at this address can reach. */
  contactFor: (peer: Hop) => string;
}

/** Sends the requests of one dialog (RFC 3261 §12.2.1), answers challenges and acknowledges 2xx responses. */
export class DialogClient {
  /** Source of the peer's messages; the destination if the peer is behind a NAT. */
  peer: Hop;
  readonly #core: DialogClientCore;
  readonly #dialog: Dialog;
  readonly #digest: DigestClient | undefined;
  readonly #contactFor: (peer: Hop) => string;
  /** Abandons each pending request. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor({ core, dialog, peer, digest, contactFor }: DialogClientOptions) {
    this.#core = core;
    this.#dialog = dialog;
    this.peer = peer;
    this.#digest = digest;
    this.#contactFor = contactFor;
  }

  /**
   * Sends a request and resolves with its final response. Every 2xx to an INVITE is acknowledged, also when it is
   * repeated; an INVITE that rings for more than 32 s is canceled. Never rejects.
   */
  async request(method: string, content: RequestContent = {}): Promise<DialogReply> {
    const destination = await this.#destination();
    if (destination === undefined) return { failure: "transport" };
    this.#digest?.startRequest();
    for (;;) {
      if (this.#isClosed) return { failure: "closed" };
      const request = this.#build(method, content);
      const reply = await this.#exchange(request, destination);
      if ("failure" in reply) return reply;
      const { status, headers } = reply.response;
      // §22.2: send the same request again with credentials and the next CSeq number (§8.1.3.5).
      if (this.#digest?.storeChallenge(status, headers) !== true) return reply;
    }
  }

  #destination(): Promise<Destination | undefined> {
    return this.#core.locator.locateInDialog(this.#dialog, this.peer).catch(() => undefined);
  }

  #build(method: string, { headers = {}, body = "", contentType }: RequestContent): OutgoingRequest {
    const request = this.#dialog.createRequest(method, headers);
    request.body = body;
    if (body !== "") request.headers.add("content-type", contentType ?? "application/sdp");
    if (this.#core.userAgentName !== undefined) request.headers.add("user-agent", this.#core.userAgentName);
    if (this.#digest !== undefined) request.headers.addAll(this.#digest.authorize(request));
    return request;
  }

  #exchange(request: OutgoingRequest, destination: Destination): Promise<DialogReply> {
    const isInvite = request.method === "INVITE";
    const { promise, resolve } = Promise.withResolvers<DialogReply>();
    let repeatAck: Promise<() => void> | undefined;
    let canCancel = false;
    let deadline: Timer | undefined;
    const transaction = this.#core.layer.sendRequest(request, destination, {
      onResponse: (response) => {
        const { status } = response;
        canCancel = true;
        if (status < 200) return;
        if (status < 300 && isTargetRefresh(request.method)) this.#dialog.refreshTarget(response);
        if (isInvite && status < 300) {
          if (repeatAck === undefined) repeatAck = this.acknowledge(request, response);
          else void repeatAck.then((repeat) => repeat());
        }
        resolve({ response });
      },
      onFailure: (failure) => resolve({ failure }),
      onNextHop: (hop) => {
        if (request.headers.has("contact")) request.headers.set("contact", this.#contactFor(hop));
      },
    });
    if (isInvite) {
      deadline = this.#core.clock.schedule(TIMEOUT_MS, () => {
        if (canCancel) this.#core.layer.sendCancel(transaction);
        deadline = this.#core.clock.schedule(TIMEOUT_MS, () => this.#giveUp(transaction, resolve));
      });
    }
    const close = (): void => resolve({ failure: "closed" });
    this.#waiting.add(close);
    return promise.finally(() => {
      deadline?.cancel();
      this.#waiting.delete(close);
    });
  }

  /** §9.1: a canceled INVITE without a final response ends after 64*T1. */
  #giveUp(transaction: ClientTransaction, resolve: (reply: DialogReply) => void): void {
    transaction.terminate();
    resolve({ failure: "timeout" });
  }

  /**
   * §13.2.2.4: acknowledges a 2xx; `body` answers the offer in it, if any. Resolves with a function that sends
   * the same ACK again. Never rejects.
   */
  async acknowledge(invite: OutgoingRequest, response: SipResponse, body = ""): Promise<() => void> {
    const destination = await this.#destination();
    if (destination === undefined) return () => undefined;
    const ack = this.#dialog.createAck(response.cseq.sequence);
    // §22.1: the ACK has the credentials of its INVITE, because it cannot be challenged.
    for (const name of ["authorization", "proxy-authorization"]) {
      for (const value of invite.headers.getAll(name)) ack.headers.add(name, value);
    }
    ack.body = body;
    if (body !== "") ack.headers.add("content-type", "application/sdp");
    return this.#core.layer.sendAck(ack, destination);
  }

  /** Abandons every pending request. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const close of this.#waiting) close();
  }
}

/** §12.2: true if the Contact of the request and of its 2xx replaces the remote target (RFC 3311 §4 for UPDATE). */
function isTargetRefresh(method: string): boolean {
  return method === "INVITE" || method === "UPDATE";
}
