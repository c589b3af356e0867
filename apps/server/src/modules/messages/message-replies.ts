import { randomUUID } from "node:crypto";
import { errorMessage } from "@parley/conversation/error-message";
import type { TranscriptEntry } from "@parley/conversation";
import type { TranscriptItem } from "@parley/contract";
import type { Logger } from "pino";
import { createDialogue } from "../../custom-tools/create-dialogue.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { inOrganization } from "../../platform/organization-scope.ts";
import type { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { ReplyFailureLog } from "../conversations/text/reply-failures.ts";
import type { TextModels } from "../conversations/text/text-models.ts";
import type { ConversationMemory } from "../customers/memory/conversation-memory.ts";
import { setUpConversation } from "../conversations/setup/conversation-setup.rules.ts";
import {
  documentFor,
  forText,
  replyInText,
  toEntries,
  type TextReply,
} from "../conversations/text/text-conversation.ts";
import type { KnowledgeSearch } from "../knowledge-bases/search/knowledge-search.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import { describeMessage, isReplyRestarted, nextReplyAttempt, replyTime } from "./inbound-messages.rules.ts";
import { type OpenThread, toTranscriptItem } from "./message-threads.ts";
import type { MessageRouting } from "./message-routing.ts";
import { splitText } from "./messages.rules.ts";
import type { MessagesService } from "./messages.service.ts";
import * as store from "./messages.store.ts";

/** A node that dies leaves its replies to others after this time. */
export const CLAIM_MS = 20_000;
const RENEWAL_MS = 5_000;
/** Replies between two numbers within an hour, against two machines that answer each other. */
export const MAX_REPLIES_PER_HOUR = 60;
const HOUR_MS = 3600_000;
/** The first search after the start loads the model. */
const KNOWLEDGE_DEADLINE_MS = 4_000;
/** Items of the transcript that the language model sees. */
const MAX_HISTORY_ITEMS = 300;

interface MessageRepliesOptions {
  database: Database;
  routing: Pick<MessageRouting, "resolve">;
  messages: Pick<MessagesService, "enqueue" | "isAllowed">;
  conversations: Pick<ConversationsService, "find" | "listLatestItems" | "appendItems" | "noteConfiguration">;
  organizations: Pick<OrganizationsService, "find">;
  memory: Pick<ConversationMemory, "recall">;
  knowledgeSearch: Pick<KnowledgeSearch, "forConversation">;
  toolSigning: Pick<ToolSigning, "signerFor">;
  languageModelsFor: TextModels["find"];
  replyFailures: Pick<ReplyFailureLog, "open">;
  outbound: Pick<OutboundClient, "send">;
  clock: Clock;
  logger: Logger;
}

/** A thread whose reply this node writes. */
export type ClaimedThread = store.ThreadRow & { claimId: string; conversationId: string; agentId: string };

/** A thread with the messages that a reply is about. */
interface ReplyWork {
  thread: ClaimedThread & OpenThread;
  unanswered: readonly store.MessageRow[];
}

/**
 * Writes the replies to inbound messages. One node at a time writes for a thread, and stores what it wrote only while its
 * claim lasts, in one transaction with the messages to send: each message is covered by one reply.
 */
export class MessageReplies {
  readonly #options: MessageRepliesOptions;
  readonly #closing = new AbortController();

  constructor(options: MessageRepliesOptions) {
    this.#options = options;
  }

  /** Claims the next thread whose reply is due. */
  async claim(): Promise<ClaimedThread | undefined> {
    const { database, clock } = this.#options;
    return await database.transaction(async (transaction) => {
      const now = clock.now();
      const claim = { claimId: randomUUID(), claimedUntil: new Date(now.getTime() + CLAIM_MS) };
      return await store.claimThread(transaction, now, claim);
    });
  }

  /** Writes the reply. A failure schedules another attempt. */
  async run(thread: ClaimedThread): Promise<void> {
    const { logger } = this.#options;
    const claim = new AbortController();
    const renewal = setInterval(() => {
      void this.#renew(thread).then(
        (isOurs) => isOurs || claim.abort(new Error("another node writes this reply")),
        (error: unknown) => logger.warn({ err: error }, "renewing the claim of a reply failed"),
      );
    }, RENEWAL_MS);
    const signal = AbortSignal.any([claim.signal, this.#closing.signal]);
    try {
      await inOrganization(thread.organizationId, async () => await this.#answer(thread, signal));
    } finally {
      clearInterval(renewal);
    }
  }

  /** Aborts the replies in progress, which other nodes then write. Idempotent. */
  close(): void {
    this.#closing.abort(new Error("the node is shutting down"));
  }

  async #answer(claimed: ClaimedThread, signal: AbortSignal): Promise<void> {
    const { database, routing, conversations, logger } = this.#options;
    const { organizationId, conversationId, agentId } = claimed;
    const conversation = await conversations.find(database, organizationId, conversationId);
    if (conversation === undefined) return await this.#settle(claimed, async () => ({}));
    const unanswered = await store.listUnanswered(database, conversationId);
    const thread = { ...claimed, beganAt: new Date(conversation.createdAt) };
    const work: ReplyWork = { thread, unanswered };
    const agent = await routing.resolve(organizationId, agentId);
    const obstacle = await this.#findObstacle(thread, agent);
    if (agent === undefined || obstacle !== undefined)
      return await this.#store(work, agent, {
        entries: [note(`No reply: ${obstacle}.`)],
        error: undefined,
        endsConversation: false,
      });
    const reply = await this.#write(work, agent, signal);
    signal.throwIfAborted();
    if (reply.error !== undefined)
      logger.warn({ conversationId, reason: errorMessage(reply.error) }, "writing a reply failed");
    await this.#store(work, agent, reply);
  }

  /** Returns why the agent does not reply; `undefined` if it does. */
  async #findObstacle(
    thread: store.ThreadRow,
    agent: ResolvedAgent | undefined,
  ): Promise<string | undefined> {
    const { database, organizations, messages, clock } = this.#options;
    if (agent === undefined) return "the agent was deleted";
    const { status, messagingConfig } = agent.document;
    if (status !== "active") return "the agent is disabled";
    if (messagingConfig.inboundMode !== "auto_reply") return `inboundMode is ${messagingConfig.inboundMode}`;
    if (thread.optedOutAt !== null) return "the number has sent STOP";
    const organization = await organizations.find(thread.organizationId);
    if (organization?.isBillingActive !== true) return "the organization's billing is inactive";
    if (!(await messages.isAllowed(thread.organizationId, thread)))
      return "the organization may not send messages to this number";
    const since = new Date(clock.now().getTime() - HOUR_MS);
    const count = await store.countGenerated(database, thread, since);
    return count >= MAX_REPLIES_PER_HOUR
      ? `${MAX_REPLIES_PER_HOUR} messages were sent to this number within an hour`
      : undefined;
  }

  /** Has the language model reply to the conversation so far. */
  async #write(
    { thread, unanswered }: ReplyWork,
    agent: ResolvedAgent,
    signal: AbortSignal,
  ): Promise<TextReply> {
    const { conversations, toolSigning, languageModelsFor, outbound, clock } = this.#options;
    const document = documentFor(agent.document, "sms");
    const { conversationId, otherNumber } = thread;
    const known = { conversationId, agent, channel: "sms", otherNumber } as const;
    const { text: memory } = await this.#options.memory.recall(known);
    const { setup, unknownVariables } = setUpConversation({
      memory,
      conversationId: thread.conversationId,
      agent: { ...agent, document },
      variables: agent.variables,
      channel: "sms",
      direction: "inbound",
      fromNumber: thread.otherNumber,
      toNumber: thread.ownNumber,
      at: clock.now(),
    });
    const items = await conversations.listLatestItems(thread.conversationId, MAX_HISTORY_ITEMS);
    const dialogue = createDialogue(forText(setup), {
      models: await languageModelsFor(agent.organizationId, setup.llmModel),
      outbound,
      sign: toolSigning.signerFor(agent.organizationId),
      searchKnowledge: this.#options.knowledgeSearch.forConversation(agent.organizationId, setup.knowledge),
      knowledgeDeadlineMs: KNOWLEDGE_DEADLINE_MS,
      transcript: toEntries(items),
    });
    for (const message of unanswered)
      dialogue.record({ type: "message", role: "user", text: describeMessage(message) });
    const failures = this.#options.replyFailures.open(conversationId);
    try {
      const reply = await replyInText(dialogue, signal, { type: "continue" }, failures);
      const notes = unknownVariables.length === 0 ? [] : [noteUnknown(unknownVariables)];
      return { ...reply, entries: [...notes, ...reply.entries] };
    } finally {
      dialogue.close();
      await failures.store();
    }
  }

  /** Stores a reply with the messages that it covers, and queues its text. */
  async #store(work: ReplyWork, agent: ResolvedAgent | undefined, reply: TextReply): Promise<void> {
    const { thread, unanswered } = work;
    const { entries, error } = reply;
    await this.#settle(thread, async (transaction, current, now) => {
      const unansweredSince = current.unansweredSince ?? now;
      const newer =
        (await store.listUnanswered(transaction, thread.conversationId)).length - unanswered.length;
      const hasActed = entries.some(({ type }) => type === "tool_call");
      const attempts = current.replyAttempts + 1;
      const retryAt = error === undefined ? undefined : nextReplyAttempt(attempts, now);
      if (!hasActed) {
        if (retryAt !== undefined) return { replyAttempts: attempts, replyDueAt: retryAt };
        // Its text does not consider the newer messages.
        if (newer > 0 && isReplyRestarted(unansweredSince, now))
          return { replyDueAt: replyTime(unansweredSince, now) };
      }
      const failure =
        error !== undefined && retryAt === undefined ? [note(`No reply: ${errorMessage(error)}.`)] : [];
      await this.#append(transaction, work, [...entries, ...failure], now);
      await store.markAnswered(
        transaction,
        unanswered.map(({ id }) => id),
      );
      if (agent !== undefined)
        await this.#options.conversations.noteConfiguration(transaction, thread.conversationId, agent);
      if (retryAt !== undefined) return { replyAttempts: attempts, replyDueAt: retryAt };
      return newer > 0
        ? { replyAttempts: 0, unansweredSince: now, replyDueAt: replyTime(now, now) }
        : { replyAttempts: 0, unansweredSince: null, replyDueAt: null };
    });
  }

  /** Adds the messages and the reply to the transcript. The texts of a reply are one message, unless it is too long. */
  async #append(
    transaction: Queries,
    { thread, unanswered }: ReplyWork,
    entries: readonly TranscriptEntry[],
    now: Date,
  ): Promise<void> {
    const { conversations, messages } = this.#options;
    const texts = entries.flatMap((entry) => (entry.type === "message" ? [entry.text] : []));
    const items = [
      ...unanswered.map((message) => toTranscriptItem(thread, message)),
      ...entries.filter(({ type }) => type !== "message").map((entry) => toItem(thread, entry, now)),
    ];
    await conversations.appendItems(thread.conversationId, items, now, transaction);
    const outbound = { texts: splitText(texts.join("\n")), generatedByLlm: true };
    if (outbound.texts.length > 0) await messages.enqueue(transaction, thread, outbound, now);
  }

  /** Changes the thread and releases its claim, unless another node has it. */
  async #settle(
    { claimId, ...key }: ClaimedThread,
    decide: (transaction: Queries, thread: store.ThreadRow, now: Date) => Promise<Partial<store.ThreadRow>>,
  ): Promise<void> {
    const { database, clock } = this.#options;
    await database.transaction(async (transaction) => {
      const current = await store.lockClaimedThread(transaction, key, claimId);
      if (current === undefined) return;
      const now = clock.now();
      const none = { replyDueAt: null, unansweredSince: null, replyAttempts: 0 };
      const change = await decide(transaction, current, now);
      const settled = Object.keys(change).length === 0 ? none : change;
      await store.updateThread(transaction, key, { ...settled, claimId: null, claimedUntil: null });
    });
  }

  async #renew({ claimId, ...key }: ClaimedThread): Promise<boolean> {
    const { database, clock } = this.#options;
    const claimedUntil = new Date(clock.now().getTime() + CLAIM_MS);
    return await store.renewClaim(database, key, claimId, claimedUntil);
  }
}

function note(text: string): TranscriptEntry {
  return { type: "system", text };
}

function noteUnknown(names: readonly string[]): TranscriptEntry {
  return note(`The agent's configuration uses variables without a value: ${names.join(", ")}.`);
}

function toItem({ beganAt }: OpenThread, entry: TranscriptEntry, now: Date): TranscriptItem {
  const atMs = Math.max(0, now.getTime() - beganAt.getTime());
  return { ...entry, id: randomUUID(), startMs: atMs, endMs: atMs };
}
