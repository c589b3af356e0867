import type { ConversationChannel } from "@parley/contract";
import type { ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import type { ConversationsService } from "../../conversations/conversations.service.ts";
import type { CustomersService } from "../customers.service.ts";
import { describeEarlier } from "./memory.rules.ts";

/** Messages of earlier conversations that an agent knows of. */
const MAX_MESSAGES = 60;
/** Items of an interrupted call. */
const MAX_CONTINUED_ITEMS = 100;

/** A conversation that is about to begin or to go on. */
interface RememberingConversation {
  conversationId: string;
  agent: ResolvedAgent;
  channel: ConversationChannel;
  /** E.164; `undefined` if there is none, and in tests. */
  otherNumber?: string | undefined;
}

export interface Recalled {
  /** For the agent's instructions; `undefined` if there is nothing. */
  text: string | undefined;
  /** Whether the conversation continues an interrupted call. */
  isContinued: boolean;
}

const NOTHING: Recalled = { text: undefined, isContinued: false };

interface MemoryDependencies {
  conversations: Pick<
    ConversationsService,
    "findLinks" | "noteCustomer" | "listEarlierMessages" | "listLatestItems"
  >;
  customers: Pick<CustomersService, "ensure">;
}

/** What an agent knows of its earlier conversations with the same customer. */
export class ConversationMemory {
  readonly #conversations: MemoryDependencies["conversations"];
  readonly #customers: MemoryDependencies["customers"];

  constructor({ conversations, customers }: MemoryDependencies) {
    this.#conversations = conversations;
    this.#customers = customers;
  }

  async recall(conversation: RememberingConversation): Promise<Recalled> {
    const { conversationId, agent, channel, otherNumber } = conversation;
    if (!isRemembering(conversation)) return NOTHING;
    if (!isWidget(channel)) {
      if (otherNumber === undefined) return NOTHING;
      const text = await this.#describeEarlier(
        conversation,
        await this.#recognize(conversation, otherNumber),
      );
      return { text, isContinued: false };
    }
    const links = await this.#conversations.findLinks(conversationId);
    if (links === undefined) return NOTHING;
    const { customerId, continuesId } = links;
    const { sharedMemory } = agent.document.widgetConfig.continuity;
    const earlier =
      sharedMemory && customerId !== null
        ? await this.#describeEarlier(conversation, customerId, continuesId)
        : undefined;
    const continued = continuesId === null ? undefined : await this.#describeContinued(continuesId);
    const texts = [earlier, continued].filter((text) => text !== undefined);
    return {
      text: texts.length === 0 ? undefined : texts.join("\n\n"),
      isContinued: continuesId !== null,
    };
  }

  /** Notes the customer of a conversation with a number. */
  async #recognize({ conversationId, agent }: RememberingConversation, phoneNumber: string): Promise<string> {
    const { id: agentId, organizationId } = agent;
    const { id } = await this.#customers.ensure({ organizationId, agentId, userId: null, phoneNumber });
    await this.#conversations.noteCustomer(conversationId, id);
    return id;
  }

  async #describeEarlier(
    { conversationId, agent }: RememberingConversation,
    customerId: string,
    continuesId: string | null = null,
  ): Promise<string | undefined> {
    const filter = { customerId, exceptId: conversationId, limit: MAX_MESSAGES };
    const messages = await this.#conversations.listEarlierMessages(filter);
    const others = messages.filter((message) => message.conversationId !== continuesId);
    return describeEarlier(others, agent.document.timezone);
  }

  async #describeContinued(conversationId: string): Promise<string | undefined> {
    const items = await this.#conversations.listLatestItems(conversationId, MAX_CONTINUED_ITEMS);
    const lines = items.flatMap(({ type, role, text }) =>
      type === "message" ? `${role === "user" ? "Other side" : "You"}: ${text}` : [],
    );
    if (lines.length === 0) return undefined;
    return ["This call continues one that was interrupted. What was said in it:", ...lines].join("\n");
  }
}

function isRemembering({ agent, channel }: RememberingConversation): boolean {
  const { widgetConfig, phoneMemoryEnabled } = agent.document;
  const { resumeCalls, sharedMemory } = widgetConfig.continuity;
  return isWidget(channel) ? resumeCalls || sharedMemory : phoneMemoryEnabled;
}

function isWidget(channel: ConversationChannel): boolean {
  return channel === "web" || channel === "web_chat";
}
