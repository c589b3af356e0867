import type { MemberRole, PageQuery } from "@parley/contract";
import { and, asc, eq, lt, sql } from "drizzle-orm";
import type { Queries } from "../../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../../platform/database/page.ts";
import { invitations, members, users } from "../identity.tables.ts";

export type InvitationRow = typeof invitations.$inferSelect;

const memberColumns = {
  id: members.id,
  userId: members.userId,
  name: users.name,
  email: users.email,
  role: members.role,
  createdAt: members.createdAt,
};

export interface MemberRow {
  id: string;
  userId: string;
  name: string;
  email: string;
  role: MemberRole;
  createdAt: Date;
}

export async function listMembers(
  queries: Queries,
  organizationId: string,
  query: PageQuery,
): Promise<Rows<MemberRow>> {
  const where = eq(members.organizationId, organizationId);
  const { limit, offset, orderBy } = pageOf(query, members.createdAt, members.id);
  const rows = await queries
    .select(memberColumns)
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, members, where) };
}

export async function findMember(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<MemberRow | undefined> {
  const [row] = await queries
    .select(memberColumns)
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.organizationId, organizationId), eq(members.id, id)));
  return row;
}

export async function findMemberId(
  queries: Queries,
  organizationId: string,
  userId: string,
): Promise<string | undefined> {
  const [row] = await queries
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.organizationId, organizationId), eq(members.userId, userId)));
  return row?.id;
}

/** Ids of the owners' memberships. Others who change them wait until the transaction ends. */
export async function lockOwners(queries: Queries, organizationId: string): Promise<string[]> {
  const rows = await queries
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.organizationId, organizationId), eq(members.role, "owner")))
    .orderBy(asc(members.id))
    .for("update");
  return rows.map(({ id }) => id);
}

export async function updateMemberRole(queries: Queries, id: string, role: MemberRole): Promise<void> {
  await queries.update(members).set({ role }).where(eq(members.id, id));
}

export async function deleteMember(queries: Queries, id: string): Promise<void> {
  await queries.delete(members).where(eq(members.id, id));
}

export async function isMemberEmail(
  queries: Queries,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const rows = await queries
    .select({ id: members.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.organizationId, organizationId), eq(users.email, email)));
  return rows.length > 0;
}

/** Replaces an earlier invitation of the same address. */
export async function putInvitation(
  queries: Queries,
  invitation: typeof invitations.$inferInsert,
): Promise<InvitationRow> {
  const { organizationId, email } = invitation;
  await queries
    .delete(invitations)
    .where(and(eq(invitations.organizationId, organizationId), eq(invitations.email, email)));
  const [row] = await queries.insert(invitations).values(invitation).returning();
  if (row === undefined) throw new Error("the invitation was not stored");
  return row;
}

export async function countInvitations(queries: Queries, organizationId: string): Promise<number> {
  return await countRows(queries, invitations, eq(invitations.organizationId, organizationId));
}

export async function listInvitations(
  queries: Queries,
  organizationId: string,
  query: PageQuery,
): Promise<Rows<InvitationRow>> {
  const where = eq(invitations.organizationId, organizationId);
  const { limit, offset, orderBy } = pageOf(query, invitations.createdAt, invitations.id);
  const rows = await queries
    .select()
    .from(invitations)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, invitations, where) };
}

export async function findInvitation(queries: Queries, id: string): Promise<InvitationRow | undefined> {
  const [row] = await queries.select().from(invitations).where(eq(invitations.id, id));
  return row;
}

/** Returns the deleted invitation: of concurrent calls one gets it. */
export async function takeInvitation(queries: Queries, id: string): Promise<InvitationRow | undefined> {
  const [row] = await queries.delete(invitations).where(eq(invitations.id, id)).returning();
  return row;
}

export async function deleteInvitation(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const where = and(eq(invitations.organizationId, organizationId), eq(invitations.id, id));
  const { rowCount } = await queries.delete(invitations).where(where);
  return rowCount === 1;
}

export async function deleteInvitationsExpiredBefore(queries: Queries, before: Date): Promise<void> {
  await queries.delete(invitations).where(lt(invitations.expiresAt, before));
}

/** Until the transaction ends, others that invite to the organization wait. */
export async function lockInvitations(queries: Queries, organizationId: string): Promise<void> {
  await queries.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`invitations/${organizationId}`}, 0))`,
  );
}
