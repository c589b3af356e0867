import type { Clock } from "../clock.ts";
import type { SipRequest } from "../messages/message.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import type { TransactionLayer } from "../transactions/transaction-layer.ts";
import type { Locator } from "../transport/locate.ts";
import type { Hop } from "../transport/transport.ts";
import type { SessionTimerSettings } from "./session/session-timer.ts";
import type { Session } from "./session/session.ts";

/** The handler of one dialog's requests. */
export interface DialogOwner {
  onRequest(transaction: ServerTransaction): void;
  onAck(ack: SipRequest): void;
  /** The session of the dialog, early or confirmed. */
  readonly session: Session;
  /** The status that rejects an INVITE replacing this dialog (RFC 3891 §3); `undefined` if it may be replaced. */
  rejectionOfReplacement(isEarlyOnly: boolean): number | undefined;
  /** Ends the dialog because another call has replaced it. */
  endReplaced(): void;
}

/** A call in any state, for closing. */
export interface OpenCall {
  /** Ends the call as its state requires; resolves when the peer has been notified or cannot be. */
  close(): Promise<void>;
  /** Stops its timers without notifying the peer. */
  abandon(): void;
}

/** State shared by the parts of a user agent. */
export interface UserAgentCore {
  readonly clock: Clock;
  readonly layer: TransactionLayer;
  /** The value of User-Agent in requests. */
  readonly userAgentName: string | undefined;
  readonly locator: Locator;
  readonly sessionTimer: SessionTimerSettings;
  /** From 0 to 1. */
  readonly random: () => number;
  /** By {@link Dialog.key}. */
  readonly dialogs: Map<string, DialogOwner>;
  readonly openCalls: Set<OpenCall>;
  /**
   * A Contact value at which the peer reaches this node, so that in-dialog requests return to it.
   *
   * @param isSips true if RFC 3261 §8.1.1.8 or §12.1.1 requires a `sips:` URI.
   */
  contactFor(user: string | undefined, peer: Hop, isSips?: boolean): string;
  /** Reports an error thrown by an application callback; other calls must not be affected. */
  reportError(this: void, error: unknown): void;
  /** Runs a callback of the application and reports its errors. */
  guard(callback: () => void): void;
}
