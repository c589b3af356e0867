import { AppError } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { joinTransaction } from "../../platform/database/joint-transaction.ts";
import type { CallDeletionService } from "../call-deletion/call-deletion.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { TextConversationsService } from "../chats/text-conversations.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { CustomersService } from "../customers/customers.service.ts";

interface CustomerDeletionDependencies {
  database: Database;
  customers: Pick<CustomersService, "get" | "findLocked" | "delete">;
  conversations: Pick<ConversationsService, "listOf" | "delete">;
  calls: Pick<CallsService, "listWithConversations">;
  callDeletion: Pick<CallDeletionService, "delete">;
  textConversations: Pick<TextConversationsService, "delete">;
}

/** Deletes customers with everything that was said. The customer is deleted last, so that a repetition completes a failed deletion. */
export class CustomerDeletionService {
  readonly #dependencies: CustomerDeletionDependencies;

  constructor(dependencies: CustomerDeletionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `not_found`, and `call_not_ended` before anything is deleted. */
  async delete(organizationId: string, customerId: string): Promise<void> {
    const { customers, conversations } = this.#dependencies;
    await customers.get(organizationId, customerId);
    for (;;) {
      const found = await conversations.listOf(customerId);
      if (found.length > 0) await this.#deleteConversations(organizationId, found);
      else if (await this.#deleteSilent(customerId)) return;
    }
  }

  /** Deletes a customer without conversations. Returns false if a conversation has begun meanwhile. */
  async #deleteSilent(customerId: string): Promise<boolean> {
    const { database, customers, conversations } = this.#dependencies;
    return await joinTransaction(database, async (transaction) => {
      // What the customer sends waits for the lock, and is then refused.
      if ((await customers.findLocked(transaction, customerId)) === undefined) return true;
      const found = await conversations.listOf(customerId, transaction);
      if (found.length === 0) await customers.delete(transaction, customerId);
      return found.length === 0;
    });
  }

  async #deleteConversations(
    organizationId: string,
    found: Awaited<ReturnType<ConversationsService["listOf"]>>,
  ): Promise<void> {
    const { database, conversations, calls, callDeletion, textConversations } = this.#dependencies;
    const isText = (channel: string): boolean => channel === "web_chat" || channel === "sms";
    const called = await calls.listWithConversations(
      found.filter(({ channel }) => !isText(channel)).map(({ id }) => id),
    );
    if (called.some(({ endedAt }) => endedAt === null)) throw new AppError("call_not_ended");
    for (const { id } of called) await callDeletion.delete(organizationId, id, "call");
    for (const { id, channel } of found) {
      if (isText(channel)) await textConversations.delete(organizationId, id);
      // Without a call, nothing else deletes it.
      else await conversations.delete(database, id);
    }
  }
}
