import { randomUUID } from "node:crypto";
import type { Conversation, Message, MessageCreate } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Bus } from "../../platform/bus/bus.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";
import type { CallText } from "../active-calls/active-call-registry.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import { isDestinationAllowed } from "../phone-calls/outbound/destination.rules.ts";
import type { OutboundPlanner } from "../phone-calls/outbound/outbound-planner.ts";
import { type OpenThread, openConversation, toTranscriptItem } from "./message-threads.ts";
import { splitText } from "./messages.rules.ts";
import * as store from "./messages.store.ts";

/** Topic of the bus on which nodes hear of messages to send. */
export const OUTBOUND_TOPIC = "messages_to_send";
/** Topic of the bus on which nodes hear of messages to answer. */
export const INBOUND_TOPIC = "messages_to_answer";

const MAX_ENDED_AT_ONCE = 1_000;

export interface MessagesDependencies {
  agents: Pick<AgentsService, "findNames">;
  agentResolution: Pick<AgentResolution, "resolveAgent">;
  conversations: Pick<ConversationsService, "find" | "create" | "end" | "appendItems" | "deleteItem">;
  outboundPlanner: Pick<OutboundPlanner, "findDestinations">;
  bus: Bus;
  clock: Clock;
}

/** Our side of a thread. */
export interface Sender {
  messagingConnectionId: string;
  ownNumber: string;
}

/** Texts to send to the other side of a locked thread. */
export interface OutboundTexts {
  texts: readonly string[];
  generatedByLlm: boolean;
  callId?: string;
}

/** The log of messages, and the way to send one. */
export class MessagesService {
  readonly #database: Database;
  readonly #dependencies: MessagesDependencies;

  constructor(database: Database, dependencies: MessagesDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  async get(organizationId: string, id: string): Promise<Message> {
    const row = await store.findMessage(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return await this.#present(row);
  }

  async list(organizationId: string, { number: text, ...query }: store.MessageFilter) {
    // A `+` that a client sent unencoded in the query arrives as a space.
    const number = text?.replace(/^ /, "+");
    const filter = {
      ...query,
      ...(number !== undefined && { number: normalizePhoneNumber(number) ?? number }),
    };
    const found = await store.listMessages(this.#database, organizationId, filter);
    const names = await this.#findNames(organizationId, found.rows);
    return toPage(filter, found, (row) => present(row, names));
  }

  /** Throws `not_found`. */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const row = await store.lockMessage(transaction, id);
      if (row?.organizationId !== organizationId) throw new AppError("not_found");
      await store.deleteMessage(transaction, id);
      if (row.conversationId !== null)
        await this.#dependencies.conversations.deleteItem(transaction, row.conversationId, id);
    });
  }

  /** Queues a message. Throws `invalid_body` and `destination_not_allowed`. */
  async send(organizationId: string, request: MessageCreate): Promise<Message> {
    const agent = await this.#resolve(organizationId, request.agentId);
    const sender = requireSender(agent, request.fromNumber ?? undefined);
    const toNumber = normalizePhoneNumber(request.toNumber);
    if (toNumber === undefined)
      throw invalidBody("toNumber", "must be a valid phone number with its country code");
    const sent = { texts: [request.body], generatedByLlm: false };
    const [row] = await this.sendTo(agent, { ...sender, otherNumber: toNumber }, sent);
    if (row === undefined) throw new Error("the message was not stored");
    return await this.#present(row);
  }

  /** Queues a message that an agent sends during a call, in its thread with the other side. Rejects with a reason. */
  async sendDuringCall({ agent, callId, otherNumber, text }: CallText): Promise<void> {
    const sender = findSender(agent);
    if (sender === undefined) throw new Error("the agent has no number to send messages from");
    const outbound = { texts: splitText(text), generatedByLlm: true, callId };
    await this.sendTo(agent, { ...sender, otherNumber }, outbound);
  }

