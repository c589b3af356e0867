import type { DialogReply } from "../dialogs/dialog-client.ts";
import { tryLater } from "../user-agent/request-rules.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import type { SessionContext } from "../user-agent/session/session-context.ts";
import { IncomingRefer, readReferTarget } from "./incoming-refer.ts";
import { OutgoingRefer, type ReferOptions, type ReferResult } from "./outgoing-refer.ts";

/** Maximum number of simultaneous transfers by the peer in one session. */
const MAX_INCOMING_REFERS = 4;

/** How long the dialog outlives the call to receive a transfer report (RFC 5057 §4.1): time for four sends of a NOTIFY. */
const REPORT_TIMEOUT_MS = 4_000;

/** The transfers of one session, in both directions (RFC 3515). */
export class Referrals {
  readonly #context: SessionContext;
  #outgoing: OutgoingRefer | undefined;
  readonly #incoming = new Set<IncomingRefer>();
  #hasIncoming = false;
  #whenReported: () => void = () => undefined;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  /** Asks the peer to call a third party; one transfer at a time. */
  async refer(options: ReferOptions): Promise<ReferResult> {
    const { client, core, contact } = this.#context;
    if (this.#context.isEnded) {
      return { ok: false, cause: "ended", status: 481, reason: "Call/Transaction Does Not Exist" };
    }
    if (this.#outgoing !== undefined) {
      return { ok: false, cause: "refused", status: 491, reason: "Request Pending" };
    }
    const outgoing = new OutgoingRefer(core.clock, {
      ...options,
      onProgress: (status) => core.guard(() => options.onProgress?.(status)),
    });
    this.#outgoing = outgoing;
    const result = await outgoing.run(({ headers }) =>
      client.request("REFER", { headers: { Contact: contact, ...headers } }),
    );
    this.#outgoing = undefined;
    this.#whenReported();
    return result;
  }

  onRefer(transaction: ServerTransaction, handler: ((refer: IncomingRefer) => void) | undefined): void {
    const target = readReferTarget(transaction.request.headers);
    if (target === undefined) {
      transaction.respond(400, { reason: "Bad Refer-To" });
      return;
    }
    if (handler === undefined) {
      transaction.respond(603);
      return;
    }
    if (this.#incoming.size >= MAX_INCOMING_REFERS) {
      const { status, content } = tryLater();
      transaction.respond(status, content);
      return;
    }
    const { client, core, contact } = this.#context;
    const notifier = {
      clock: core.clock,
      notify: ({
        headers,
        ...content
      }: Parameters<typeof client.request>[1] & object): Promise<DialogReply> =>
        client.request("NOTIFY", { ...content, headers: { Contact: contact, ...headers } }),
      onClosed: () => void this.#incoming.delete(refer),
    };
    const refer = new IncomingRefer(transaction, target, notifier, !this.#hasIncoming);
    this.#hasIncoming = true;
    this.#incoming.add(refer);
    try {
      handler(refer);
    } catch (error) {
      core.reportError(error);
      refer.reject(500);
    }
  }

  onNotify(transaction: ServerTransaction): void {
    const { headers } = transaction.request;
    const event = headers.get("event")?.split(";", 1)[0]?.trim().toLowerCase();
    // RFC 6665 §4.1.3: 489 for a package without subscription, 481 for a subscription that has ended.
    if (event !== "refer") transaction.respond(489);
    else if (this.#outgoing?.isOpen !== true) transaction.respond(481);
    else {
      transaction.respond(200);
      this.#outgoing.receive(transaction.request);
    }
  }

  /** Resolves when no report is expected any more, at most 4 s after the end of the call. See {@link OutgoingRefer.close}. */
  async drain(hasPeerLeft: boolean): Promise<void> {
    const outgoing = this.#outgoing;
    if (outgoing === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenReported = resolve;
    const timer = this.#context.core.clock.schedule(REPORT_TIMEOUT_MS, () => outgoing.close(hasPeerLeft));
    await promise;
    timer.cancel();
  }

  /** Stops every timer. Idempotent. */
  abandon(): void {
    this.#outgoing?.close(false);
    for (const refer of this.#incoming) refer.abandon();
    this.#incoming.clear();
  }
}
