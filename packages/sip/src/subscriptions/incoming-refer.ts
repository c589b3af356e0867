import type { Clock, Timer } from "../clock.ts";
import type { DialogReply, RequestContent } from "../dialogs/dialog-client.ts";
import type { HeaderList } from "../messages/header-list.ts";
import { addressesOf } from "../messages/message.ts";
import { reasonPhrase } from "../messages/response.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import { parseReplaces, type Replaces } from "../user-agent/session/replaces.ts";
import { SIPFRAG_TYPE, writeSipfrag } from "./sipfrag.ts";

/** A transfer target: the URI of Refer-To without its header fields, and the call that the new one replaces. */
interface ReferTarget {
  uri: string;
  replaces: Replaces | undefined;
}

/** The application has this long to accept a REFER, which unlike an INVITE does not ring. */
const DECISION_TIMEOUT_MS = 8_000;

/** RFC 3515 §2.4.4: lifetime of the implicit subscription without a final report. */
const SUBSCRIPTION_SECONDS = 180;

/** The target of a REFER; `undefined` if it names none, or more than one (RFC 3515 §2.4.2). */
export function readReferTarget(headers: HeaderList): ReferTarget | undefined {
  const addresses = addressesOf(headers, "refer-to");
  const [address] = addresses ?? [];
  if (address === undefined || addresses?.length !== 1) return undefined;
  const question = address.uri.indexOf("?");
  if (question === -1) return { uri: address.uri, replaces: undefined };
  const uri = address.uri.slice(0, question);
  const field = address.uri
    .slice(question + 1)
    .split("&")
    .find((each) => /^replaces=/i.test(each));
  if (field === undefined) return { uri, replaces: undefined };
  const replaces = parseReplaces(decode(field.slice("replaces=".length)));
  return replaces && { uri, replaces };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export interface ReferNotifier {
  clock: Clock;
  /** Sends a NOTIFY in the dialog of the REFER. */
  notify(content: RequestContent): Promise<DialogReply>;
  /** Called when there are no more reports. */
  onClosed(): void;
}

/**
 * A request from the peer to call a third party in its place (RFC 3515). Accepting starts an implicit
 * subscription, which reports the progress of that call; the peer's `Refer-Sub: false` is respected (RFC 4488).
 */
export class IncomingRefer {
  readonly target: string;
  /** The call that the new one replaces (attended transfer); pass it to the new INVITE. */
  readonly replaces: Replaces | undefined;
  /** The referring party (RFC 3892); pass it to the new INVITE. */
  readonly referredBy: string | undefined;
  readonly headers: HeaderList;
  readonly #transaction: ServerTransaction;
  readonly #notifier: ReferNotifier;
  /** Identifies the subscription if the dialog has had another (RFC 3515 §2.4.6). */
  readonly #event: string;
  readonly #decision: Timer;
  #state: "asked" | "reporting" | "closed" = "asked";
  #expiry: Timer | undefined;
  #expiresAtMs = 0;
  /** NOTIFYs are sent one after another, so that they arrive in order. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    transaction: ServerTransaction,
    target: ReferTarget,
    notifier: ReferNotifier,
    isFirst: boolean,
  ) {
    const { headers, cseq } = transaction.request;
    this.target = target.uri;
    this.replaces = target.replaces;
    this.referredBy = headers.get("referred-by");
    this.headers = headers;
    this.#transaction = transaction;
    this.#notifier = notifier;
    this.#event = isFirst ? "refer" : `refer;id=${cseq.sequence}`;
    this.#decision = notifier.clock.schedule(DECISION_TIMEOUT_MS, () => this.reject());
  }

  /** Accepts the request; {@link report} then sends the peer the progress of the call. */
  accept(): void {
    if (this.#state !== "asked") return;
    this.#decision.cancel();
    const isUnwanted = this.headers.get("refer-sub")?.trim().toLowerCase() === "false";
    this.#transaction.respond(202, isUnwanted ? { headers: { "Refer-Sub": "false" } } : {});
    if (isUnwanted) {
      this.#close();
      return;
    }
    this.#state = "reporting";
    const { clock } = this.#notifier;
    this.#expiresAtMs = clock.nowMs() + SUBSCRIPTION_SECONDS * 1000;
    this.#expiry = clock.schedule(SUBSCRIPTION_SECONDS * 1000, () => this.#expire());
    // RFC 3515 §2.4.4: an immediate NOTIFY reports that the request is being processed.
    this.report(100);
  }

  /** Rejects the request. */
  reject(status = 603, reason?: string): void {
    if (this.#state !== "asked") return;
    this.#decision.cancel();
    this.#transaction.respond(status, reason === undefined ? {} : { reason });
    this.#close();
  }

  /** Reports the progress of the call to the peer; a final status ends the subscription. Ignored after the end. */
  report(status: number, reason: string = reasonPhrase(status)): void {
    if (this.#state !== "reporting") return;
    const isFinal = status >= 200;
    const secondsLeft = Math.max(0, Math.round((this.#expiresAtMs - this.#notifier.clock.nowMs()) / 1000));
    this.#notify(isFinal ? "terminated;reason=noresource" : `active;expires=${secondsLeft}`, {
      status,
      reason,
    });
    if (isFinal) this.#close();
  }

  #expire(): void {
    this.#notify("terminated;reason=timeout", { status: 100, reason: reasonPhrase(100) });
    this.#close();
  }

  #notify(state: string, reported: { status: number; reason: string }): void {
    const content: RequestContent = {
      headers: { Event: this.#event, "Subscription-State": state },
      body: writeSipfrag(reported),
      contentType: SIPFRAG_TYPE,
    };
    this.#last = this.#last.then(async () => {
      const reply = await this.#notifier.notify(content);
      // RFC 6665 §4.2.2: a NOTIFY that is not accepted ends the subscription.
      if ("failure" in reply || reply.response.status >= 300) this.#close();
    });
  }

  #close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#expiry?.cancel();
    // The last NOTIFY still waits for its response.
    void this.#last.then(() => this.#notifier.onClosed());
  }

  /** Ends the subscription without another report, because the peer left or this side closes. Idempotent. */
  abandon(): void {
    this.#decision.cancel();
    this.#expiry?.cancel();
    this.#state = "closed";
  }
}
