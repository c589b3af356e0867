import { and, eq } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { customers } from "./customers.tables.ts";

export type CustomerRow = typeof customers.$inferSelect;
type CustomerInsert = typeof customers.$inferInsert;

/** Returns the customer with this user id if there is one. */
export async function ensureCustomer(queries: Queries, customer: CustomerInsert): Promise<CustomerRow> {
  const [inserted] = await queries.insert(customers).values(customer).onConflictDoNothing().returning();
  if (inserted !== undefined) return inserted;
  const isUser = and(eq(customers.agentId, customer.agentId), eq(customers.userId, customer.userId ?? ""));
  const [row] = await queries.select().from(customers).where(isUser);
  if (row === undefined) throw new Error("the customer was not stored");
  return row;
}

export async function findCustomer(queries: Queries, id: string): Promise<CustomerRow | undefined> {
  const [row] = await queries.select().from(customers).where(eq(customers.id, id));
  return row;
}

export async function lockCustomer(queries: Queries, id: string): Promise<CustomerRow | undefined> {
  const [row] = await queries.select().from(customers).where(eq(customers.id, id)).for("update");
  return row;
}

export async function updateCustomer(
  queries: Queries,
  id: string,
  change: Partial<CustomerInsert>,
): Promise<void> {
  await queries.update(customers).set(change).where(eq(customers.id, id));
}
