import { Dialog, dialogKey, dialogKeyOfRequest } from "../dialogs/dialog.ts";
import type { SipRequest } from "../messages/message.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import type { Screening, StatelessAnswer } from "../transactions/transaction-layer.ts";
import type { Hop } from "../transport/transport.ts";
import type { DialogOwner, UserAgentCore } from "./core.ts";
import { IncomingInvite } from "./invite/incoming-invite.ts";
import { capabilities, type Rejection, rejectionOf } from "./request-rules.ts";
import { readReplaces } from "./session/replaces.ts";
import { rejectionOfInterval } from "./session/session-timer.ts";
import type { UserAgentOptions } from "./user-agent-options.ts";

type RequestCallbacks = Pick<UserAgentOptions, "onInvite" | "onOptions" | "screenInvite">;

/** Answers incoming requests, or passes them to the dialog or the call that they belong to (RFC 3261 §8.2, §12.2.2). */
export class IncomingRequests {
  readonly #core: UserAgentCore;
  readonly #options: RequestCallbacks;
  readonly #isClosing: () => boolean;

  constructor(core: UserAgentCore, options: RequestCallbacks, isClosing: () => boolean) {
    this.#core = core;
    this.#options = options;
    this.#isClosing = isClosing;
  }

  /** Answers requests that need no transaction: those outside dialogs other than INVITE, and rejected INVITEs. */
  screen(request: SipRequest, source: Hop): Screening | Promise<Screening> {
    if (request.method === "CANCEL")
      return this.#core.layer.findCanceledInvite(request) === undefined ? { status: 481 } : undefined;
    // §12.2.2: a request in an unknown dialog is answered 481.
    if (request.to.parameters.has("tag"))
      return this.#core.dialogs.has(dialogKeyOfRequest(request)) ? undefined : { status: 481 };
    const rejection = rejectionOf(request);
    if (rejection !== undefined) return rejection;
    if (request.method === "INVITE")
      return this.#rejectionOfInvite(request) ?? this.#screenInvite(request, source);
    if (request.method === "OPTIONS") return this.#answerOptions(request);
    // RFC 3515 §2.4.1 permits REFER outside a dialog, but its sender is a stranger.
    if (request.method === "REFER") return { status: 403 };
    // §15.1.2 for BYE; the other methods also belong to a dialog.
    return { status: 481 };
  }

  #screenInvite(request: SipRequest, source: Hop): Screening | Promise<Screening> {
    const failed = (error: unknown): Rejection => {
      this.#core.reportError(error);
      return { status: 500 };
    };
    try {
      const screening = this.#options.screenInvite?.({ ...request, source });
      return screening instanceof Promise ? screening.catch(failed) : screening;
    } catch (error) {
      return failed(error);
    }
  }

  onRequest(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (request.method === "CANCEL") this.#onCancel(transaction);
    else if (request.to.parameters.has("tag")) this.#onRequestInDialog(transaction);
    else this.#onInvite(transaction);
  }

  /** RFC 3261 §9.2. */
  #onCancel(cancel: ServerTransaction): void {
    const invite = this.#core.layer.findCanceledInvite(cancel.request);
    if (invite === undefined) {
      cancel.respond(481);
      return;
    }
    cancel.localTag = invite.localTag;
    cancel.respond(200);
    if (invite.isWaitingForFinal) invite.onCancel?.();
  }

  #onRequestInDialog(transaction: ServerTransaction): void {
    const owner = this.#core.dialogs.get(dialogKeyOfRequest(transaction.request));
    if (owner === undefined) transaction.respond(481);
    else owner.onRequest(transaction);
  }

  #rejectionOfInvite(request: SipRequest): Rejection | undefined {
    if (this.#isClosing()) return { status: 503 };
    // §12.1.1, §8.1.1.8: without a Contact, our requests could not reach the caller.
    if (Dialog.asServer(request, "") === undefined)
      return { status: 400, content: { reason: "Bad Contact" } };
    const rejection = rejectionOfInterval(request, this.#core.sessionTimer.minSeconds);
    if (rejection !== undefined) return rejection;
    const replaced = this.#findReplaced(request);
    return typeof replaced === "number" ? { status: replaced } : undefined;
  }

  #onInvite(transaction: ServerTransaction): void {
    const { request, localTag } = transaction;
    // Checked again, because the screening may have taken time.
    const rejection = this.#rejectionOfInvite(request);
    const dialog = Dialog.asServer(request, localTag);
    const replaced = this.#findReplaced(request);
    if (rejection !== undefined || dialog === undefined || typeof replaced === "number") {
      transaction.respond(rejection?.status ?? 400, rejection?.content);
      return;
    }
    // §17.2.1: sent at once, so that the caller stops retransmitting the INVITE.
    transaction.respond(100);
    const invite = new IncomingInvite(this.#core, transaction, dialog, replaced);
    try {
      this.#options.onInvite(invite);
    } catch (error) {
      this.#core.reportError(error);
      invite.reject(500);
    }
  }

  /** RFC 3891 §3: the dialog that the call replaces, or the status that rejects the call. */
  #findReplaced({ headers }: SipRequest): DialogOwner | number | undefined {
    const replaces = readReplaces(headers);
    if (replaces === undefined) return undefined;
    if (replaces === "malformed") return 400;
    const { callId, toTag, fromTag, isEarlyOnly } = replaces;
    const owner = this.#core.dialogs.get(dialogKey({ callId, localTag: toTag, remoteTag: fromTag }));
    return owner === undefined ? 481 : (owner.rejectionOfReplacement(isEarlyOnly) ?? owner);
  }

  /** §11.2. */
  #answerOptions(request: SipRequest): StatelessAnswer {
    let status = this.#isClosing() ? 503 : 200;
    try {
      if (status === 200) status = this.#options.onOptions?.(request) ?? 200;
    } catch (error) {
      this.#core.reportError(error);
      status = 500;
    }
    return { status, content: { headers: { ...capabilities, Accept: "application/sdp" } } };
  }
}
