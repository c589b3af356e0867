import {
  type Call,
  type CallDetail,
  keysOf,
  type ProviderFailure,
  type TranscriptItem,
  type Turn,
  type Variables,
} from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import { toPage } from "../../platform/database/page.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { CallQuota } from "./call-quota.ts";
import {
  countBillableSeconds,
  isAnswerMissing,
  isEndCorrected,
  isResultPending,
  summarizeLatency,
  withoutDeleted,
} from "./calls.rules.ts";
import type {
  CallAnswer,
  CallEnd,
  CallResult,
  CallRow,
  EndedCall,
  NewCall,
  NewInboundCall,
  PlacedCall,
  StoredCall,
} from "./call-record.ts";
import { presentCall } from "./call-view.rules.ts";
import * as store from "./calls.store.ts";
import type { ProviderFailures } from "../conversations/provider-failures.rules.ts";
import {
  insertProviderFailure,
  listProviderFailures,
  summarizeProviderFailures,
} from "./provider-failures.store.ts";
import type { CallChannel } from "./calls.tables.ts";

export type * from "./call-record.ts";

/** Selection of calls by the API. */
type CallQuery = Omit<store.CallFilter, "said"> & { text?: string };

/** Links to recordings of calls. */
export interface RecordingLinks {
  /** Returns null if the call has no recording, or none yet. */
  findUrl: (
    organizationId: string,
    callId: string,
    options?: { queries?: Queries },
  ) => Promise<string | null>;
}

interface CallsDependencies {
  conversations: ConversationsService;
  recordingLinks: RecordingLinks;
  quota: Pick<CallQuota, "requireRoom">;
}

/** The records of calls. Features that act on the end of a call subscribe to its events. */
export class CallsService {
  /** Emitted when a call ends, with its row locked: listeners note which results are pending (`noteResult`). */
  readonly ending = new TransactionEvent<{ call: CallRow; at: Date }>();
  /** Emitted when a call has ended, in the transaction that ends its record. */
  readonly ended = new TransactionEvent<{ call: EndedCall; noticedAt: Date }>();
  /** Emitted when an ended call has no pending result any more. */
  readonly settled = new TransactionEvent<{ call: EndedCall; at: Date }>();
  readonly #database: Database;
  readonly #conversations: ConversationsService;
  readonly #recordingLinks: RecordingLinks;
  readonly #quota: CallsDependencies["quota"];

  constructor(database: Database, { conversations, recordingLinks, quota }: CallsDependencies) {
    this.#database = database;
    this.#conversations = conversations;
    this.#recordingLinks = recordingLinks;
    this.#quota = quota;
  }

