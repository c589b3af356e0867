import type { CurrentSession, Session, User } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Principal } from "../../platform/http/principal.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import { cookieHeaderOf } from "./auth-client.ts";
import { mayHaveSession } from "./auth-headers.ts";
import type { AuthLibrary } from "./auth-library.ts";
import * as store from "./identity.store.ts";

/** Codes are accepted in their 30 s, and in those before and after. */
const USED_CODE_KEPT_MS = 120_000;

/** A valid session with its user. */
export interface SignedIn {
  sessionId: string;
  expiresAt: Date;
  activeOrganizationId: string | null;
  user: User;
}

interface SessionsDependencies {
  database: Database;
  clock: Clock;
  organizations: OrganizationsService;
  library: () => Promise<AuthLibrary>;
}

export class SessionsService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #organizations: OrganizationsService;
  readonly #library: () => Promise<AuthLibrary>;

  constructor({ database, clock, organizations, library }: SessionsDependencies) {
    this.#database = database;
    this.#clock = clock;
    this.#organizations = organizations;
    this.#library = library;
  }

  /** Resolves the header `Cookie`; `undefined` if it contains no valid session. */
  async find(cookies: string | undefined): Promise<SignedIn | undefined> {
    if (!mayHaveSession(cookies)) return undefined;
    const { api } = await this.#library();
    const found = await api.getSession({
      headers: new Headers({ cookie: cookies }),
      query: { disableRefresh: true },
    });
    if (found === null) return undefined;
    const { session, user } = found;
    return {
      sessionId: session.id,
      expiresAt: session.expiresAt,
      activeOrganizationId: session.activeOrganizationId ?? null,
      user: {
        id: user.id,
        name: user.name,
        email: user.email,
        isTwoFactorEnabled: user.twoFactorEnabled === true,
        isOperator: user.isOperator,
      },
    };
  }

  /** Organization and role of a request with the session; see `AuthenticateSession`. */
  async authenticate(cookies: string): Promise<Principal | undefined> {
    const signedIn = await this.find(cookies);
    if (signedIn === undefined) return undefined;
    const { activeOrganizationId, user } = signedIn;
    if (activeOrganizationId === null) throw noOrganization();
    const role = await store.findMemberRole(this.#database, activeOrganizationId, user.id);
    const organization = role && (await this.#organizations.find(activeOrganizationId));
    if (role === undefined || organization === undefined) throw noOrganization();
    return {
      organizationId: organization.id,
      isBillingActive: organization.isBillingActive,
      role,
      actor: { type: "user", name: user.name },
      actorId: user.id,
    };
  }

  /** User of the session; `undefined` if the cookies contain no valid one. */
  async findUser(cookies: string): Promise<User | undefined> {
    return (await this.find(cookies))?.user;
  }

  async describe({ sessionId, expiresAt, activeOrganizationId, user }: SignedIn): Promise<CurrentSession> {
    const memberships = await store.listMemberships(this.#database, user.id);
    const all = await Promise.all(
      memberships.map(async ({ organizationId, role }) => ({
        organization: await this.#organizations.get(organizationId),
        role,
      })),
    );
    const active = all.find(({ organization }) => organization.id === activeOrganizationId);
    return {
      user,
      session: { id: sessionId, expiresAt: expiresAt.toISOString() },
      organization: active?.organization ?? null,
      role: active?.role ?? null,
      organizations: all.map(({ organization: { id, name }, role }) => ({ id, name, role })),
    };
  }

  /** Throws `not_found` if the user is not a member of the organization. */
  async switchOrganization(signedIn: SignedIn, organizationId: string): Promise<CurrentSession> {
    const role = await store.findMemberRole(this.#database, organizationId, signedIn.user.id);
    if (role === undefined) throw new AppError("not_found");
    await store.updateActiveOrganization(this.#database, signedIn.sessionId, organizationId);
    return await this.describe({ ...signedIn, activeOrganizationId: organizationId });
  }

  async list({ sessionId, user }: SignedIn): Promise<Session[]> {
    const rows = await store.listActiveSessions(this.#database, user.id, this.#clock.now());
    return rows.map((row) => ({
      id: row.id,
      createdAt: row.createdAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
      ipAddress: row.ipAddress || null,
      userAgent: row.userAgent || null,
      isCurrent: row.id === sessionId,
    }));
  }

  /** Throws `not_found`. */
  async end({ user }: SignedIn, sessionId: string): Promise<void> {
    if (!(await store.deleteSession(this.#database, user.id, sessionId))) throw new AppError("not_found");
  }

  /** Ends all sessions of the user, trusted devices and links. Returns the number of sessions. */
  async endAll({ user }: SignedIn): Promise<number> {
    await store.deleteVerificationsOf(this.#database, user.id);
    return await store.deleteSessionsOf(this.#database, user.id);
  }

  /** Ends the user's other sessions, trusted devices and links. */
  async endOthers({ user, sessionId }: SignedIn): Promise<void> {
    await store.deleteVerificationsOf(this.#database, user.id);
    await store.deleteOtherSessions(this.#database, user.id, sessionId);
  }

  /** Stores that a code of the user's authenticator app was accepted. Returns false if it had been before. */
  async markCodeUsed({ user }: SignedIn, code: string): Promise<boolean> {
    const now = this.#clock.now();
    const expiresAt = new Date(now.getTime() + USED_CODE_KEPT_MS);
    return await store.markTotpCodeUsed(this.#database, { userId: user.id, code, now, expiresAt });
  }

  /**
   * Ends the session that a code of an authenticator app began, and throws `unauthorized`, if the code was used before
   * (RFC 6238 §5.2).
   */
  async requireUnusedCode(setCookies: readonly string[], code: string): Promise<void> {
    const begun = await this.find(cookieHeaderOf(setCookies));
    if (begun === undefined || (await this.markCodeUsed(begun, code))) return;
    await store.deleteSession(this.#database, begun.user.id, begun.sessionId);
    throw new AppError("unauthorized", {
      message: "This code was used before. Wait until the app shows the next one.",
    });
  }

  async rename({ user }: SignedIn, name: string): Promise<User> {
    await store.updateUserName(this.#database, user.id, name);
    return { ...user, name };
  }
}

function noOrganization(): AppError {
  return new AppError("forbidden", {
    message:
      "You are not a member of the session's organization. Choose another one, or ask for an invitation.",
  });
}
