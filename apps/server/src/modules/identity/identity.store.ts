import { and, asc, desc, eq, gt, like, lt, ne, sql } from "drizzle-orm";
import type { MemberRole } from "@parley/contract";
import type { Database, Queries } from "../../platform/database/database.ts";
import { accounts, members, sessions, users, verifications } from "./identity.tables.ts";

export type UserRow = typeof users.$inferSelect;
export type SessionRow = typeof sessions.$inferSelect;

/** Prefix of the identifiers under which the hashes of owner links are stored. */
const OWNER_LINK = "owner-sign-up:";
/** Prefix of the identifiers under which used codes of authenticator apps are stored. */
const USED_TOTP_CODE = "used-totp-code:";
/** Maximum number of unused links, one for each start. */
const MAX_OWNER_LINKS = 10;
/** Locks of the database by number, within identity. */
const OWNER_LOCK = 7_105_401;

export interface Membership {
  organizationId: string;
  role: MemberRole;
}

/** The organization that the user joined first; `null` if there is none. */
export async function findFirstOrganizationId(queries: Queries, userId: string): Promise<string | null> {
  const [first] = await listMemberships(queries, userId);
  return first?.organizationId ?? null;
}

export async function listMemberships(queries: Queries, userId: string): Promise<Membership[]> {
  const rows = await queries
    .select({ organizationId: members.organizationId, role: members.role })
    .from(members)
    .where(eq(members.userId, userId))
    .orderBy(asc(members.createdAt), asc(members.id));
  return rows;
}

export async function findMemberRole(
  queries: Queries,
  organizationId: string,
  userId: string,
): Promise<MemberRole | undefined> {
  const [row] = await queries
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.organizationId, organizationId), eq(members.userId, userId)));
  return row?.role;
}

export async function hasOwner(queries: Queries): Promise<boolean> {
  const [row] = await queries
    .select({ id: members.id })
    .from(members)
    .where(eq(members.role, "owner"))
    .limit(1);
  return row !== undefined;
}

/** Until the transaction ends, others that create the first owner wait. */
export async function lockOwnerCreation(queries: Queries): Promise<void> {
  await queries.execute(sql`select pg_advisory_xact_lock(${OWNER_LOCK})`);
}

/** Stores the hash of a link for the owner of this organization, and forgets the oldest ones. */
export async function insertOwnerLink(queries: Queries, hash: string, organizationId: string): Promise<void> {
  // Valid until an owner exists; the column requires a time.
  const expiresAt = new Date("9999-12-31T00:00:00Z");
  await queries
    .insert(verifications)
    .values({ identifier: OWNER_LINK + hash, value: organizationId, expiresAt });
  await queries.execute(sql`
    delete from verifications where identifier like ${`${OWNER_LINK}%`} and id not in (
      select id from verifications where identifier like ${`${OWNER_LINK}%`}
      order by created_at desc, id limit ${MAX_OWNER_LINKS})`);
}

/** Organization that the link leads to; `undefined` if the link is unknown. */
export async function findOwnerLink(queries: Queries, hash: string): Promise<string | undefined> {
  const [row] = await queries
    .select({ organizationId: verifications.value })
    .from(verifications)
    .where(eq(verifications.identifier, OWNER_LINK + hash));
  return row?.organizationId;
}

export async function deleteOwnerLinks(queries: Queries): Promise<void> {
  await queries.delete(verifications).where(like(verifications.identifier, `${OWNER_LINK}%`));
}

export async function findUserByEmail(queries: Queries, email: string): Promise<UserRow | undefined> {
  const [row] = await queries.select().from(users).where(eq(users.email, email));
  return row;
}

/** Returns whether the user exists. */
export async function updateOperator(queries: Queries, email: string, isOperator: boolean): Promise<boolean> {
  const { rowCount } = await queries.update(users).set({ isOperator }).where(eq(users.email, email));
  return rowCount === 1;
}

interface NewUser {
  name: string;
  /** In lower case. */
  email: string;
  passwordHash: string;
  isOperator?: boolean;
}

