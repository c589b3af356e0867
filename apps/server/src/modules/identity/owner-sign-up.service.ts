import { createHash, randomBytes } from "node:crypto";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { AuthLibrary } from "./auth-library.ts";
import * as store from "./identity.store.ts";

const TOKEN_BYTES = 32;

interface OwnerSignUp {
  token: string;
  name: string;
  email: string;
  password: string;
  organizationName?: string;
}

/** Sign-up of the first owner, who needs the link that the server prints, so that no stranger takes a new installation. */
export class OwnerSignUpService {
  readonly #database: Database;
  readonly #organizations: OrganizationsService;
  readonly #library: () => Promise<AuthLibrary>;

  constructor(database: Database, organizations: OrganizationsService, library: () => Promise<AuthLibrary>) {
    this.#database = database;
    this.#organizations = organizations;
    this.#library = library;
  }

  async hasOwner(): Promise<boolean> {
    return await store.hasOwner(this.#database);
  }

  /** Creates a token for the owner of the oldest organization; `undefined` if there is an owner, or no organization. */
  async createToken(): Promise<string | undefined> {
    const organization = await this.#organizations.findOldest();
    if (organization === undefined || (await this.hasOwner())) return undefined;
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    await store.insertOwnerLink(this.#database, hashOf(token), organization.id);
    return token;
  }

  /** Creates the owner, who is also the operator. Throws `forbidden` if there is one, or if the token is wrong. */
  async signUp({ token, name, email, password, organizationName }: OwnerSignUp): Promise<void> {
    const hash = hashOf(token);
    // Before the password is hashed, which is work.
    if ((await store.findOwnerLink(this.#database, hash)) === undefined) throw await this.#refuse();
    const passwordHash = await (await this.#library()).hash(password);
    await this.#database.transaction(async (transaction) => {
      await store.lockOwnerCreation(transaction);
      const organizationId = await store.findOwnerLink(transaction, hash);
      if (organizationId === undefined || (await store.hasOwner(transaction))) throw closed();
      const user = { name, email: email.toLowerCase(), passwordHash, isOperator: true };
      const userId = await store.insertUser(transaction, user);
      if (userId === undefined) throw invalidBody("email", "already has an account");
      await store.insertMember(transaction, { organizationId, userId, role: "owner" });
      if (organizationName !== undefined)
        await this.#organizations.operate(transaction, organizationId, { name: organizationName });
      await store.deleteOwnerLinks(transaction);
    });
  }

  async #refuse(): Promise<AppError> {
    if (await this.hasOwner()) return closed();
    const message =
      "This link is not valid. Use the one that the server printed last, or restart the server: it prints a new one.";
    return new AppError("forbidden", { message });
  }
}

function closed(): AppError {
  return new AppError("forbidden", {
    message: "Sign-up is closed, because this installation has an owner. Ask for an invitation.",
  });
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
