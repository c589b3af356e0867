import { createHmac, timingSafeEqual } from "node:crypto";
import type { CreatedInvitation, Invitation, MemberRole, PageQuery } from "@parley/contract";
import type { Logger } from "pino";
import { AppError, invalidBody } from "../../../platform/app-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import { toPage } from "../../../platform/database/page.ts";
import type { Encryption } from "../../../platform/encryption/encryption.ts";
import type { Principal } from "../../../platform/http/principal.ts";
import type { Mailer } from "../../../platform/mail/mailer.ts";
import type { OrganizationsService } from "../../organizations/organizations.service.ts";
import type { AuthLibrary } from "../auth-library.ts";
import * as people from "../identity.store.ts";
import { requireRank } from "./members.service.ts";
import * as store from "./members.store.ts";
import type { SignedIn } from "../sessions.service.ts";

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
const EXPIRED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_INVITATIONS = 200;

interface InvitationsDependencies {
  database: Database;
  clock: Clock;
  encryption: Encryption;
  logger: Logger;
  mailer: Mailer;
  organizations: OrganizationsService;
  library: () => Promise<AuthLibrary>;
  origin: () => string;
}

/** User or key that invites. */
type Inviter = Pick<Principal, "organizationId" | "role"> & { actor: Pick<Principal["actor"], "name"> };

interface Invited {
  email: string;
  role: MemberRole;
}

/**
 * Invitations by link. The link's token is the invitation's id with a signature by the server's key, so that the database
 * alone opens none.
 */
export class InvitationsService {
  readonly #dependencies: InvitationsDependencies;

  constructor(dependencies: InvitationsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Stores an invitation and sends it, or returns its link. */
  async create(by: Inviter, { email, role }: Invited): Promise<CreatedInvitation> {
    requireRank(by, role);
    const { database, clock, organizations } = this.#dependencies;
    const { organizationId, actor } = by;
    const address = email.toLowerCase();
    const { name } = await organizations.get(organizationId);
    const row = await database.transaction(async (transaction) => {
      await store.lockInvitations(transaction, organizationId);
      if (await store.isMemberEmail(transaction, organizationId, address))
        throw invalidBody("email", "is already a member of the organization");
      if ((await store.countInvitations(transaction, organizationId)) >= MAX_INVITATIONS)
        throw new AppError("limit_reached", {
          message: `An organization has at most ${MAX_INVITATIONS} invitations. Withdraw one first.`,
        });
      const expiresAt = new Date(clock.now().getTime() + LIFETIME_MS);
      return await store.putInvitation(transaction, {
        organizationId,
        email: address,
        role,
        invitedBy: actor.name,
        expiresAt,
      });
    });
    const link = `${this.#dependencies.origin()}/accept-invitation#token=${this.#tokenOf(row.id)}`;
    const isSent = await this.#send(row, name, link);
    return { ...present(row), link: isSent ? null : link };
  }

  async list(organizationId: string, query: PageQuery) {
    const rows = await store.listInvitations(this.#dependencies.database, organizationId, query);
    return toPage(query, rows, present);
  }

  /** Throws `not_found`. */
  async withdraw(organizationId: string, id: string): Promise<void> {
    const isDeleted = await store.deleteInvitation(this.#dependencies.database, organizationId, id);
    if (!isDeleted) throw new AppError("not_found");
  }

  /** Throws `not_found` if the token is wrong, used or expired. */
  async read(token: string) {
    const { database, organizations } = this.#dependencies;
    const { organizationId, email, role } = await this.#find(token);
    const { name: organizationName } = await organizations.get(organizationId);
    return {
      organizationName,
      email,
      role,
      hasAccount: (await people.findUserByEmail(database, email)) !== undefined,
    };
  }

  /**
   * Makes the signed-in person a member of an organization, and returns its id. Throws `not_found`, and `forbidden` if
   * somebody else was invited.
   */
  async acceptAs({ user, sessionId }: SignedIn, token: string): Promise<string> {
    const { email } = await this.#find(token);
    if (email !== user.email)
      throw new AppError("forbidden", {
        message: `This invitation is for ${email}, but you are signed in as ${user.email}. Sign out first.`,
      });
    return await this.#dependencies.database.transaction(async (transaction) => {
      const { organizationId, role } = await this.#take(transaction, token);
      await people.insertMember(transaction, { organizationId, userId: user.id, role });
      await people.updateActiveOrganization(transaction, sessionId, organizationId);
      return organizationId;
    });
  }

  /** Creates an account for the invited person, and returns its e-mail address. */
  async acceptAsNew(token: string, person: { name?: string; password?: string }): Promise<string> {
    const { database, library } = this.#dependencies;
    const { email } = await this.#find(token);
    if ((await people.findUserByEmail(database, email)) !== undefined)
      throw new AppError("unauthorized", {
        message: `${email} has an account. Sign in to accept the invitation.`,
      });
    const { name, password } = person;
    if (name === undefined) throw invalidBody("name", "is required for a new account");
    if (password === undefined) throw invalidBody("password", "is required for a new account");
    const passwordHash = await (await library()).hash(password);
    await database.transaction(async (transaction) => {
      const { organizationId, role } = await this.#take(transaction, token);
      const userId = await people.insertUser(transaction, { name, email, passwordHash });
      if (userId === undefined)
        throw invalidBody("token", "is for an address that has an account by now: sign in");
      await people.insertMember(transaction, { organizationId, userId, role });
    });
    return email;
  }

  async deleteExpired(): Promise<void> {
    const { database, clock } = this.#dependencies;
    const before = new Date(clock.now().getTime() - EXPIRED_KEPT_MS);
    await store.deleteInvitationsExpiredBefore(database, before);
  }

  async #find(token: string): Promise<store.InvitationRow> {
    const { database } = this.#dependencies;
    const id = this.#idOf(token);
    return this.#requireValid(id === undefined ? undefined : await store.findInvitation(database, id));
  }

