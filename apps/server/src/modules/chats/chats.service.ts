import { randomUUID } from "node:crypto";
import type { ChatMessageCreation, Conversation, TestChatCreation, TranscriptItem } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { afterCommit, joinTransaction } from "../../platform/database/joint-transaction.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import { type ConversationsService, MAX_ITEMS_AT_ONCE } from "../conversations/conversations.service.ts";
import { renderTemplate, setBuiltInVariables } from "../conversations/setup/variables.rules.ts";
import { type ChatHub, keyOf } from "./chat-hub.ts";
import type { ChatReplies } from "./chat-replies.ts";
import type { StoredChat, StreamPlace } from "./chat-stream.ts";
import * as store from "./chats.store.ts";

export type { LockedChat } from "./chats.store.ts";

/** A chat ends after this time without a message. */
export const IDLE_MS = 30 * 60_000;
/** Head start of the node with the chat's stream, which shows the reply while it is written. */
export const GRACE_MS = 250;

export interface ChatsDependencies {
  agentResolution: Pick<AgentResolution, "resolveAgent">;
  conversations: ConversationsService;
  hub: ChatHub;
  replies: Pick<ChatReplies, "newClaim" | "runClaimed">;
  /** Tells the nodes, after the commit, that what is stored of a chat changed. */
  announce: (transaction: Queries, key: string) => Promise<void>;
  clock: Clock;
}

/** A message or an instruction for the agent. */
interface ChatInput {
  item: TranscriptItem;
  /** Whether the agent replies. */
  isAnswered: boolean;
}

/** Chats: conversations in text that are answered while somebody watches. */
export class ChatsService {
  readonly #database: Database;
  readonly #dependencies: ChatsDependencies;

  constructor(database: Database, dependencies: ChatsDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Throws `not_found` and `environment_not_found`. */
  async startTest(
    organizationId: string,
    agentId: string,
    { environment = null, variables: own }: TestChatCreation,
  ): Promise<Conversation> {
    const entry = { kind: "browser_test", environment } as const;
    const agent = await this.#dependencies.agentResolution.resolveAgent(organizationId, agentId, entry);
    const withOwn = { ...agent, variables: { ...agent.variables, ...own } };
    return await joinTransaction(this.#database, async (transaction) => {
      const { conversation } = await this.open(transaction, withOwn, { visitorId: null, isTest: true });
      return conversation;
    });
  }

  /** Begins a chat on this configuration, which it keeps until its end. */
  async open(
    transaction: Queries,
    agent: ResolvedAgent,
    { visitorId, isTest }: { visitorId: string | null; isTest: boolean },
  ): Promise<{ conversation: Conversation; chat: store.ChatRow }> {
    const { conversations, clock } = this.#dependencies;
    const {
      organizationId,
      id: agentId,
      agentRevision,
      configurationRevision,
      environment,
      variables,
    } = agent;
    const ran = { organizationId, agentId, agentRevision, configurationRevision, environment, variables };
    const now = clock.now();
    const begun = {
      ...ran,
      channel: "web_chat",
      isTest,
      createdAt: now,
      ...(visitorId !== null && { customerId: visitorId }),
    } as const;
    const conversation = await conversations.create(transaction, begun);
    const { id: conversationId } = conversation;
    const welcome = renderWelcome(agent, now);
    if (welcome !== null) {
      const item = messageOf("agent", { id: randomUUID(), text: welcome, atMs: 0 });
      await conversations.appendItems(conversationId, [item], now, transaction);
    }
    const row = { conversationId, organizationId, visitorId, lastMessageAt: now };
    return { conversation, chat: await store.insertChat(transaction, row) };
  }

