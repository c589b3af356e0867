import type { MessageStatus } from "@parley/contract";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import { inOrganization } from "../../platform/organization-scope.ts";
import type {
  MessagingConnectionsService,
  SendingConnection,
} from "../messaging-connections/messaging-connections.service.ts";
import type { Twilio } from "../messaging-connections/twilio.ts";
import { TwilioError } from "../messaging-connections/twilio-error.ts";
import {
  isProgress,
  isTemporary,
  LOOKUP_INTERVAL_MS,
  LOOKUP_PERIOD_MS,
  nextAttempt,
  OPTED_OUT_CODE,
  toStatus,
} from "./messages.rules.ts";
import * as store from "./messages.store.ts";

/** Longer than a request to the provider. After it the message is looked up, on any node. */
const CLAIM_MS = 15_000;
const SECOND_MS = 1_000;
/** Difference between the clocks of this node and the provider. */
const CLOCK_TOLERANCE_MS = 30_000;
const MAX_ERROR_CHARACTERS = 1_000;

/** A message that this node hands to the provider. */
export interface ClaimedMessage {
  row: store.MessageRow;
  connection: SendingConnection;
  /** Whether an earlier request may have sent the message. */
  isLookup: boolean;
}

/** Report of the provider about one message. */
export interface StatusReport {
  messageId: string;
  messagingConnectionId: string;
  /** Attempt that the report is about. */
  attempt: number;
  providerMessageId: string;
  /** In the provider's words. */
  status: string;
  errorCode: number | null;
}

interface Failure {
  code: number | null;
  message: string;
}

interface MessageSenderOptions {
  database: Database;
  connections: Pick<MessagingConnectionsService, "findForSending">;
  twilio: Pick<Twilio, "sendMessage" | "listMessages">;
  clock: Clock;
  logger: Logger;
}

/**
 * Hands queued messages to the provider, each at most once: the beginning of a request is stored before it is sent, and a
 * message whose request has no known outcome is looked up instead of being sent again.
 */
export class MessageSender {
  readonly #options: MessageSenderOptions;

  constructor(options: MessageSenderOptions) {
    this.#options = options;
  }

