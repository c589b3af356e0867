import type { Dialog } from "../dialogs/dialog.ts";
import { DigestClient, type DigestCredentials } from "../digest/client.ts";
import type { HeaderFields, HeaderList } from "../messages/header-list.ts";
import type { SipRequest, SipResponse } from "../messages/message.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import { TIMEOUT_MS } from "../transactions/timers.ts";
import type { Destination, Hop } from "../transport/transport.ts";
import { PendingAnswer } from "./answer.ts";
import type { DialogOwner, OpenCall, UserAgentCore } from "./core.ts";
import { allowedMethods, randomRetryAfter, refusalOf, refuseMethod, sdpOf } from "./request-rules.ts";

/** How a session ended. */
export interface SessionEnd {
  /** `no_ack`: the peer never acknowledged our 2xx, so it was ended by BYE (RFC 3261 §13.3.1.4). */
  cause: "remote_bye" | "local_bye" | "no_ack" | "closed";
  /** Those of the peer's BYE: Reason (RFC 3326) and its like. */
  headers?: HeaderList;
}

/** What the application says to a re-INVITE: its answer, or a refusal such as 488 that leaves the session as it was. */
export type ReinviteAnswer = { sdp: string } | { status: number; reason?: string };

/** An established call. */
export interface Session {
  /** Names the dialog: Call-ID and both tags. */
  readonly id: string;
  readonly callId: string;
  /** The session descriptions in force. */
  readonly localSdp: string;
  readonly remoteSdp: string;
  readonly isEnded: boolean;
  /** Resolves once, when either side has ended the call. Never rejects. */
  readonly ended: Promise<SessionEnd>;
  /**
   * Answers an offer of the peer (hold, codec change). Without it every offer is answered by {@link localSdp}.
   * A handler that throws, or takes longer than 32 s, refuses the offer with 500.
   */
  onReinvite: ((offer: string) => ReinviteAnswer | Promise<ReinviteAnswer>) | undefined;
  /** The peer answered {@link localSdp}, which a re-INVITE without an offer asked for. */
  onRemoteAnswer: ((answer: string) => void) | undefined;
  /**
   * Ends the call (RFC 3261 §15). {@link ended} resolves at once; the promise resolves when the peer has answered
   * the BYE or can no longer be expected to. Idempotent, never rejects.
   */
  bye(headers?: HeaderFields): Promise<void>;
}

export interface SessionOptions {
  localSdp: string;
  remoteSdp: string;
  /** The Contact value that this side gave. */
  contact: string;
  /** Where the peer's messages come from. */
  peer: Hop;
  credentials: DigestCredentials | undefined;
}

/** The session of one confirmed dialog; it takes the dialog's requests and owns its timers. */
export class DialogSession implements Session, DialogOwner, OpenCall {
  readonly ended: Promise<SessionEnd>;
  onReinvite: Session["onReinvite"];
  onRemoteAnswer: Session["onRemoteAnswer"];
  readonly #core: UserAgentCore;
  readonly #dialog: Dialog;
  readonly #contact: string;
  #peer: Hop;
  readonly #credentials: DigestCredentials | undefined;
  #localSdp: string;
  #remoteSdp: string;
  #resolveEnded: (end: SessionEnd) => void = () => undefined;
  #isEnded = false;
  #pendingAnswer: PendingAnswer | undefined;
  /** Whether the ACK of the pending answer will carry the peer's answer to our offer. */
  #awaitsAnswerInAck = false;
  #isDecidingReinvite = false;
  #bye: Promise<void> | undefined;
  #isRemoteGone = false;
  #giveUpReinvite: () => void = () => undefined;
  #giveUpBye: () => void = () => undefined;

  constructor(core: UserAgentCore, dialog: Dialog, options: SessionOptions) {
    this.#core = core;
    this.#dialog = dialog;
    this.#contact = options.contact;
    this.#peer = options.peer;
    this.#credentials = options.credentials;
    this.#localSdp = options.localSdp;
    this.#remoteSdp = options.remoteSdp;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    dialog.isConfirmed = true;
    core.dialogs.set(dialog.key, this);
    core.openCalls.add(this);
  }

