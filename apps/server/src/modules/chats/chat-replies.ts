import { randomUUID } from "node:crypto";
import type { Conversation, TranscriptItem } from "@parley/contract";
import type { Dialogue, TranscriptEntry } from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import type { Logger } from "pino";
import { createDialogue } from "../../custom-tools/create-dialogue.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { inOrganization } from "../../platform/organization-scope.ts";
import type { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { ConversationMemory } from "../customers/memory/conversation-memory.ts";
import type { ReplyFailureLog } from "../conversations/text/reply-failures.ts";
import type { TextModels } from "../conversations/text/text-models.ts";
import { setUpConversation } from "../conversations/setup/conversation-setup.rules.ts";
import { documentFor, forText, toEntries } from "../conversations/text/text-conversation.ts";
import type { KnowledgeSearch } from "../knowledge-bases/search/knowledge-search.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import { type ChatHub, keyOf } from "./chat-hub.ts";
import { FAILED_REPLY_PREFIX } from "./chat-stream.ts";
import * as store from "./chats.store.ts";
import { StreamedReply } from "./streamed-reply.ts";

/** A node that dies leaves its replies to others after this time. */
export const CLAIM_MS = 10_000;
const RENEWAL_MS = 2_500;
/** Replies that this node writes at once; they wait for the language model most of the time. */
export const MAX_WRITING = 256;
/** Waits before further attempts to write a reply. */
const RETRY_DELAYS_MS: readonly number[] = [1_000, 4_000];
const CONFIGURATION_GONE = "the agent's configuration is gone";
const BILLING_INACTIVE = "the organization's billing is inactive";
/** The first search after the start loads the model. */
const KNOWLEDGE_DEADLINE_MS = 4_000;
/** Items of the transcript that the language model sees. */
const MAX_HISTORY_ITEMS = 300;

export interface ChatRepliesOptions {
  database: Database;
  agentResolution: Pick<AgentResolution, "resolveRecorded">;
  conversations: Pick<ConversationsService, "find" | "latestItemsOf" | "appendItems">;
  organizations: Pick<OrganizationsService, "find">;
  memory: Pick<ConversationMemory, "recall">;
  knowledgeSearch: Pick<KnowledgeSearch, "forConversation">;
  toolSigning: Pick<ToolSigning, "signerFor">;
  languageModelsFor: TextModels["find"];
  replyFailures: Pick<ReplyFailureLog, "open">;
  outbound: Pick<OutboundClient, "send">;
  hub: ChatHub;
  /** Tells the nodes, after the commit, that what is stored of a chat changed. */
  announce: (transaction: Queries, key: string) => Promise<void>;
  clock: Clock;
  logger: Logger;
}

interface ReplyTimes {
  conversation: Conversation;
  beganAt: Date;
}

/** A conversation with what its next reply is written from. */
interface RunningConversation {
  conversation: Conversation;
  agent: ResolvedAgent;
  items: readonly TranscriptItem[];
}

/** What a run added to the conversation. */
interface Written {
  entries: readonly (TranscriptEntry & { id?: string })[];
  /** Why the reply has no end; `undefined` if it has one. */
  error: unknown;
}

/**
 * Writes the replies of chats. One node at a time writes for a chat, and stores what it wrote only while its claim lasts.
 */
export class ChatReplies {
  readonly #options: ChatRepliesOptions;
  readonly #closing = new AbortController();
  readonly #running = new Map<string, { done: Promise<void>; drop: AbortController }>();

  constructor(options: ChatRepliesOptions) {
    this.#options = options;
  }

  /** Returns a claim for this node; `undefined` if it writes enough replies. */
  newClaim(): store.Claim | undefined {
    if (this.#running.size >= MAX_WRITING || this.#closing.signal.aborted) return undefined;
    const claimedUntil = new Date(this.#options.clock.now().getTime() + CLAIM_MS);
    return { claimId: randomUUID(), claimedUntil };
  }

  /** Claims the chat whose reply has been due for the longest time. */
  async claimDue(): Promise<store.ClaimedChat | undefined> {
    const { database, clock } = this.#options;
    const claim = this.newClaim();
    if (claim === undefined) return undefined;
    return await database.transaction(
      async (transaction) => await store.claimDue(transaction, clock.now(), claim),
    );
  }

  /** Writes the reply of a chat whose stream is on this node, if one is due. */
  async takeUp(key: string): Promise<void> {
    const { database, clock } = this.#options;
    const claim = this.newClaim();
    if (claim === undefined) return;
    const claimed = await store.claimChat(database, key, clock.now(), claim);
    if (claimed !== undefined) this.runClaimed(claimed);
  }

  /** Writes the reply in the background. */
  runClaimed(chat: store.ClaimedChat): void {
    void this.run(chat);
  }

  /** Writes the reply. A failure schedules another attempt. Never rejects. */
  async run(chat: store.ClaimedChat): Promise<void> {
    const drop = new AbortController();
    const done = this.#run(chat, AbortSignal.any([drop.signal, this.#closing.signal]));
    this.#running.set(chat.claimId, { done, drop });
    await done.finally(() => this.#running.delete(chat.claimId));
  }

  async #run(chat: store.ClaimedChat, signal: AbortSignal): Promise<void> {
    const { hub, database, logger } = this.#options;
    const { organizationId, conversationId, claimId } = chat;
    const renewal = setInterval(() => void this.#renew(chat), RENEWAL_MS);
    try {
      await inOrganization(organizationId, async () => {
        let isDue = true;
        while (isDue) isDue = await this.#answer(chat, signal);
      });
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, conversationId }, "writing a reply failed");
      // Another node continues at once.
      if (this.#closing.signal.aborted)
        await store
          .releaseClaim(database, conversationId, claimId)
          .catch((cause: unknown) => logger.warn({ err: cause }, "releasing the claim of a reply failed"));
    } finally {
      clearInterval(renewal);
      hub.show(keyOf(chat), conversationId, undefined);
    }
  }

  /** Drops the replies in progress, which other nodes then write. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the node is shutting down"));
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Returns whether another reply is due. */
  async #answer(chat: store.ClaimedChat, signal: AbortSignal): Promise<boolean> {
    const { database, conversations, agentResolution, clock, logger } = this.#options;
    const { organizationId, conversationId } = chat;
    const beganAt = clock.now();
    const [found, conversation, isBillingActive] = await Promise.all([
      // In one query: a message that the reply does not see is counted as newer, and one that it sees is not.
      store.findChatWithItems(database, conversationId, (id) =>
        conversations.latestItemsOf(id, MAX_HISTORY_ITEMS),
      ),
      conversations.find(database, organizationId, conversationId),
      this.#isBillingActive(organizationId),
    ]);
    if (found?.chat.claimId !== chat.claimId || conversation === undefined) return false;
    const { chat: before, items } = found;
    const agent = await agentResolution.resolveRecorded({ ...conversation, organizationId });
    const written =
      agent === undefined || !isBillingActive
        ? {
            entries: [failure(agent === undefined ? CONFIGURATION_GONE : BILLING_INACTIVE)],
            error: undefined,
          }
        : await this.#write(chat, { conversation, agent, items }, signal);
    signal.throwIfAborted();
    if (written.error !== undefined)
      logger.warn({ conversationId, reason: errorMessage(written.error) }, "writing a reply failed");
    return await this.#settle(before, { ...chat, conversation, beganAt }, written);
  }

  async #isBillingActive(organizationId: string): Promise<boolean> {
    const organization = await this.#options.organizations.find(organizationId);
    return organization?.isBillingActive === true;
  }

  /** Has the language model reply to the conversation so far, before the eyes of its streams. */
  async #write(chat: store.ClaimedChat, ran: RunningConversation, signal: AbortSignal): Promise<Written> {
    const { hub, replyFailures } = this.#options;
    const { conversationId } = chat;
    const failures = replyFailures.open(conversationId);
    const reply = new StreamedReply((live) => hub.show(keyOf(chat), conversationId, live));
    const { dialogue, notes } = await this.#openDialogue(ran);
    try {
      const { entries, error } = await reply.run(dialogue, signal, failures);
      return { entries: [...notes, ...entries], error };
    } finally {
      dialogue.close();
      await failures.store();
    }
  }

  async #openDialogue({
    conversation: { id: conversationId, createdAt, isTest },
    agent,
    items,
  }: RunningConversation): Promise<{ dialogue: Dialogue; notes: Written["entries"] }> {
    const { toolSigning, languageModelsFor, outbound, memory } = this.#options;
    const [recalled, models] = await Promise.all([
      memory.recall({ conversationId, agent, channel: "web_chat" }),
      languageModelsFor(agent.organizationId, agent.document.llmModel),
    ]);
    const { setup, unknownVariables } = setUpConversation({
      memory: recalled.text,
      conversationId,
      agent: { ...agent, document: documentFor(agent.document, "web_chat") },
      variables: agent.variables,
      channel: "web_chat",
      direction: "inbound",
      fromNumber: null,
      toNumber: null,
      isTest,
      at: new Date(createdAt),
    });
    const dialogue = createDialogue(forText(setup), {
      models,
      outbound,
      sign: toolSigning.signerFor(agent.organizationId),
      searchKnowledge: this.#options.knowledgeSearch.forConversation(agent.organizationId, setup.knowledge),
      knowledgeDeadlineMs: KNOWLEDGE_DEADLINE_MS,
      transcript: toEntries(items.toSorted((one, other) => one.startMs - other.startMs)),
    });
    return { dialogue, notes: unknownVariables.length === 0 ? [] : [noteUnknown(unknownVariables)] };
  }

  /**
   * Stores what was written, unless the claim is lost. Returns whether another reply is due at once, which keeps the claim.
   *
   * @param before The chat as it was when the reply began.
   */
  async #settle(
    before: store.ChatRow,
    { claimId, conversationId, ...reply }: store.ClaimedChat & ReplyTimes,
    { entries, error }: Written,
  ): Promise<boolean> {
    const { database, conversations, announce, clock, hub } = this.#options;
    const key = keyOf(before);
    const isDue = await database.transaction(async (transaction) => {
      const current = await store.lockClaimed(transaction, conversationId, claimId);
      if (current === undefined) return false;
      const now = clock.now();
      const isNewer = current.inputCount > before.inputCount;
      const delayMs = error === undefined ? undefined : RETRY_DELAYS_MS[current.replyAttempts];
      const gaveUp = error !== undefined && delayMs === undefined ? [failure(errorMessage(error))] : [];
      const items = [...entries, ...gaveUp].map((entry) => toItem(reply, entry, now));
      await conversations.appendItems(conversationId, items, now, transaction);
      await announce(transaction, key);
      const change = afterReply(current, { isNewer, delayMs, now });
      await store.updateChat(transaction, conversationId, change);
      return change.claimId === undefined;
    });
    hub.announce(key);
    hub.show(key, conversationId, undefined);
    return isDue;
  }

  async #renew(chat: store.ClaimedChat): Promise<void> {
    const { database, clock, logger } = this.#options;
    const { conversationId, claimId } = chat;
    const claimedUntil = new Date(clock.now().getTime() + CLAIM_MS);
    try {
      if (await store.renewClaim(database, conversationId, { claimId, claimedUntil })) return;
      this.#running
        .get(claimId)
        ?.drop.abort(new Error("another node writes this reply, or the chat has ended"));
    } catch (error) {
      logger.warn({ err: error }, "renewing the claim of a reply failed");
    }
  }
}

