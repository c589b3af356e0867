import type { ConversationChannel } from "@parley/contract";
import type { ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import type { ConversationsService } from "../conversations.service.ts";
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
}

export interface Recalled {
  /** For the agent's instructions; `undefined` if there is nothing. */
  text: string | undefined;
  /** Whether the conversation continues an interrupted call. */
  isContinued: boolean;
}

const NOTHING: Recalled = { text: undefined, isContinued: false };

/** What an agent knows of its earlier conversations with the same customer. */
export class ConversationMemory {
  readonly #conversations: Pick<
    ConversationsService,
    "findLinks" | "listEarlierMessages" | "listLatestItems"
  >;

  constructor(
    conversations: Pick<ConversationsService, "findLinks" | "listEarlierMessages" | "listLatestItems">,
  ) {
    this.#conversations = conversations;
  }

  async recall({ conversationId, agent, channel }: RememberingConversation): Promise<Recalled> {
    const { resumeCalls, sharedMemory } = agent.document.widgetConfig.continuity;
    if (!isWidget(channel) || (!resumeCalls && !sharedMemory)) return NOTHING;
    const links = await this.#conversations.findLinks(conversationId);
    if (links === undefined) return NOTHING;
    const { customerId, continuesId } = links;
    const texts: string[] = [];
    if (sharedMemory && customerId !== null) {
      const filter = { customerId, exceptId: conversationId, limit: MAX_MESSAGES };
      const messages = await this.#conversations.listEarlierMessages(filter);
      const { timezone } = agent.document;
      texts.push(
        describeEarlier(
          messages.filter((message) => message.conversationId !== continuesId),
          timezone,
        ),
      );
    }
    if (continuesId !== null) texts.push(await this.#describeContinued(continuesId));
    const text = texts.filter(Boolean).join("\n\n");
    return { text: text === "" ? undefined : text, isContinued: continuesId !== null };
  }

  async #describeContinued(conversationId: string): Promise<string> {
    const items = await this.#conversations.listLatestItems(conversationId, MAX_CONTINUED_ITEMS);
    const lines = items.flatMap(({ type, role, text }) =>
      type === "message" ? `${role === "user" ? "Other side" : "You"}: ${text}` : [],
    );
    if (lines.length === 0) return "";
    return ["This call continues one that was interrupted. What was said in it:", ...lines].join("\n");
  }
}

function isWidget(channel: ConversationChannel): boolean {
  return channel === "web" || channel === "web_chat";
}
