import { and, asc, eq } from "drizzle-orm";
import type { Queries } from "../../../platform/database/database.ts";
import { agentEnvironments } from "../agents.tables.ts";

export type EnvironmentRow = typeof agentEnvironments.$inferSelect;

const named = (agentId: string, name: string) =>
  and(eq(agentEnvironments.agentId, agentId), eq(agentEnvironments.name, name));

export async function findEnvironment(
  queries: Queries,
  agentId: string,
  name: string,
): Promise<EnvironmentRow | undefined> {
  const [row] = await queries.select().from(agentEnvironments).where(named(agentId, name));
  return row;
}

export async function listEnvironments(queries: Queries, agentId: string): Promise<EnvironmentRow[]> {
  return await queries
    .select()
    .from(agentEnvironments)
    .where(eq(agentEnvironments.agentId, agentId))
    .orderBy(asc(agentEnvironments.createdAt), asc(agentEnvironments.name));
}

export async function insertEnvironment(
  queries: Queries,
  environment: typeof agentEnvironments.$inferInsert,
): Promise<EnvironmentRow> {
  const [row] = await queries.insert(agentEnvironments).values(environment).returning();
  if (row === undefined) throw new Error("the environment was not stored");
  return row;
}

export async function updateEnvironment(
  queries: Queries,
  { agentId, name }: EnvironmentRow,
  change: Partial<typeof agentEnvironments.$inferInsert>,
): Promise<EnvironmentRow> {
  const [row] = await queries.update(agentEnvironments).set(change).where(named(agentId, name)).returning();
  if (row === undefined) throw new Error("the environment vanished while it was changed");
  return row;
}

export async function deleteEnvironment(queries: Queries, agentId: string, name: string): Promise<void> {
  await queries.delete(agentEnvironments).where(named(agentId, name));
}