  async #take(
    queries: Parameters<typeof store.takeInvitation>[0],
    token: string,
  ): Promise<store.InvitationRow> {
    return this.#requireValid(await store.takeInvitation(queries, this.#idOf(token) ?? ""));
  }

  #requireValid(row: store.InvitationRow | undefined): store.InvitationRow {
    if (row !== undefined && row.expiresAt > this.#dependencies.clock.now()) return row;
    throw new AppError("not_found", {
      message: "This invitation was used, withdrawn or has expired. Ask for a new one.",
    });
  }

  #tokenOf(id: string): string {
    const [first = ""] = this.#signaturesOf(id);
    return `${id}.${first}`;
  }

  /** `undefined` if the signature is wrong. */
  #idOf(token: string): string | undefined {
    const [id = "", given = ""] = token.split(".");
    const isSigned = this.#signaturesOf(id).some(
      (signature) =>
        signature.length === given.length && timingSafeEqual(Buffer.from(signature), Buffer.from(given)),
    );
    return isSigned ? id : undefined;
  }

  #signaturesOf(id: string): string[] {
    const keys = this.#dependencies.encryption.deriveKeys("invitations");
    return keys.map((key) => createHmac("sha256", key).update(id).digest("base64url"));
  }

  async #send(
    { email, invitedBy, role }: store.InvitationRow,
    organization: string,
    link: string,
  ): Promise<boolean> {
    const { mailer, logger } = this.#dependencies;
    if (!mailer.isConfigured) return false;
    const subject = `Invitation to ${organization} on Parley`;
    const text = `${invitedBy} invites you to ${organization} on Parley, with the role ${role}.\n\nAccept the invitation within 7 days:\n${link}\n`;
    try {
      await mailer.send({ to: email, subject, text });
      return true;
    } catch (error) {
      logger.warn({ err: error }, "the mail server did not take an invitation; the inviter gets its link");
      return false;
    }
  }
}

function present({ id, email, role, invitedBy, expiresAt, createdAt }: store.InvitationRow): Invitation {
  return {
    id,
    email,
    role,
    invitedBy,
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}
