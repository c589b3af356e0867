import type { PageQuery } from "@parley/contract";
import { and, eq, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../platform/database/page.ts";
import { prepareOnce } from "../../platform/database/prepared-query.ts";
import { customers } from "./customers.tables.ts";

export type CustomerRow = typeof customers.$inferSelect;
type CustomerInsert = typeof customers.$inferInsert;

export interface CustomerFilter extends PageQuery {
  agentId?: string;
  userId?: string;
  /** E.164. */
  phoneNumber?: string;
}

export async function listCustomers(
  queries: Queries,
  organizationId: string,
  filter: CustomerFilter,
): Promise<Rows<CustomerRow>> {
  const conditions: SQL[] = [eq(customers.organizationId, organizationId)];
  for (const name of ["agentId", "userId", "phoneNumber"] as const)
    if (filter[name] !== undefined) conditions.push(eq(customers[name], filter[name]));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, customers.createdAt, customers.id);
  const rows = await queries
    .select()
    .from(customers)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, customers, where) };
}

/** Deletes visitors who have only opened a page. */
export async function deleteSilentVisitors(queries: Queries, createdBefore: Date): Promise<void> {
  await queries
    .delete(customers)
    .where(
      and(
        eq(customers.isActive, false),
        isNull(customers.userId),
        isNull(customers.phoneNumber),
        lt(customers.createdAt, createdBefore),
      ),
    );
}

export async function deleteCustomer(queries: Queries, id: string): Promise<void> {
  await queries.delete(customers).where(eq(customers.id, id));
}

/** Returns the customer with this user id or number if there is one. */
export async function ensureCustomer(queries: Queries, customer: CustomerInsert): Promise<CustomerRow> {
  const [inserted] = await queries.insert(customers).values(customer).onConflictDoNothing().returning();
  if (inserted !== undefined) return inserted;
  const { agentId, userId, phoneNumber } = customer;
  const isSame =
    phoneNumber === undefined || phoneNumber === null
      ? eq(customers.userId, userId ?? "")
      : eq(customers.phoneNumber, phoneNumber);
  const [row] = await queries
    .select()
    .from(customers)
    .where(and(eq(customers.agentId, agentId), isSame));
  if (row === undefined) throw new Error("the customer was not stored");
  return row;
}

const customerById = prepareOnce((queries) =>
  queries
    .select()
    .from(customers)
    .where(eq(customers.id, sql.placeholder("id")))
    .prepare(""),
);

export async function findCustomer(queries: Queries, id: string): Promise<CustomerRow | undefined> {
  const [row] = await customerById(queries).execute({ id });
  return row;
}

export async function lockCustomer(queries: Queries, id: string): Promise<CustomerRow | undefined> {
  const [row] = await queries.select().from(customers).where(eq(customers.id, id)).for("update");
  return row;
}

/** Counts a message of a customer since a time, in one write that locks the customer. */
export async function countMessage(
  queries: Queries,
  id: string,
  { now, since }: { now: Date; since: Date },
): Promise<CustomerRow | undefined> {
  const isOver = lte(customers.countedSince, since);
  const [row] = await queries
    .update(customers)
    .set({
      messageCount: sql`case when ${isOver} then 1 else ${customers.messageCount} + 1 end`,
      countedSince: sql`case when ${isOver} then ${now.toISOString()}::timestamptz else ${customers.countedSince} end`,
    })
    .where(eq(customers.id, id))
    .returning();
  return row;
}

/** Returns whether the customer exists. */
export async function updateCustomer(
  queries: Queries,
  id: string,
  change: Partial<CustomerInsert>,
): Promise<boolean> {
  const { rowCount } = await queries.update(customers).set(change).where(eq(customers.id, id));
  return rowCount === 1;
}
