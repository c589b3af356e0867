import type {
  CallEvaluation,
  CallExtraction,
  Conversation,
  ConversationChannel,
  ConversationDetail,
  ProviderFailure,
  TranscriptItem,
  Variables,
} from "@parley/contract";
import type { SQL } from "drizzle-orm";
import { AppError } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import * as store from "./conversations.store.ts";
import { type ProviderFailures, summarizeByVendor } from "./provider-failures.rules.ts";
import { insertFailures, listFailures, listLatestFailures } from "./provider-failures.store.ts";

export { type EarlierMessage, MAX_ITEMS_AT_ONCE, type PlacedItem } from "./conversations.store.ts";

export interface NewConversation {
  organizationId: string;
  agentId: string;
  agentRevision: number | null;
  /** Null for the tester's side of a test call. */
  configurationRevision: number | null;
  environment: string | null;
  channel: ConversationChannel;
  variables: Variables;
  /** Default: false. */
  isTest?: boolean;
  /** Default: the other side is not known. */
  customerId?: string;
  continuesId?: string;
  /** Default: the database's time. */
  createdAt?: Date;
}

/** Results of the analysis of a conversation by text. */
export interface ConversationResult {
  analysisStatus: "pending" | "ready" | "failed" | null;
  analysisDetail: string | null;
  extraction?: CallExtraction | null;
  evaluation?: CallEvaluation | null;
}