  async get(organizationId: string, id: string, queries: Queries = this.#database): Promise<CallDetail> {
    const row = await store.findCall(queries, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    // One after the other: a transaction has one connection.
    const conversation = await this.#conversations.get(organizationId, row.conversationId, queries);
    const { variables, transcript, transcriptDeletedAt } = conversation;
    const turns = await store.listTurns(queries, id);
    const providerFailures = await listProviderFailures(queries, id);
    const recordingUrl =
      row.recordingStatus === "ready"
        ? await this.#recordingLinks.findUrl(organizationId, id, { queries })
        : null;
    const spoken = { variables, transcript, transcriptDeletedAt };
    return { ...presentCall(row), ...spoken, recordingUrl, turns, providerFailures };
  }

  /** Returns the calls with these conversations. */
  async listWithConversations(ids: readonly string[]): Promise<{ id: string; endedAt: Date | null }[]> {
    return await store.listCallsWithConversations(this.#database, ids);
  }

  /** Returns the call without its transcript and turns. */
  async describe(organizationId: string, id: string): Promise<Call & { nodeId: string }> {
    const row = await store.findCall(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return { ...presentCall(row), nodeId: row.nodeId };
  }

  async list(organizationId: string, { text, ...filter }: CallQuery) {
    const said = text === undefined ? undefined : this.#conversations.saying(text);
    const rows = await store.listCalls(this.#database, organizationId, {
      ...filter,
      ...(said !== undefined && { said }),
    });
    return toPage(filter, rows, presentCall);
  }

  /** Creates a ringing inbound call, with its conversation. Throws what `open` throws. */
  async openInbound({ at, ...call }: NewInboundCall): Promise<{ callId: string; conversationId: string }> {
    return await this.open({
      ...call,
      channel: "phone",
      direction: "inbound",
      status: "ringing",
      startedAt: at,
    });
  }

  /** Creates a call, with its conversation. Throws `rate_limited` if the organization may have no further call now. */
  async open({
    variables,
    customerId,
    continuesId,
    ...columns
  }: NewCall): Promise<{ callId: string; conversationId: string }> {
    return await this.#database.transaction(async (transaction) => {
      const { organizationId, agentId, agentRevision, configurationRevision, environment, channel } = columns;
      await this.#quota.requireRoom(transaction, organizationId);
      const ran = { organizationId, agentId, agentRevision, configurationRevision, environment, channel };
      const conversation = await this.#conversations.create(transaction, {
        ...ran,
        variables,
        ...(customerId !== undefined && { customerId }),
        ...(continuesId !== undefined && { continuesId }),
      });
      const row = await store.insertCall(transaction, { ...columns, conversationId: conversation.id });
      return { callId: row.id, conversationId: conversation.id };
    });
  }

  /** Returns a placed call; `undefined` if it has ended or belongs to another node. */
  async findPlaced(id: string, nodeId: string): Promise<PlacedCall | undefined> {
    const row = await store.findOpenCallOf(this.#database, nodeId, id);
    if (row === undefined) return undefined;
    const { variables } = await this.#conversations.get(row.organizationId, row.conversationId);
    return { ...row, variables };
  }

  /** Moves a call to another node. Returns false if it has ended or no longer belongs to the first node. */
  async move(id: string, handover: store.Handover): Promise<boolean> {
    return await store.moveCall(this.#database, id, handover);
  }

  /** Deletes a call and its conversation. No effect on a call that has ended or belongs to another node. */
  async discard(id: string, nodeId: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const conversationId = await store.deleteOpenCallOf(transaction, nodeId, id);
      if (conversationId !== undefined) await this.#conversations.delete(transaction, conversationId);
    });
  }

  /** Marks a queued call as ringing. No effect in later states. */
  async markRinging(id: string, at: Date): Promise<void> {
    await store.markRinging(this.#database, id, at);
  }

  /** No effect on a call that has ended, unless its node was taken for lost before it could write the answer. */
  async markAnswered(id: string, { at, isRecorded, ...names }: CallAnswer): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const row = await store.lockCall(transaction, id);
      if (row === undefined || (row.endedAt !== null && !isAnswerMissing(row))) return;
      await store.updateCall(transaction, id, {
        ...(row.endedAt === null
          ? { status: "in_progress" }
          : { billableSeconds: countBillableSeconds(at, row.endedAt) }),
        // A callee may answer without ringing.
        startedAt: row.startedAt ?? at,
        answeredAt: at,
        // The recording may have finished before this write, if the database was unreachable.
        recordingStatus: row.recordingStatus ?? (isRecorded === true ? "pending" : null),
        ...names,
      });
    });
  }

  /** Locks a call that has not ended; false if it has. */
  async lockOpen(transaction: Queries, id: string): Promise<boolean> {
    const row = await store.lockCall(transaction, id);
    return row !== undefined && row.endedAt === null;
  }

  /** Records that a campaign's call is about to be dialed. */
  async markDialed(transaction: Queries, id: string, at: Date): Promise<void> {
    await store.updateCall(transaction, id, { dialedAt: at });
  }

  /** Lets one transaction at a time dial a number for campaigns. */
  async lockDials(transaction: Queries, organizationId: string, toNumber: string): Promise<void> {
    await store.lockDials(transaction, organizationId, toNumber);
  }

  /** Counts dials of campaigns to a number since a time. */
  async countDials(queries: Queries, organizationId: string, toNumber: string, since: Date): Promise<number> {
    return await store.countDials(queries, organizationId, toNumber, since);
  }

  /** Returns the calls to a contact of a campaign, the latest first. */
  async listToContact(campaignContactId: string): Promise<Call[]> {
    return (await store.listCallsToContact(this.#database, campaignContactId)).map(presentCall);
  }

  /** Replaces all variables of the call's conversation. */
  async setVariables(id: string, variables: Variables): Promise<void> {
    const conversationId = await store.findConversationId(this.#database, id);
    if (conversationId === undefined) throw new Error(`there is no call ${id}`);
    await this.#conversations.setVariables(conversationId, variables);
  }

  /** Appends to the call's transcript, in this order. Skips items whose id is already there. */
  async appendItems(id: string, items: readonly TranscriptItem[], now: Date): Promise<void> {
    await this.#conversations.appendItems(store.conversationIdOf(id), items, now);
  }

  /** Idempotent by the turns' ids. Turns written after the end still count in the call's latency. */
  async recordTurns(id: string, turns: readonly Turn[]): Promise<void> {
    if (turns.length === 0) return;
    const { isEnded } = await store.insertTurns(this.#database, id, turns);
    if (!isEnded) return;
    await this.#database.transaction(async (transaction) => {
      await store.lockCall(transaction, id);
      const latency = summarizeLatency(await store.listTurns(transaction, id));
      await store.updateCall(transaction, id, { latency });
    });
  }

  /** Idempotent by the failure's id. */
  async recordProviderFailure(id: string, failure: ProviderFailure): Promise<void> {
    await insertProviderFailure(this.#database, id, failure);
  }

  /** Returns the failures of providers in the organization's calls, by provider. */
  async summarizeProviderFailures(
    organizationId: string,
    since: { countedSince: Date; shownSince: Date },
  ): Promise<Map<string, ProviderFailures>> {
    return await summarizeProviderFailures(this.#database, organizationId, since);
  }

  /**
   * Ends the call. The first end wins; returns whether this was it. An end that was only presumed because the call's
   * node was silent is corrected by a later one, without events: they report each end once.
   */
  async finish(id: string, end: CallEnd): Promise<boolean> {
    const { endedAt, noticedAt = endedAt } = end;
    return await this.#database.transaction(async (transaction) => {
      const row = await store.lockCall(transaction, id);
      if (row === undefined) return false;
      if (row.endedAt !== null) {
        if (isEndCorrected(row, end)) await this.#writeEnd(transaction, row, end);
        return false;
      }
      await this.ending.emit(transaction, { call: row, at: noticedAt });
      const call = await this.#writeEnd(transaction, row, end);
      await this.ended.emit(transaction, { call: { ...call, endedAt }, noticedAt });
      return true;
    });
  }

  async #writeEnd(transaction: Queries, { id, answeredAt }: CallRow, end: CallEnd): Promise<CallRow> {
    const { status, endReason, endDetail, endedAt, quality } = end;
    return await store.updateCall(transaction, id, {
      status,
      endReason,
      endDetail: endDetail === undefined ? null : toStorableText(endDetail),
      endedAt,
      billableSeconds: countBillableSeconds(answeredAt, endedAt),
      quality: quality ?? null,
      latency: summarizeLatency(await store.listTurns(transaction, id)),
    });
  }

  /**
   * Records a result of a call in the transaction that produces it, without what was deleted meanwhile. Returns the call's
   * record; `undefined` if the call was deleted.
   */
  async noteResult(
    transaction: Queries,
    id: string,
    result: CallResult,
    at: Date,
  ): Promise<Call | undefined> {
    const before = await store.lockCall(transaction, id);
    if (before === undefined) return undefined;
    const change = withoutDeleted(before, result);
    const row = keysOf(change).length === 0 ? before : await store.updateCall(transaction, id, change);
    const { endedAt } = row;
    if (endedAt !== null && !isResultPending(row))
      await this.settled.emit(transaction, { call: { ...row, endedAt }, at });
    return presentCall(row);
  }

  /** Locks a call that has ended until the transaction ends. Throws `not_found` and `call_not_ended`. */
  async lockEnded(transaction: Queries, organizationId: string, id: string): Promise<EndedCall> {
    const row = await store.lockCall(transaction, id);
    if (row?.organizationId !== organizationId) throw new AppError("not_found");
    if (row.endedAt === null) throw new AppError("call_not_ended");
    return { ...row, endedAt: row.endedAt };
  }

  /** Deletes a call that has ended, with its conversation. */
  async delete(transaction: Queries, { id, conversationId }: EndedCall): Promise<void> {
    await store.deleteCall(transaction, id);
    await this.#conversations.delete(transaction, conversationId);
  }

  /** Deletes the transcript of a call that has ended, and the results of its analysis. Idempotent. */
  async deleteTranscript(transaction: Queries, call: EndedCall, at: Date): Promise<void> {
    await this.#conversations.deleteTranscript(transaction, call.conversationId, at);
    const analysisStatus = call.analysisStatus === null ? null : ("deleted" as const);
    const nothing = { analysisStatus, analysisDetail: null, extraction: null, evaluation: null };
    await this.noteResult(transaction, call.id, nothing, at);
  }

  /** Returns what is stored of these calls; those that do not exist are absent. */
  async listStored(ids: readonly string[]): Promise<Map<string, StoredCall>> {
    const rows = await store.listCallsById(this.#database, ids);
    const withTranscript = new Set(
      await this.#conversations.listWithTranscript(rows.map(({ conversationId }) => conversationId)),
    );
    return new Map(
      rows.map(({ id, conversationId, recordingStatus }) => [
        id,
        {
          hasTranscript: withTranscript.has(conversationId),
          mayHaveRecording: recordingStatus !== "deleted",
        },
      ]),
    );
  }

  /** Returns the organization of a call whose recording may be stored; `undefined` if either was deleted. */
  async findOrganizationToRecordFor(id: string): Promise<string | undefined> {
    return await store.findOrganizationToRecordFor(this.#database, id);
  }

  /** Returns calls that ended before the given time and whose recording is pending; of one node or of all. */
  async listAwaitingRecording(filter: { nodeId?: string; endedBefore: Date }): Promise<string[]> {
    return await store.listAwaitingRecording(this.#database, filter);
  }

  /** Records that the call will have no recording. Returns false if its recording is not pending. */
  async noteRecordingLost(id: string, now: Date): Promise<boolean> {
    return await this.#database.transaction(async (transaction) => {
      const row = await store.lockCall(transaction, id);
      if (row?.recordingStatus !== "pending") return false;
      await this.noteResult(transaction, id, { recordingStatus: "failed" }, now);
      return true;
    });
  }

  /** Records the progress of the post-call webhook, in the transaction that causes it. */
  async notePostCallWebhook(
    transaction: Queries,
    id: string,
    { status, attempts }: { status: "pending" | "delivered" | "failed"; attempts: number },
  ): Promise<void> {
    await store.updateCall(transaction, id, {
      postCallWebhookStatus: status,
      postCallWebhookAttempts: attempts,
    });
  }

  /** Returns the id of the call's node; `undefined` if the call has ended. */
  async findNodeId(id: string, channel?: CallChannel): Promise<string | undefined> {
    return await store.findNodeId(this.#database, id, channel);
  }

  /** Returns the ids of those calls that have ended. */
  async listEnded(ids: readonly string[]): Promise<string[]> {
    return await store.listEnded(this.#database, ids);
  }
}
