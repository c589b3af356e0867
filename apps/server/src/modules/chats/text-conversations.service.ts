import { AppError } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { joinTransaction } from "../../platform/database/joint-transaction.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import { readInstruction } from "../conversations/instruction.rules.ts";
import type { MessagesService } from "../messages/messages.service.ts";
import type { ChatsService } from "./chats.service.ts";

interface TextConversationsDependencies {
  conversations: Pick<ConversationsService, "find" | "delete">;
  chats: Pick<ChatsService, "instruct" | "announceDeletion">;
  messages: Pick<MessagesService, "instruct" | "deleteOf">;
}

/** Operations on conversations by text, of every channel. */
export class TextConversationsService {
  readonly #database: Database;
  readonly #dependencies: TextConversationsDependencies;

  constructor(database: Database, dependencies: TextConversationsDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Throws `invalid_body`, `not_found` and `conversation_not_active`. */
  async instruct(
    organizationId: string,
    id: string,
    given: { instruction: string; speak: boolean },
  ): Promise<void> {
    const { conversations, chats, messages } = this.#dependencies;
    const instruction = { ...given, instruction: readInstruction(given.instruction) };
    await joinTransaction(this.#database, async (transaction) => {
      const conversation = await conversations.find(transaction, organizationId, id);
      if (conversation === undefined) throw new AppError("not_found");
      const { channel, endedAt } = conversation;
      const isAdded =
        endedAt === null &&
        ((channel === "web_chat" && (await chats.instruct(transaction, conversation, instruction))) ||
          (channel === "sms" && (await messages.instruct(transaction, conversation, instruction))));
      if (!isAdded) throw new AppError("conversation_not_active");
    });
  }

  /** Throws `not_found`, and `in_use` if the conversation is a call's. */
  async delete(organizationId: string, id: string): Promise<void> {
    const { conversations, chats, messages } = this.#dependencies;
    await joinTransaction(this.#database, async (transaction) => {
      const conversation = await conversations.find(transaction, organizationId, id);
      if (conversation === undefined) throw new AppError("not_found");
      const { channel } = conversation;
      if (channel !== "web_chat" && channel !== "sms")
        throw new AppError("in_use", { message: "The conversation belongs to a call. Delete the call." });
      await chats.announceDeletion(transaction, id);
      await messages.deleteOf(transaction, id);
      await conversations.delete(transaction, id);
    });
  }
}