export class ConversationsService {
  /** Emitted when a conversation by text ends, in the transaction that ends it. */
  readonly ended = new TransactionEvent<Conversation & { organizationId: string }>();
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(
    organizationId: string,
    id: string,
    queries: Queries = this.#database,
  ): Promise<ConversationDetail> {
    const row = await store.findConversation(queries, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    const providerFailures = await listFailures(queries, id);
    return { ...present(row), transcript: await store.listItems(queries, id), providerFailures };
  }

  /** Records failures in a conversation by text, up to its limit. Rejects if there is no such conversation. */
  async recordProviderFailures(id: string, failures: readonly ProviderFailure[]): Promise<void> {
    await insertFailures(this.#database, id, failures);
  }

  /** Returns the failures of providers in the organization's conversations by text, by provider. */
  async summarizeProviderFailures(
    organizationId: string,
    { countedSince, shownSince }: { countedSince: Date; shownSince: Date },
  ): Promise<Map<string, ProviderFailures>> {
    const failures = await listLatestFailures(this.#database, organizationId, shownSince);
    return summarizeByVendor(failures, countedSince);
  }

  /** Returns the conversation without its transcript. */
  async find(queries: Queries, organizationId: string, id: string): Promise<Conversation | undefined> {
    const row = await store.findConversation(queries, organizationId, id);
    return row && present(row);
  }

  async list(organizationId: string, filter: store.ConversationFilter) {
    return toPage(filter, await store.listConversations(this.#database, organizationId, filter), present);
  }

  /** Creates a conversation in the caller's transaction. */
  async create(queries: Queries, conversation: NewConversation): Promise<Conversation> {
    return present(await store.insertConversation(queries, conversation));
  }

  /** Ends a conversation by text in the caller's transaction. No effect on one that has ended. */
  async end(transaction: Queries, id: string, reason: "idle" | "user", at: Date): Promise<void> {
    const row = await store.endConversation(transaction, id, reason, at);
    if (row === undefined) return;
    await this.ended.emit(transaction, { ...present(row), organizationId: row.organizationId });
  }

  /** Records the results of an analysis. No effect if the conversation was deleted. */
  async noteResult(queries: Queries, id: string, result: ConversationResult): Promise<void> {
    await store.updateConversation(queries, id, result);
  }

  /** Returns the first items after a place in the transcript, `MAX_ITEMS_AT_ONCE` at most, in the order in which they were appended. */
  async listItemsAfter(queries: Queries, id: string, sequence: number): Promise<store.PlacedItem[]> {
    return await store.listItemsAfter(queries, id, sequence);
  }

  /** Returns the last messages, in the order in which they were appended. */
  async listLatestMessages(queries: Queries, id: string, limit: number): Promise<store.PlacedItem[]> {
    return await store.listLatestMessages(queries, id, limit);
  }

  /** Returns the time of the last write; `undefined` if the conversation does not exist. */
  async findUpdatedAt(id: string): Promise<Date | undefined> {
    return await store.findUpdatedAt(this.#database, id);
  }

  /** Returns the transcripts of conversations, by conversation; those without an item are absent. */
  async listTranscripts(ids: readonly string[]): Promise<ReadonlyMap<string, TranscriptItem[]>> {
    return await store.listItemsOfEach(this.#database, ids);
  }

  /** Deletes a conversation in the caller's transaction. */
  async delete(queries: Queries, id: string): Promise<void> {
    await store.deleteConversation(queries, id);
  }

  /** Deletes the transcript in the caller's transaction. Later items of it are rejected. Idempotent. */
  async deleteTranscript(queries: Queries, id: string, now: Date): Promise<void> {
    await store.deleteItems(queries, id, now);
  }

  /** Returns those of these conversations whose transcript was not deleted. */
  async listWithTranscript(ids: readonly string[]): Promise<string[]> {
    return await store.listWithTranscript(this.#database, ids);
  }

  async setVariables(id: string, variables: Variables): Promise<void> {
    await store.updateConversation(this.#database, id, { variables });
  }

  /**
   * Appends items in their order. Skips items whose id is already there, and returns the number of the others.
   *
   * @param conversation Its id, or a query that yields it.
   */
  async appendItems(
    conversation: string | SQL,
    items: readonly TranscriptItem[],
    now: Date,
    queries: Queries = this.#database,
  ): Promise<number> {
    return items.length === 0 ? 0 : await store.appendItems(queries, conversation, items, now);
  }

  /** Returns the items that were appended last, in the order in which they were appended. */
  async listLatestItems(id: string, limit: number): Promise<TranscriptItem[]> {
    return await store.listLatestItems(this.#database, id, limit);
  }

  /** Records the configuration that the latest part of a conversation ran on, in the caller's transaction. */
  async noteConfiguration(
    queries: Queries,
    id: string,
    agent: Pick<NewConversation, "agentRevision" | "configurationRevision" | "environment" | "variables">,
  ): Promise<void> {
    const { agentRevision, configurationRevision, environment, variables } = agent;
    const change = { agentRevision, configurationRevision, environment, variables };
    await store.updateConversation(queries, id, change);
  }

  /** Returns one item of a transcript; `undefined` if there is none with this id. */
  async findItem(
    queries: Queries,
    conversationId: string,
    itemId: string,
  ): Promise<TranscriptItem | undefined> {
    return await store.findItem(queries, conversationId, itemId);
  }

  /** Makes the conversations of a customer those of another. */
  async reassign(transaction: Queries, fromCustomerId: string, toCustomerId: string): Promise<void> {
    await store.reassign(transaction, fromCustomerId, toCustomerId);
  }

  /** Returns what the next conversation may know of earlier ones; `undefined` if it does not exist. */
  async findLinks(id: string): Promise<store.ConversationLinks | undefined> {
    return await store.findLinks(this.#database, id);
  }

  /** Notes the customer of a conversation whose other side was recognized. */
  async noteCustomer(id: string, customerId: string): Promise<void> {
    await store.updateConversation(this.#database, id, { customerId });
  }

  /** Returns the conversations of a customer. */
  async listOf(
    customerId: string,
    queries: Queries = this.#database,
  ): Promise<{ id: string; channel: ConversationChannel }[]> {
    return await store.listOfCustomer(queries, customerId);
  }

  /** Returns the latest messages of other conversations of a customer, the oldest first. */
  async listEarlierMessages(filter: store.EarlierFilter): Promise<store.EarlierMessage[]> {
    return await store.listEarlierMessages(this.#database, filter);
  }

  /** Deletes one item of a transcript, in the caller's transaction. */
  async deleteItem(queries: Queries, conversationId: string, itemId: string): Promise<void> {
    await store.deleteItem(queries, conversationId, itemId);
  }

  /** Returns the query that yields what `listLatestItems` returns. */
  latestItemsOf(conversationId: SQL, limit: number): SQL<TranscriptItem[]> {
    return store.latestItemsOf(conversationId, limit);
  }

  /** Returns the query that yields the time at which a conversation began, in milliseconds. */
  beganAtMsOf(conversationId: SQL): SQL<number> {
    return store.beganAtMsOf(conversationId);
  }

  /** Returns the condition that a conversation has a message with these words. */
  saying(words: string): (conversationId: SQL) => SQL {
    return (conversationId) => store.hasMessageSaying(conversationId, words);
  }
}

function present(row: store.ConversationRow): Conversation {
  return {
    id: row.id,
    agentId: row.agentId,
    agentRevision: row.agentRevision,
    configurationRevision: row.configurationRevision,
    environment: row.environment,
    channel: row.channel,
    isTest: row.isTest,
    customerId: row.customerId,
    variables: row.variables,
    transcriptDeletedAt: row.transcriptDeletedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    endReason: row.endReason,
    analysisStatus: row.analysisStatus,
    analysisDetail: row.analysisDetail,
    extraction: row.extraction,
    evaluation: row.evaluation,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