  get id(): string {
    return this.#dialog.key.replaceAll("\n", ";");
  }

  get callId(): string {
    return this.#dialog.callId;
  }

  get localSdp(): string {
    return this.#localSdp;
  }

  get remoteSdp(): string {
    return this.#remoteSdp;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Sends a 2xx with our session description; resolves with whether the peer acknowledged it. */
  answer(
    transaction: ServerTransaction,
    sdp: string,
    headers: HeaderFields,
    isOffer: boolean,
  ): Promise<boolean> {
    const response = transaction.respond(200, {
      headers: { ...headers, Contact: this.#contact, Allow: allowedMethods },
      body: sdp,
    });
    this.#localSdp = sdp;
    this.#awaitsAnswerInAck = isOffer;
    const pending = new PendingAnswer(this.#core.clock, transaction, response);
    this.#pendingAnswer = pending;
    transaction.onAck = (ack) => this.onAck(ack);
    return pending.settled.then((isAcknowledged) => {
      if (this.#pendingAnswer === pending) this.#pendingAnswer = undefined;
      // §13.3.1.4: without an ACK the dialog is confirmed, but the session should be ended.
      if (!isAcknowledged && !this.#isEnded) {
        this.#end({ cause: "no_ack" });
        this.#bye ??= this.#sendBye({});
      }
      return isAcknowledged;
    });
  }

  onAck(ack: SipRequest): void {
    const pending = this.#pendingAnswer;
    if (pending === undefined || ack.cseq.sequence !== pending.sequence) return;
    if (this.#awaitsAnswerInAck) {
      const isRenegotiation = this.#remoteSdp !== "";
      this.#remoteSdp = sdpOf(ack);
      if (isRenegotiation) this.#core.guard(() => this.onRemoteAnswer?.(this.#remoteSdp));
    }
    pending.settle(true);
  }

  onRequest(transaction: ServerTransaction): void {
    const { request } = transaction;
    // §12.2.2: out of order, for instance a request that was overtaken by a later one.
    if (!this.#dialog.acceptSequence(request.cseq.sequence)) {
      transaction.respond(500, {
        reason: "CSeq Out of Order",
        headers: { "Retry-After": randomRetryAfter() },
      });
      return;
    }
    // A peer whose connection broke, or whose NAT chose another port, is reached where it speaks from now.
    this.#peer = transaction.source;
    const refusal = refusalOf(request);
    if (refusal !== undefined) transaction.respond(refusal.status, refusal.content);
    else if (request.method === "BYE") this.#receiveBye(transaction);
    else if (this.#isEnded) transaction.respond(481);
    else if (request.method === "INVITE") this.#receiveReinvite(transaction);
    else if (request.method === "OPTIONS") transaction.respond(200, { headers: { Allow: allowedMethods } });
    else {
      const { status, content } = refuseMethod(request.method);
      transaction.respond(status, content);
    }
  }

  /** §15.1.2 */
  #receiveBye(transaction: ServerTransaction): void {
    transaction.respond(200);
    this.#isRemoteGone = true;
    this.#end({ cause: "remote_bye", headers: transaction.request.headers });
    // The peer got our 2xx, whatever became of its ACK.
    this.#pendingAnswer?.settle(true);
    if (this.#bye === undefined) this.#forget();
  }

  /** §14.2 */
  #receiveReinvite(transaction: ServerTransaction): void {
    // A peer may not begin an offer while another is open; one whose ACK we still miss tries again in a moment.
    if (this.#isDecidingReinvite || this.#pendingAnswer !== undefined) {
      transaction.respond(500, { headers: { "Retry-After": randomRetryAfter() } });
      return;
    }
    transaction.respond(100);
    transaction.onCancel = () => void transaction.respond(487);
    this.#isDecidingReinvite = true;
    this.#decideReinvite(sdpOf(transaction.request))
      .then((decision) => this.#applyReinvite(transaction, decision))
      .catch(this.#core.reportError);
  }

  async #applyReinvite(transaction: ServerTransaction, decision: ReinviteAnswer): Promise<void> {
    this.#isDecidingReinvite = false;
    if (this.#isEnded) transaction.respond(487);
    if (!transaction.isWaitingForFinal) return;
    if ("status" in decision) {
      transaction.respond(decision.status, decision.reason === undefined ? {} : { reason: decision.reason });
      return;
    }
    const offer = sdpOf(transaction.request);
    this.#dialog.refreshTarget(transaction.request);
    if (offer !== "") this.#remoteSdp = offer;
    await this.answer(transaction, decision.sdp, {}, offer === "");
  }

  async #decideReinvite(offer: string): Promise<ReinviteAnswer> {
    if (offer === "" || this.onReinvite === undefined) return { sdp: this.#localSdp };
    const failed: ReinviteAnswer = { status: 500 };
    const { promise: givenUp, resolve } = Promise.withResolvers<ReinviteAnswer>();
    this.#giveUpReinvite = () => resolve(failed);
    const timer = this.#core.clock.schedule(TIMEOUT_MS, this.#giveUpReinvite);
    try {
      return await Promise.race([this.onReinvite(offer), givenUp]);
    } catch (error) {
      this.#core.reportError(error);
      return failed;
    } finally {
      timer.cancel();
    }
  }

  bye(headers: HeaderFields = {}): Promise<void> {
    if (!this.#isEnded) {
      this.#end({ cause: "local_bye" });
      this.#bye ??= this.#sendBye(headers);
    }
    return this.#bye ?? Promise.resolve();
  }

  async #sendBye(headers: HeaderFields): Promise<void> {
    // §15: the called side sends no BYE before the ACK has come or cannot come any more.
    await this.#pendingAnswer?.settled;
    if (!this.#isRemoteGone) await this.#exchangeBye(headers);
    this.#forget();
  }

  async #exchangeBye(headers: HeaderFields): Promise<void> {
    const destination = await this.destination().catch(() => undefined);
    if (destination === undefined) return;
    const digest = this.#credentials === undefined ? undefined : new DigestClient(this.#credentials);
    let authorization: HeaderFields = {};
    for (;;) {
      const bye = this.#dialog.createRequest("BYE", { ...headers, ...authorization });
      if (this.#core.userAgentName !== undefined) bye.headers.add("user-agent", this.#core.userAgentName);
      const response = await new Promise<SipResponse | undefined>((resolve) => {
        this.#core.layer.sendRequest(bye, destination, {
          onResponse: (received) => received.status >= 200 && resolve(received),
          onFailure: () => resolve(undefined),
        });
        this.#giveUpBye = () => resolve(undefined);
      });
      const { status } = response ?? {};
      if (response === undefined || (status !== 401 && status !== 407)) return;
      const answer = digest?.answer(status, response.headers, "BYE", bye.requestUri);
      if (answer === undefined) return;
      authorization = { ...authorization, ...answer };
    }
  }

  /**
   * Where the dialog's requests go.
   *
   * @throws where the next hop has no address.
   */
  async destination(): Promise<Destination> {
    return this.#core.locator.locateInDialog(this.#dialog, this.#peer);
  }

  #end(end: SessionEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#resolveEnded(end);
  }

  #forget(): void {
    this.#core.dialogs.delete(this.#dialog.key);
    this.#core.openCalls.delete(this);
  }

  close(): Promise<void> {
    return this.bye();
  }

  abandon(): void {
    this.#end({ cause: "closed" });
    this.#isRemoteGone = true;
    this.#pendingAnswer?.settle(false);
    this.#giveUpReinvite();
    this.#giveUpBye();
    this.#forget();
  }
}