/** Stores a person with a password, as better-auth does. Returns the id; `undefined` if the e-mail address is taken. */
export async function insertUser(
  queries: Queries,
  { passwordHash, ...user }: NewUser,
): Promise<string | undefined> {
  const [row] = await queries.insert(users).values(user).onConflictDoNothing().returning({ id: users.id });
  if (row === undefined) return undefined;
  await queries
    .insert(accounts)
    .values({ userId: row.id, accountId: row.id, providerId: "credential", password: passwordHash });
  return row.id;
}

export async function insertMember(
  queries: Queries,
  member: { organizationId: string; userId: string; role: MemberRole },
): Promise<void> {
  await queries.insert(members).values(member).onConflictDoNothing();
}

export async function setMemberRole(
  queries: Queries,
  organizationId: string,
  userId: string,
  role: MemberRole,
): Promise<void> {
  const where = and(eq(members.organizationId, organizationId), eq(members.userId, userId));
  await queries.update(members).set({ role }).where(where);
}

export async function updateUserName(queries: Queries, id: string, name: string): Promise<void> {
  await queries
    .update(users)
    .set({ name, updatedAt: sql`now()` })
    .where(eq(users.id, id));
}

export async function listActiveSessions(queries: Queries, userId: string, now: Date): Promise<SessionRow[]> {
  return await queries
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.createdAt), desc(sessions.id));
}

/** Returns whether the user has such a session. */
export async function deleteSession(queries: Queries, userId: string, id: string): Promise<boolean> {
  const where = and(eq(sessions.userId, userId), eq(sessions.id, id));
  const { rowCount } = await queries.delete(sessions).where(where);
  return rowCount === 1;
}

/** Returns the number of ended sessions. */
export async function deleteSessionsOf(queries: Queries, userId: string): Promise<number> {
  const { rowCount } = await queries.delete(sessions).where(eq(sessions.userId, userId));
  return rowCount ?? 0;
}

export async function deleteOtherSessions(queries: Queries, userId: string, keptId: string): Promise<void> {
  await queries.delete(sessions).where(and(eq(sessions.userId, userId), ne(sessions.id, keptId)));
}

/**
 * Deletes what lets a person in without their password: links for a forgotten one, sign-ins that wait for a code, and
 * browsers that are asked for none.
 */
export async function deleteVerificationsOf(queries: Queries, userId: string): Promise<void> {
  await queries.delete(verifications).where(eq(verifications.value, userId));
}

/** Stores that the user has used a code of an authenticator app. Returns false if they had before. */
export async function markTotpCodeUsed(
  database: Database,
  { userId, code, now, expiresAt }: { userId: string; code: string; now: Date; expiresAt: Date },
): Promise<boolean> {
  const identifier = `${USED_TOTP_CODE}${userId}:${code}`;
  return await database.transaction(async (transaction) => {
    // Concurrent uses wait for each other.
    await transaction.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
    const [used] = await transaction
      .select({ id: verifications.id })
      .from(verifications)
      .where(and(eq(verifications.identifier, identifier), gt(verifications.expiresAt, now)));
    if (used !== undefined) return false;
    await transaction.insert(verifications).values({ identifier, value: "used", expiresAt });
    return true;
  });
}

export async function updateActiveOrganization(
  queries: Queries,
  sessionId: string,
  organizationId: string | null,
): Promise<void> {
  await queries
    .update(sessions)
    .set({ activeOrganizationId: organizationId })
    .where(eq(sessions.id, sessionId));
}

/** Deletes expired sessions and verifications; returns their number. */
export async function deleteExpired(queries: Queries, now: Date): Promise<number> {
  const expiredSessions = await queries.delete(sessions).where(lt(sessions.expiresAt, now));
  const expiredVerifications = await queries.delete(verifications).where(lt(verifications.expiresAt, now));
  return (expiredSessions.rowCount ?? 0) + (expiredVerifications.rowCount ?? 0);
}