  /** Takes the message of a tester. Throws `not_found` and `conversation_not_active`. */
  async sendInTest(
    organizationId: string,
    conversationId: string,
    { id = randomUUID(), text }: ChatMessageCreation,
  ): Promise<TranscriptItem> {
    return await joinTransaction(this.#database, async (transaction) => {
      const conversation = await this.#find(transaction, organizationId, conversationId);
      const chat = await store.lockChat(transaction, conversationId);
      if (chat?.visitorId !== null) throw new AppError("conversation_not_active");
      const beganAt = new Date(conversation.createdAt);
      const { item } = await this.receive(transaction, { ...chat, beganAt }, { id, text });
      return item;
    });
  }

  /** Locks the open chat of a visitor; `undefined` if there is none. */
  async lockOf(transaction: Queries, visitorId: string): Promise<store.LockedChat | undefined> {
    const { conversations } = this.#dependencies;
    return await store.lockChatOf(transaction, visitorId, (id) => conversations.beganAtMsOf(id));
  }

  /** Makes the open chat of a visitor that of another, who has none. */
  async reassign(transaction: Queries, chat: store.ChatRow, visitorId: string): Promise<void> {
    await store.updateChat(transaction, chat.conversationId, { visitorId });
    await this.#announce(transaction, chat);
  }

  /** Adds a message of the other side to a locked chat, and has it answered. A repeated id has no effect. */
  async receive(
    transaction: Queries,
    chat: store.LockedChat,
    { id, text }: { id: string; text: string },
  ): Promise<{ item: TranscriptItem; isNew: boolean }> {
    const { conversations, clock } = this.#dependencies;
    const atMs = Math.max(0, clock.now().getTime() - chat.beganAt.getTime());
    const item = messageOf("user", { id, text, atMs });
    if (await this.#add(transaction, chat, { item, isAnswered: true })) return { item, isNew: true };
    const known = await conversations.findItem(transaction, chat.conversationId, id);
    return { item: requireOwn(known), isNew: false };
  }

  /** Adds an instruction. Returns false if the conversation is no open chat. */
  async instruct(
    transaction: Queries,
    { id: conversationId, createdAt }: Conversation,
    { instruction: text, speak }: { instruction: string; speak: boolean },
  ): Promise<boolean> {
    const chat = await store.lockChat(transaction, conversationId);
    if (chat === undefined) return false;
    const atMs = Math.max(0, this.#dependencies.clock.now().getTime() - Date.parse(createdAt));
    const item = { id: randomUUID(), type: "instruction", text, startMs: atMs, endMs: atMs } as const;
    return await this.#add(transaction, chat, { item, isAnswered: speak });
  }

  /** Ends an open chat that is locked. */
  async end(transaction: Queries, chat: store.ChatRow, reason: "idle" | "user"): Promise<void> {
    const { conversations, clock } = this.#dependencies;
    await conversations.end(transaction, chat.conversationId, reason, clock.now());
    await store.deleteChat(transaction, chat.conversationId);
    await this.#announce(transaction, chat);
  }

  /** Has the streams of a chat that is about to be deleted read it again. No effect if it has ended. */
  async announceDeletion(transaction: Queries, conversationId: string): Promise<void> {
    const chat = await store.lockChat(transaction, conversationId);
    if (chat !== undefined) await this.#announce(transaction, chat);
  }

  /** Ends chats in which nothing was written for too long. */
  async endIdle(): Promise<void> {
    const since = new Date(this.#dependencies.clock.now().getTime() - IDLE_MS);
    const MAX_AT_ONCE = 1_000;
    for (const id of await store.listIdle(this.#database, since, MAX_AT_ONCE)) {
      await joinTransaction(this.#database, async (transaction) => {
        const chat = await store.lockChat(transaction, id);
        if (chat !== undefined && chat.replyDueAt === null && chat.lastMessageAt < since)
          await this.end(transaction, chat, "idle");
      });
    }
  }

  /** Reads a conversation for a stream; `undefined` if it was deleted. */
  async read(
    organizationId: string,
    conversationId: string,
    place: StreamPlace | undefined,
  ): Promise<StoredChat | undefined> {
    const { conversations } = this.#dependencies;
    const sequence = place?.conversationId === conversationId ? place.sequence : 0;
    return await this.#read(
      organizationId,
      conversationId,
      async () => await conversations.listItemsAfter(this.#database, conversationId, sequence),
    );
  }

  /** Reads the last messages of a conversation; `undefined` if it was deleted. */
  async readLatest(
    organizationId: string,
    conversationId: string,
    limit: number,
  ): Promise<StoredChat | undefined> {
    const { conversations } = this.#dependencies;
    return await this.#read(
      organizationId,
      conversationId,
      async () => await conversations.listLatestMessages(this.#database, conversationId, limit),
    );
  }

  async #read(
    organizationId: string,
    conversationId: string,
    listItems: () => Promise<StoredChat["items"]>,
  ): Promise<StoredChat | undefined> {
    const { conversations } = this.#dependencies;
    const conversation = await conversations.find(this.#database, organizationId, conversationId);
    if (conversation === undefined || conversation.transcriptDeletedAt !== null) return undefined;
    const chat = await store.findChat(this.#database, conversationId);
    const items = await listItems();
    const isReplying = chat !== undefined && chat.replyDueAt !== null;
    const beganAt = new Date(conversation.createdAt);
    const hasMore = items.length === MAX_ITEMS_AT_ONCE;
    return { conversationId, beganAt, endReason: conversation.endReason, isReplying, items, hasMore };
  }

  /** Returns the key of an open chat's streams. Throws `not_found`, and `conversation_not_active` if it is no open chat. */
  async findKey(organizationId: string, conversationId: string): Promise<string> {
    await this.#find(this.#database, organizationId, conversationId);
    const chat = await store.findChat(this.#database, conversationId);
    if (chat === undefined) throw new AppError("conversation_not_active");
    return keyOf(chat);
  }

  async #find(queries: Queries, organizationId: string, id: string): Promise<Conversation> {
    const conversation = await this.#dependencies.conversations.find(queries, organizationId, id);
    if (conversation === undefined) throw new AppError("not_found");
    return conversation;
  }

  /**
   * Adds to a locked chat. This node writes the reply at once if the chat's stream is here. Returns false, without any effect,
   * if an item with this id is already there.
   */
  async #add(transaction: Queries, chat: store.ChatRow, { item, isAnswered }: ChatInput): Promise<boolean> {
    const { conversations, hub, replies, clock } = this.#dependencies;
    const { conversationId, inputCount, claimedUntil, replyDueAt } = chat;
    const now = clock.now();
    if ((await conversations.appendItems(conversationId, [item], now, transaction)) === 0) return false;
    if (!isAnswered) {
      await store.updateChat(transaction, conversationId, { lastMessageAt: now });
      await this.#announce(transaction, chat);
      return true;
    }
    const isFree = claimedUntil === null || claimedUntil < now;
    const claim = isFree && hub.hasListener(keyOf(chat)) ? replies.newClaim() : undefined;
    const change = {
      lastMessageAt: now,
      inputCount: inputCount + 1,
      replyDueAt: replyDueAt ?? new Date(now.getTime() + GRACE_MS),
      replyAttempts: 0,
      ...claim,
    };
    await store.updateChat(transaction, conversationId, change);
    await this.#announce(transaction, chat);
    if (claim === undefined) return true;
    const { claimId } = claim;
    await afterCommit(() => replies.runClaimed({ ...chat, ...change, claimId }));
    return true;
  }

  async #announce(transaction: Queries, chat: store.ChatRow): Promise<void> {
    const { announce, hub } = this.#dependencies;
    const key = keyOf(chat);
    await announce(transaction, key);
    await afterCommit(() => hub.announce(key));
  }
}

/** Text that a chat begins with, with variables filled in; `null` if there is none. */
export function renderWelcome({ document, variables }: ResolvedAgent, now: Date): string | null {
  const { welcomeMessage } = document.widgetConfig.appearance;
  if (welcomeMessage === null) return null;
  const { timezone } = document;
  const facts = {
    callId: null,
    fromNumber: null,
    toNumber: null,
    direction: "inbound" as const,
    timezone,
    now,
  };
  const { text } = renderTemplate(welcomeMessage, { ...variables, ...setBuiltInVariables(facts) });
  return text.trim() === "" ? null : text;
}

function messageOf(
  role: "user" | "agent",
  { id, text, atMs }: { id: string; text: string; atMs: number },
): TranscriptItem {
  return { id, type: "message", role, text, startMs: atMs, endMs: atMs };
}

/** Throws `invalid_body` if the item with this id is not a message of the other side. */
function requireOwn(item: TranscriptItem | undefined): TranscriptItem {
  if (item?.type === "message" && item.role === "user") return item;
  throw invalidBody("id", "is the id of another item of the conversation");
}
