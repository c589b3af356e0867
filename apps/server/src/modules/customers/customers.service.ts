import type { Customer as CustomerView } from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";
import * as store from "./customers.store.ts";

export type Customer = store.CustomerRow;

interface NewCustomer {
  organizationId: string;
  agentId: string;
  userId: string | null;
  /** E.164. */
  phoneNumber?: string;
}

const DAY_MS = 24 * 3600_000;
/** Longer than a session. */
const SILENT_VISITOR_MS = 31 * DAY_MS;

/** The customers of agents, who keep their chats and what was said over many conversations. */
export class CustomersService {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Throws `not_found`. */
  async get(organizationId: string, id: string): Promise<CustomerView> {
    const customer = await this.find(id);
    if (customer?.organizationId !== organizationId) throw new AppError("not_found");
    return present(customer);
  }

  async list(organizationId: string, { phoneNumber: text, ...query }: store.CustomerFilter) {
    // A `+` that a client sent unencoded in the query arrives as a space.
    const number = text?.replace(/^ /, "+");
    const filter = {
      ...query,
      ...(number !== undefined && { phoneNumber: normalizePhoneNumber(number) ?? number }),
    };
    return toPage(filter, await store.listCustomers(this.#database, organizationId, filter), present);
  }

  /** Deletes a customer who has no conversations any more. */
  async delete(transaction: Queries, id: string): Promise<void> {
    await store.deleteCustomer(transaction, id);
  }

  /** Creates an anonymous customer, or returns the one with this user id or number. */
  async ensure(owner: NewCustomer): Promise<Customer> {
    const now = this.#clock.now();
    return await store.ensureCustomer(this.#database, { ...owner, countedSince: now, createdAt: now });
  }

  async find(id: string): Promise<Customer | undefined> {
    return await store.findCustomer(this.#database, id);
  }

  /** Locks a customer, which orders what they send. Throws `unauthorized` if they were deleted. */
  async lock(transaction: Queries, id: string): Promise<Customer> {
    return requireCustomer(await this.findLocked(transaction, id));
  }

  /** Locks a customer; `undefined` if there is none. */
  async findLocked(transaction: Queries, id: string): Promise<Customer | undefined> {
    return await store.lockCustomer(transaction, id);
  }

  /** Notes the customer's latest chat. */
  async noteChat(transaction: Queries, id: string, conversationId: string): Promise<void> {
    await store.updateCustomer(transaction, id, { conversationId, isActive: true });
  }

  /** Notes that the customer calls. Throws `unauthorized` if they were deleted. */
  async noteCall(id: string): Promise<void> {
    if (!(await store.updateCustomer(this.#database, id, { isActive: true }))) requireCustomer(undefined);
  }

  /** Deletes visitors who have neither written nor called, and whose session has expired. */
  async deleteSilent(): Promise<void> {
    const createdBefore = new Date(this.#clock.now().getTime() - SILENT_VISITOR_MS);
    await store.deleteSilentVisitors(this.#database, createdBefore);
  }

  /**
   * Locks a customer, which orders what they send, and counts a message. Throws `unauthorized` if they were deleted.
   */
  async countMessage(transaction: Queries, id: string): Promise<Customer> {
    const now = this.#clock.now();
    return requireCustomer(
      await store.countMessage(transaction, id, { now, since: new Date(now.getTime() - DAY_MS) }),
    );
  }

  /** Takes back the count of a message that was already there. */
  async uncountMessage(transaction: Queries, { id, messageCount }: Customer): Promise<void> {
    await store.updateCustomer(transaction, id, { messageCount: messageCount - 1 });
  }

  /** Throws `rate_limited` if the customer has sent more messages within 24 hours. */
  requireMessages({ messageCount, countedSince }: Customer, limit: number): void {
    if (messageCount <= limit) return;
    const endsInMs = countedSince.getTime() + DAY_MS - this.#clock.now().getTime();
    throw new AppError("rate_limited", {
      message: `You have sent ${limit} messages in 24 hours, which is the limit here.`,
      retryAfterSeconds: Math.ceil(endsInMs / 1000),
    });
  }
}

function requireCustomer(customer: Customer | undefined): Customer {
  if (customer !== undefined) return customer;
  throw new AppError("unauthorized", { message: "The session has ended. Start another one." });
}

function present({ id, agentId, userId, phoneNumber, createdAt }: Customer): CustomerView {
  return { id, agentId, userId, phoneNumber, createdAt: createdAt.toISOString() };
}
