import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import * as store from "./customers.store.ts";

export type Customer = store.CustomerRow;

const DAY_MS = 24 * 3600_000;

/** The customers of agents, who keep their chats and what was said over many conversations. */
export class CustomersService {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Creates an anonymous customer, or returns the one with this user id. */
  async ensure(owner: { organizationId: string; agentId: string; userId: string | null }): Promise<Customer> {
    const now = this.#clock.now();
    return await store.ensureCustomer(this.#database, { ...owner, countedSince: now, createdAt: now });
  }

  async find(id: string): Promise<Customer | undefined> {
    return await store.findCustomer(this.#database, id);
  }

  /** Locks a customer, which orders what they send. Throws `unauthorized` if they were deleted. */
  async lock(transaction: Queries, id: string): Promise<Customer> {
    const customer = await store.lockCustomer(transaction, id);
    if (customer === undefined)
      throw new AppError("unauthorized", { message: "The session has ended. Start another one." });
    return customer;
  }

  /** Notes the customer's latest chat. */
  async noteChat(transaction: Queries, id: string, conversationId: string): Promise<void> {
    await store.updateCustomer(transaction, id, { conversationId });
  }

  /** Counts a message of a locked customer. Throws `rate_limited` beyond this many within 24 hours. */
  async countMessage(transaction: Queries, customer: Customer, limit: number): Promise<void> {
    const now = this.#clock.now();
    const endsAtMs = customer.countedSince.getTime() + DAY_MS;
    const isOver = now.getTime() >= endsAtMs;
    const count = isOver ? 0 : customer.messageCount;
    if (count >= limit)
      throw new AppError("rate_limited", {
        message: `You have sent ${limit} messages in 24 hours, which is the limit here.`,
        retryAfterSeconds: Math.ceil((endsAtMs - now.getTime()) / 1000),
      });
    const change = { messageCount: count + 1, ...(isOver && { countedSince: now }) };
    await store.updateCustomer(transaction, customer.id, change);
  }
}