  /** Queues messages of an agent. Throws `destination_not_allowed`. */
  async sendTo(
    agent: ResolvedAgent,
    key: store.ThreadKey,
    outbound: OutboundTexts,
  ): Promise<store.MessageRow[]> {
    const { clock, conversations } = this.#dependencies;
    if (!(await this.isAllowed(agent.organizationId, key))) throw new AppError("destination_not_allowed");
    return await this.#database.transaction(async (transaction) => {
      const now = clock.now();
      const { organizationId } = agent;
      const thread = await store.lockThread(transaction, { ...key, organizationId, lastMessageAt: now });
      if (thread.optedOutAt !== null)
        throw new AppError("destination_not_allowed", {
          message: "This number has sent STOP: it receives no messages until it sends START.",
        });
      const open = await openConversation(transaction, conversations, thread, agent, now);
      return await this.enqueue(transaction, open, outbound, now);
    });
  }

  /** Whether the organization may send messages to the other number. */
  async isAllowed(organizationId: string, { ownNumber, otherNumber }: store.ThreadKey): Promise<boolean> {
    const { outboundPlanner } = this.#dependencies;
    const destinations = await outboundPlanner.findDestinations(organizationId, ownNumber);
    return otherNumber.startsWith("+") && isDestinationAllowed(otherNumber, destinations);
  }

  /** Queues messages in a locked thread, and adds them to the transcript. */
  async enqueue(
    transaction: Queries,
    thread: OpenThread,
    { texts, generatedByLlm, callId }: OutboundTexts,
    now: Date,
  ): Promise<store.MessageRow[]> {
    const { conversations, bus } = this.#dependencies;
    const { organizationId, agentId, conversationId, messagingConnectionId, ownNumber, otherNumber } = thread;
    const rows: store.MessageRow[] = [];
    for (const body of texts) {
      const row = await store.insertMessage(transaction, {
        id: randomUUID(),
        organizationId,
        agentId,
        messagingConnectionId,
        conversationId,
        ...(callId !== undefined && { callId }),
        direction: "OUTBOUND",
        fromNumber: ownNumber,
        toNumber: otherNumber,
        body,
        status: "queued",
        generatedByLlm,
        dueAt: now,
        createdAt: now,
        updatedAt: now,
      });
      if (row !== undefined) rows.push(row);
    }
    const items = rows.map((row) => toTranscriptItem(thread, row));
    await conversations.appendItems(conversationId, items, now, transaction);
    await bus.publish(transaction, OUTBOUND_TOPIC, conversationId);
    return rows;
  }

  /** Adds an instruction to a conversation. Returns false if it is not the current one of a thread. */
  async instruct(
    transaction: Queries,
    { id: conversationId, createdAt }: Conversation,
    { instruction: text, speak }: { instruction: string; speak: boolean },
  ): Promise<boolean> {
    const { conversations, bus, clock } = this.#dependencies;
    const thread = await store.lockThreadOf(transaction, conversationId);
    if (thread === undefined) return false;
    const now = clock.now();
    const atMs = Math.max(0, now.getTime() - Date.parse(createdAt));
    const item = { id: randomUUID(), type: "instruction", text, startMs: atMs, endMs: atMs } as const;
    await conversations.appendItems(conversationId, [item], now, transaction);
    if (!speak) return true;
    const unansweredSince = thread.unansweredSince ?? now;
    await store.updateThread(transaction, thread, { unansweredSince, replyDueAt: thread.replyDueAt ?? now });
    await bus.publish(transaction, INBOUND_TOPIC, conversationId);
    return true;
  }

  /** Ends conversations in which nothing was written for too long. */
  async endIdle(): Promise<void> {
    const { conversations, clock } = this.#dependencies;
    const now = clock.now();
    for (const key of await store.listIdleThreads(this.#database, now, MAX_ENDED_AT_ONCE)) {
      await this.#database.transaction(async (transaction) => {
        const thread = await store.lockThread(transaction, key);
        const { endsAt, conversationId, replyDueAt } = thread;
        if (endsAt === null || endsAt > now || conversationId === null || replyDueAt !== null) return;
        await conversations.end(transaction, conversationId, "idle", now);
        await store.updateThread(transaction, thread, { conversationId: null, endsAt: null });
      });
    }
  }

  /** Deletes the messages of a conversation; queued ones are not sent, and the next message begins another one. */
  async deleteOf(transaction: Queries, conversationId: string): Promise<void> {
    const thread = await store.lockThreadOf(transaction, conversationId);
    const none = {
      conversationId: null,
      replyDueAt: null,
      unansweredSince: null,
      claimId: null,
      endsAt: null,
    };
    if (thread !== undefined) await store.updateThread(transaction, thread, none);
    await store.deleteMessagesOf(transaction, conversationId);
  }

  async #resolve(organizationId: string, agentId: string): Promise<ResolvedAgent> {
    try {
      return await this.#dependencies.agentResolution.resolveAgent(organizationId, agentId, { kind: "sms" });
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found")
        throw invalidBody("agentId", "must be the id of an agent of this organization");
      throw error;
    }
  }

  async #present(row: store.MessageRow): Promise<Message> {
    return present(row, await this.#findNames(row.organizationId, [row]));
  }

  async #findNames(
    organizationId: string,
    rows: readonly store.MessageRow[],
  ): Promise<ReadonlyMap<string, string>> {
    const ids = new Set(rows.flatMap(({ agentId }) => agentId ?? []));
    return await this.#dependencies.agents.findNames(organizationId, [...ids]);
  }
}

/** The connection and number that the agent's messages are sent from; `undefined` if it has none. */
export function findSender({ document }: ResolvedAgent): Sender | undefined {
  const { messagingConnectionId, messagingConfig, phoneNumbers } = document;
  const ownNumber = messagingConfig.fromNumber ?? phoneNumbers[0]?.e164;
  return messagingConnectionId === null || ownNumber === undefined
    ? undefined
    : { messagingConnectionId, ownNumber };
}

/** Throws `invalid_body`. */
function requireSender(agent: ResolvedAgent, requested: string | undefined): Sender {
  const { messagingConnectionId, messagingConfig, phoneNumbers } = agent.document;
  if (messagingConnectionId === null)
    throw invalidBody("agentId", "has no messagingConnectionId: set it on the agent first");
  if (requested === undefined) {
    const sender = findSender(agent);
    if (sender === undefined)
      throw invalidBody("agentId", "has no number to send from: set its messagingConfig.fromNumber first");
    return sender;
  }
  const own = [messagingConfig.fromNumber, ...phoneNumbers.map(({ e164 }) => e164)];
  const ownNumber = normalizePhoneNumber(requested);
  if (ownNumber === undefined || !own.includes(ownNumber))
    throw invalidBody(
      "fromNumber",
      "must be the agent's messagingConfig.fromNumber or one of its phone numbers",
    );
  return { messagingConnectionId, ownNumber };
}

function present(row: store.MessageRow, agentNames: ReadonlyMap<string, string>): Message {
  const { id, agentId, messagingConnectionId, callId, conversationId, direction, fromNumber, toNumber } = row;
  const { body, media, status, providerMessageId, generatedByLlm, errorCode, errorMessage } = row;
  return {
    id,
    agentId,
    agentName: agentNames.get(agentId ?? "") ?? null,
    messagingConnectionId,
    callId,
    conversationId,
    direction,
    channel: "sms",
    fromNumber,
    toNumber,
    body,
    media,
    status,
    providerMessageId,
    generatedByLlm,
    errorCode,
    errorMessage,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
