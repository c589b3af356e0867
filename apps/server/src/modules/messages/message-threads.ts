import type { TranscriptItem } from "@parley/contract";
import type { Queries } from "../../platform/database/database.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import { describeMessage } from "./inbound-messages.rules.ts";
import * as store from "./messages.store.ts";

const DAY_MS = 24 * 3600_000;

/** A thread that is locked, with its conversation. */
export interface OpenThread extends store.ThreadRow {
  conversationId: string;
  /** Begin of the conversation, from which its transcript counts. */
  beganAt: Date;
}

/**
 * Returns the conversation of a locked thread. A new one begins if the agent is another one, or after
 * `conversationIdleResetDays` without a message.
 */
export async function openConversation(
  transaction: Queries,
  conversations: Pick<ConversationsService, "find" | "create" | "end">,
  thread: store.ThreadRow,
  agent: ResolvedAgent,
  now: Date,
): Promise<OpenThread> {
  const { id: agentId, organizationId } = agent;
  const current = await findCurrent(transaction, conversations, thread, agent, now);
  if (current === undefined && thread.conversationId !== null)
    await conversations.end(transaction, thread.conversationId, "idle", now);
  const conversation =
    current ??
    (await conversations.create(transaction, {
      organizationId,
      agentId,
      agentRevision: agent.agentRevision,
      configurationRevision: agent.configurationRevision,
      environment: agent.environment,
      channel: "sms",
      variables: agent.variables,
    }));
  const { id: conversationId, createdAt } = conversation;
  const { conversationIdleResetDays } = agent.document.messagingConfig;
  const endsAt = new Date(now.getTime() + conversationIdleResetDays * DAY_MS);
  const change = { agentId, conversationId, lastMessageAt: now, endsAt };
  await store.updateThread(transaction, thread, change);
  return { ...thread, ...change, beganAt: new Date(createdAt) };
}

async function findCurrent(
  transaction: Queries,
  conversations: Pick<ConversationsService, "find">,
  { agentId, conversationId, lastMessageAt }: store.ThreadRow,
  agent: ResolvedAgent,
  now: Date,
) {
  if (conversationId === null || agentId !== agent.id) return undefined;
  const { conversationIdleResetDays } = agent.document.messagingConfig;
  if (now.getTime() - lastMessageAt.getTime() >= conversationIdleResetDays * DAY_MS) return undefined;
  const found = await conversations.find(transaction, agent.organizationId, conversationId);
  return found?.transcriptDeletedAt === null ? found : undefined;
}

/** Transcript item of a message, with the message's id. */
export function toTranscriptItem(
  { beganAt }: Pick<OpenThread, "beganAt">,
  message: Pick<store.MessageRow, "id" | "body" | "media" | "createdAt" | "direction">,
): TranscriptItem {
  const { id, createdAt, direction } = message;
  const atMs = Math.max(0, createdAt.getTime() - beganAt.getTime());
  const role = direction === "INBOUND" ? "user" : "agent";
  return { id, type: "message", role, text: describeMessage(message), startMs: atMs, endMs: atMs };
}
