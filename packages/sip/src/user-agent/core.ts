import type { Clock } from "../clock.ts";
import type { SipRequest } from "../messages/message.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import type { TransactionLayer } from "../transactions/transaction-layer.ts";
import type { Locator } from "../transport/locate.ts";
import type { Hop } from "../transport/transport.ts";
import type { SessionTimerSettings } from "./session-timer.ts";
import type { Session } from "./session.ts";

/** Whoever answers the requests of one dialog. */
export interface DialogOwner {
  onRequest(transaction: ServerTransaction): void;
  onAck(ack: SipRequest): void;
  /** The session of the dialog, early or confirmed. */
  readonly session: Session;
  /** Why an INVITE may not take this dialog's place (RFC 3891 §3); `undefined` where it may. */
  refusalToReplace(isEarlyOnly: boolean): number | undefined;
  /** Another call has taken the dialog's place: ends it. */
  endReplaced(): void;
}

/** A call in any stage of its life, as the user agent sees it when it closes. */
export interface OpenCall {
  /** Ends the call the way its stage asks for; resolves when the peer knows or cannot be told. */
  close(): Promise<void>;
  /** Drops its timers and says nothing more. */
  abandon(): void;
}

/** What the parts of a user agent share. */
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
  /** A Contact value by which the peer reaches this node, so that in-dialog requests return to it. */
  contactFor(user: string | undefined, peer: Hop): string;
  /** An error of the application in one of its callbacks; it must not end a call that is not concerned. */
  reportError(this: void, error: unknown): void;
  /** Runs a callback of the application. */
  guard(callback: () => void): void;
}
