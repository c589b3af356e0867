import { includesRole, type Member, type MemberRole, type PageQuery } from "@parley/contract";
import { AppError } from "../../../platform/app-error.ts";
import type { Database } from "../../../platform/database/database.ts";
import { toPage } from "../../../platform/database/page.ts";
import type { Principal } from "../../../platform/http/principal.ts";
import * as people from "../identity.store.ts";
import * as store from "./members.store.ts";
import type { SignedIn } from "../sessions.service.ts";

type Inviter = Pick<Principal, "organizationId" | "role">;

export class MembersService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(organizationId: string, query: PageQuery) {
    return toPage(query, await store.listMembers(this.#database, organizationId, query), present);
  }

  /** Throws `not_found`, `forbidden` and `last_owner`. Without a role, returns the member unchanged. */
  async setRole(by: Inviter, id: string, role: MemberRole | undefined): Promise<Member> {
    return await this.#database.transaction(async (transaction) => {
      const owners = await store.lockOwners(transaction, by.organizationId);
      const member = await store.findMember(transaction, by.organizationId, id);
      if (member === undefined) throw new AppError("not_found");
      if (role === undefined || role === member.role) return present(member);
      requireRank(by, member.role);
      requireRank(by, role);
      requireOtherOwner(owners, id);
      await store.updateMemberRole(transaction, id, role);
      return present({ ...member, role });
    });
  }

  /**
   * Ends the user's membership in the session's organization, and returns the session in another one of theirs. Throws
   * `not_found` and `last_owner`.
   */
  async leave(signedIn: SignedIn): Promise<SignedIn> {
    const { user, sessionId, activeOrganizationId } = signedIn;
    if (activeOrganizationId === null) throw new AppError("not_found");
    return await this.#database.transaction(async (transaction) => {
      const owners = await store.lockOwners(transaction, activeOrganizationId);
      const id = await store.findMemberId(transaction, activeOrganizationId, user.id);
      if (id === undefined) throw new AppError("not_found");
      requireOtherOwner(owners, id);
      await store.deleteMember(transaction, id);
      const next = await people.findFirstOrganizationId(transaction, user.id);
      await people.updateActiveOrganization(transaction, sessionId, next);
      return { ...signedIn, activeOrganizationId: next };
    });
  }

  /** Throws `not_found`, `forbidden` and `last_owner`. */
  async remove(by: Inviter, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const owners = await store.lockOwners(transaction, by.organizationId);
      const member = await store.findMember(transaction, by.organizationId, id);
      if (member === undefined) throw new AppError("not_found");
      requireRank(by, member.role);
      requireOtherOwner(owners, id);
      await store.deleteMember(transaction, id);
    });
  }
}

/** Rejects giving or taking a role that is higher than that of the principal. */
export function requireRank({ role }: Pick<Principal, "role">, concerned: MemberRole): void {
  if (includesRole(role, concerned)) return;
  throw new AppError("forbidden", {
    message: `Only an owner may do this for the role ${concerned}: your role is ${role}.`,
  });
}

function requireOtherOwner(owners: readonly string[], id: string): void {
  if (owners.length === 1 && owners[0] === id) throw new AppError("last_owner");
}

function present({ createdAt, ...member }: store.MemberRow): Member {
  return { ...member, createdAt: createdAt.toISOString() };
}
