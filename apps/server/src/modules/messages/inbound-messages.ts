import { randomUUID } from "node:crypto";
import type { MessageReceivedData } from "@parley/contract";
import type { Bus } from "../../platform/bus/bus.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toStorableJson } from "../../platform/database/storable-text.ts";
import { inOrganization } from "../../platform/organization-scope.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { SendingConnection } from "../messaging-connections/messaging-connections.service.ts";
import type { WebhooksService } from "../webhooks/webhooks.service.ts";
import { readKeyword, readMedia, replyTime, type Keyword } from "./inbound-messages.rules.ts";
import { type OpenThread, openConversation, toTranscriptItem } from "./message-threads.ts";
import type { MessageRouting } from "./message-routing.ts";
import { INBOUND_TOPIC } from "./messages.service.ts";
import * as store from "./messages.store.ts";

const MAX_NUMBER_CHARACTERS = 64;

interface InboundMessagesOptions {
  database: Database;
  routing: Pick<MessageRouting, "findAgent">;
  conversations: Pick<ConversationsService, "find" | "create" | "end" | "appendItems">;
  webhooks: Pick<WebhooksService, "announce">;
  bus: Bus;
  clock: Clock;
}

/** A message as the provider delivers it. */
interface Delivered {
  providerMessageId: string;
  fromNumber: string;
  toNumber: string;
  body: string;
  media: store.MessageRow["media"];
  optOutType: string | undefined;
}

/** Records inbound messages, each once, and schedules the replies to them. */
export class InboundMessages {
  readonly #options: InboundMessagesOptions;

  constructor(options: InboundMessagesOptions) {
    this.#options = options;
  }

  /** Records a message of the provider, which repeats it if this rejects. A repetition has no effect. */
  async receive(connection: SendingConnection, parameters: Readonly<Record<string, string>>): Promise<void> {
    const message = readDelivered(parameters);
    if (message === undefined) return;
    const { database, routing } = this.#options;
    const { organizationId } = connection;
    await inOrganization(organizationId, async () => {
      const agent = await routing.findAgent(connection, message.toNumber);
      await database.transaction(async (transaction) => {
        await this.#record(transaction, connection, message, agent);
      });
    });
  }

  async #record(
    transaction: Queries,
    { id: messagingConnectionId, organizationId }: SendingConnection,
    { optOutType, ...message }: Delivered,
    agent: ResolvedAgent | undefined,
  ): Promise<void> {
    const { conversations, clock } = this.#options;
    const { fromNumber: otherNumber, toNumber: ownNumber, providerMessageId } = message;
    const now = clock.now();
    const key = { messagingConnectionId, ownNumber, otherNumber };
    // The lock makes repetitions, and messages between the same numbers, wait for each other.
    const thread = await store.lockThread(transaction, { ...key, organizationId, lastMessageAt: now });
    const known = await store.findKnownProviderIds(transaction, messagingConnectionId, [providerMessageId]);
    if (known.size > 0) return;
    const keyword = readKeyword(message.body, optOutType, thread.optedOutAt !== null);
    const open = agent && (await openConversation(transaction, conversations, thread, agent, now));
    const isAnswered = agent?.document.messagingConfig.inboundMode !== "auto_reply" || keyword !== undefined;
    const row = await store.insertMessage(transaction, {
      ...message,
      id: randomUUID(),
      organizationId,
      agentId: agent?.id ?? null,
      messagingConnectionId,
      conversationId: open?.conversationId ?? null,
      direction: "INBOUND",
      status: "received",
      isAnswered,
      createdAt: now,
      updatedAt: now,
    });
    if (row === undefined) return;
    await this.#note(transaction, thread, keyword, now);
    if (agent === undefined || open === undefined) return;
    await this.#pass(transaction, open, row, now);
    await this.#announce(transaction, agent, row, now);
  }

  /** Records that the other side has sent STOP or START. */
  async #note(
    transaction: Queries,
    thread: store.ThreadRow,
    keyword: Keyword | undefined,
    now: Date,
  ): Promise<void> {
    if (keyword === "stop") await store.updateThread(transaction, thread, { optedOutAt: now });
    if (keyword === "start") await store.updateThread(transaction, thread, { optedOutAt: null });
  }

  /** Schedules the reply to a message, or adds a message without a reply to the transcript. */
  async #pass(transaction: Queries, thread: OpenThread, row: store.MessageRow, now: Date): Promise<void> {
    const { conversations, bus } = this.#options;
    if (row.isAnswered) {
      const items = [toTranscriptItem(thread, row)];
      await conversations.appendItems(thread.conversationId, items, now, transaction);
      return;
    }
    const unansweredSince = thread.unansweredSince ?? now;
    const replyDueAt = replyTime(unansweredSince, now);
    await store.updateThread(transaction, thread, { unansweredSince, replyDueAt });
    await bus.publish(transaction, INBOUND_TOPIC, thread.conversationId);
  }

  async #announce(
    transaction: Queries,
    { organizationId, document }: ResolvedAgent,
    row: store.MessageRow,
    now: Date,
  ): Promise<void> {
    const { inboundWebhookUrl: url } = document.messagingConfig;
    const { id, agentId, conversationId, messagingConnectionId, fromNumber, toNumber, body, media } = row;
    if (url === null || agentId === null || conversationId === null) return;
    const data: MessageReceivedData = {
      id,
      agentId,
      conversationId,
      messagingConnectionId,
      direction: "INBOUND",
      channel: "sms",
      fromNumber,
      toNumber,
      body,
      media,
      createdAt: row.createdAt.toISOString(),
    };
    await this.#options.webhooks.announce(
      transaction,
      { type: "message.received", organizationId, url, data },
      now,
    );
  }
}

/** `undefined` if the parameters are not those of a message. */
function readDelivered(signed: Readonly<Record<string, string>>): Delivered | undefined {
  const parameters = toStorableJson(signed);
  const { MessageSid: providerMessageId = "", From = "", To = "", Body: body = "", OptOutType } = parameters;
  const [fromNumber, toNumber] = [From, To].map((each) => each.slice(0, MAX_NUMBER_CHARACTERS));
  if (!/^(SM|MM)[0-9a-f]{32}$/i.test(providerMessageId) || !fromNumber || !toNumber) return undefined;
  return {
    providerMessageId,
    fromNumber,
    toNumber,
    body,
    media: readMedia(parameters),
    optOutType: OptOutType,
  };
}
