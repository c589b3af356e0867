import { and, asc, eq, gt, isNull, lt } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import type { CallCommandAnswer } from "./call-command.ts";
import { callCommands } from "./call-commands.tables.ts";

export type CallCommandRow = typeof callCommands.$inferSelect;

export async function insertCommand(
  queries: Queries,
  command: typeof callCommands.$inferInsert,
): Promise<CallCommandRow> {
  const [row] = await queries.insert(callCommands).values(command).returning();
  if (row === undefined) throw new Error("the command was not stored");
  return row;
}

export async function listOpenCommandIds(queries: Queries, nodeId: string, now: Date): Promise<string[]> {
  const isOpen = and(
    eq(callCommands.nodeId, nodeId),
    isNull(callCommands.takenAt),
    gt(callCommands.deadlineAt, now),
  );
  const rows = await queries
    .select({ id: callCommands.id })
    .from(callCommands)
    .where(isOpen)
    .orderBy(asc(callCommands.deadlineAt));
  return rows.map(({ id }) => id);
}

/**
 * Claims a command for execution. Returns `undefined` if its deadline has passed or another claim was first.
 */
export async function takeCommand(
  queries: Queries,
  id: string,
  now: Date,
): Promise<CallCommandRow | undefined> {
  const [row] = await queries
    .update(callCommands)
    .set({ takenAt: now })
    .where(and(eq(callCommands.id, id), isNull(callCommands.takenAt), gt(callCommands.deadlineAt, now)))
    .returning();
  return row;
}

export async function answerCommand(queries: Queries, id: string, answer: CallCommandAnswer): Promise<void> {
  await queries.update(callCommands).set({ answer }).where(eq(callCommands.id, id));
}

export async function findAnswer(queries: Queries, id: string): Promise<CallCommandAnswer | null> {
  const [row] = await queries
    .select({ answer: callCommands.answer })
    .from(callCommands)
    .where(eq(callCommands.id, id));
  return row?.answer ?? null;
}

/** Deletes a command that has not been claimed. Returns false if it has been. */
export async function withdrawCommand(queries: Queries, id: string): Promise<boolean> {
  const rows = await queries
    .delete(callCommands)
    .where(and(eq(callCommands.id, id), isNull(callCommands.takenAt)))
    .returning({ id: callCommands.id });
  return rows.length > 0;
}

export async function deleteCommand(queries: Queries, id: string): Promise<void> {
  await queries.delete(callCommands).where(eq(callCommands.id, id));
}

/** Deletes the commands whose deadline is older, which their senders left behind. */
export async function deleteOldCommands(queries: Queries, before: Date): Promise<void> {
  await queries.delete(callCommands).where(lt(callCommands.deadlineAt, before));
}