/** The state of a chat after an attempt. Without a change of the claim, this node continues. */
function afterReply(
  { replyAttempts }: store.ChatRow,
  { isNewer, delayMs, now }: { isNewer: boolean; delayMs: number | undefined; now: Date },
): Partial<store.ChatRow> {
  if (isNewer) return { lastMessageAt: now, replyDueAt: now, replyAttempts: 0 };
  const isOver = { lastMessageAt: now, claimId: null, claimedUntil: null };
  if (delayMs === undefined) return { ...isOver, replyDueAt: null, replyAttempts: 0 };
  return { ...isOver, replyDueAt: new Date(now.getTime() + delayMs), replyAttempts: replyAttempts + 1 };
}

function failure(reason: string): TranscriptEntry & { id: string } {
  return { id: FAILED_REPLY_PREFIX + randomUUID(), type: "system", text: `No reply: ${reason}.` };
}

/** Its id makes it appear once in a conversation. */
function noteUnknown(names: readonly string[]): TranscriptEntry & { id: string } {
  const text = `The agent's configuration uses variables without a value: ${names.join(", ")}.`;
  return { id: "unknown-variables", type: "system", text };
}

/** Items begin with their reply: messages that arrived since then follow it. */
function toItem(
  { conversation, beganAt }: ReplyTimes,
  entry: TranscriptEntry & { id?: string },
  now: Date,
): TranscriptItem {
  const toMs = (time: Date): number => Math.max(0, time.getTime() - Date.parse(conversation.createdAt));
  return { id: randomUUID(), ...entry, startMs: toMs(beganAt), endMs: toMs(now) };
}