  /** Claims the next due message. Returns `undefined` if there is none. */
  async claim(): Promise<ClaimedMessage | undefined> {
    for (;;) {
      const claimed = await this.#options.database.transaction(async (transaction) => {
        return await this.#claim(transaction);
      });
      if (claimed !== "postponed") return claimed;
    }
  }

  /** Sends the message, or finds out whether it was sent. */
  async run({ row, connection, isLookup }: ClaimedMessage): Promise<void> {
    await inOrganization(row.organizationId, async () => {
      if (isLookup) await this.#lookUp(row, connection);
      else await this.#send(row, connection);
    });
  }

  /** Takes a report of the provider. Reports that say nothing new are ignored. */
  async take({ messageId, messagingConnectionId, attempt, ...report }: StatusReport): Promise<void> {
    const status = toStatus(report.status);
    if (status === undefined) return;
    const { providerMessageId, errorCode } = report;
    await this.#change(messageId, async (transaction, row, now) => {
      if (row.messagingConnectionId !== messagingConnectionId || row.attempts !== attempt) return {};
      // The report proves that the message was accepted, even if the answer to the request was lost.
      const accepted = { providerMessageId, requestedAt: null, dueAt: null };
      if (!isProgress(row.status, status)) return row.providerMessageId === providerMessageId ? {} : accepted;
      if (status !== "failed") return { ...accepted, status, errorCode: null, errorMessage: null };
      const failure = { code: errorCode, message: `the provider reports ${report.status}` };
      return { ...accepted, ...(await this.#fail(transaction, row, failure, now)) };
    });
  }

  /** Runs in a transaction that holds the lock of the message. */
  async #claim(transaction: Queries): Promise<ClaimedMessage | "postponed" | undefined> {
    const { clock, connections } = this.#options;
    const now = clock.now();
    const row = await store.claimDue(transaction, now, new Date(now.getTime() + CLAIM_MS));
    if (row === undefined) return undefined;
    const connection = await connections.findForSending(transaction, row.messagingConnectionId);
    if (connection === undefined) {
      const errorMessage = "the messaging connection was deleted";
      const change = { status: "failed", errorMessage, dueAt: null, claimedUntil: null } as const;
      await store.updateMessage(transaction, row.id, change);
      return "postponed";
    }
    if (row.requestedAt !== null) return { row, connection, isLookup: true };
    const nextAt = new Date(now.getTime() + SECOND_MS / connection.messagesPerSecond);
    const placeAt = await store.takePlace(transaction, row, now, nextAt);
    if (placeAt !== undefined) {
      await store.updateMessage(transaction, row.id, { dueAt: placeAt, claimedUntil: null });
      return "postponed";
    }
    await store.updateMessage(transaction, row.id, { requestedAt: now });
    return { row: { ...row, requestedAt: now }, connection, isLookup: false };
  }

  async #send(row: store.MessageRow, connection: SendingConnection): Promise<void> {
    const { id, fromNumber: from, toNumber: to, body, attempts } = row;
    const { twilio, logger } = this.#options;
    try {
      const statusCallback = connection.statusCallbackUrl(id, attempts);
      const accepted = await twilio.sendMessage(connection, { from, to, body, statusCallback });
      await this.#accept(row, accepted);
    } catch (error) {
      if (!(error instanceof TwilioError)) throw error;
      logger.warn(
        { messageId: id, kind: error.kind, code: error.code, reason: error.message },
        "sending a message failed",
      );
      await this.#change(id, async (transaction, current, now) => {
        // Settled by a report that overtook the answer.
        if (current.requestedAt === null) return {};
        if (error.kind === "uncertain") return { dueAt: new Date(now.getTime() + LOOKUP_INTERVAL_MS) };
        const failure = { code: error.code ?? null, message: error.message };
        const isRetried = error.kind !== "refused";
        return await this.#fail(transaction, current, failure, now, isRetried);
      });
    }
  }

  /** Records the provider's answer to an attempt. */
  async #accept(
    { id, attempts }: Pick<store.MessageRow, "id" | "attempts">,
    { sid, status }: { sid: string; status: string },
  ): Promise<void> {
    await this.#change(id, async (_transaction, row) => {
      // Settled, or made due for another attempt, by a report that overtook the answer.
      if (row.requestedAt === null || row.attempts !== attempts) return {};
      const accepted = { providerMessageId: sid, requestedAt: null, dueAt: null };
      const reported = toStatus(status);
      return reported !== undefined && isProgress(row.status, reported) && reported !== "failed"
        ? { ...accepted, status: reported }
        : accepted;
    });
  }

  /** Searches the provider's list for the message. A message that does not appear in time was not accepted. */
  async #lookUp(row: store.MessageRow, connection: SendingConnection): Promise<void> {
    const { database, twilio, clock, logger } = this.#options;
    const { id, fromNumber: from, toNumber: to, body, messagingConnectionId } = row;
    const since = row.requestedAt?.getTime() ?? 0;
    let listed: Awaited<ReturnType<Twilio["listMessages"]>> | undefined;
    try {
      listed = await twilio.listMessages(connection, { from, to });
    } catch (error) {
      if (!(error instanceof TwilioError)) throw error;
      logger.warn({ messageId: id, reason: error.message }, "looking up a message failed");
    }
    const candidates = (listed ?? []).filter(
      (each) => each.body === body && each.createdAt.getTime() >= since - CLOCK_TOLERANCE_MS,
    );
    const sids = candidates.map(({ sid }) => sid);
    const known = await store.findKnownProviderIds(database, messagingConnectionId, sids);
    // The oldest one: of equal messages, the earlier ones have their ids already.
    const found = candidates.findLast(({ sid }) => !known.has(sid));
    if (found !== undefined) return await this.#accept(row, found);
    const now = clock.now();
    const isOver = listed !== undefined && now.getTime() - since >= LOOKUP_PERIOD_MS;
    const later = { dueAt: new Date(now.getTime() + LOOKUP_INTERVAL_MS) };
    const errorMessage =
      "the provider's answer was lost, and the message is not in its list: it was not sent again, so that it is sent at most once";
    const failed = { status: "failed" as const, errorMessage, requestedAt: null, dueAt: null };
    await this.#change(id, async (_transaction, { requestedAt }) => {
      if (requestedAt === null) return {};
      return isOver ? failed : later;
    });
  }

  /** Returns the change after a failure: another attempt if the provider calls it temporary, otherwise the end. */
  async #fail(
    transaction: Queries,
    row: store.MessageRow,
    { code, message }: Failure,
    now: Date,
    isRetried = isTemporary(code),
  ): Promise<Partial<store.MessageInsert>> {
    const attempts = row.attempts + 1;
    const dueAt = isRetried || isTemporary(code) ? nextAttempt(attempts, now) : undefined;
    const errorMessage = toStorableText(message).slice(0, MAX_ERROR_CHARACTERS);
    const failed = { errorCode: code, errorMessage, requestedAt: null };
    if (dueAt !== undefined) return { ...failed, status: "queued", attempts, dueAt };
    if (code === OPTED_OUT_CODE) {
      const { messagingConnectionId, fromNumber: ownNumber, toNumber: otherNumber } = row;
      const key = { messagingConnectionId, ownNumber, otherNumber };
      await store.updateThread(transaction, key, { optedOutAt: now });
    }
    return { ...failed, status: "failed" satisfies MessageStatus, dueAt: null };
  }

  /** Changes a message under its lock, and releases its claim. A message that was deleted is left alone. */
  async #change(
    id: string,
    decide: (transaction: Queries, row: store.MessageRow, now: Date) => Promise<Partial<store.MessageInsert>>,
  ): Promise<void> {
    const { database, clock } = this.#options;
    await database.transaction(async (transaction) => {
      const row = await store.lockMessage(transaction, id);
      if (row === undefined) return;
      const now = clock.now();
      const change = await decide(transaction, row, now);
      await store.updateMessage(transaction, id, { ...change, claimedUntil: null, updatedAt: now });
    });
  }
}
