import { AppError } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { updateOperator } from "./identity.store.ts";

export class UsersService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Sets whether a user is an operator. Throws `not_found` if the address has no account. */
  async setOperator(email: string, isOperator: boolean): Promise<void> {
    if (await updateOperator(this.#database, email.toLowerCase(), isOperator)) return;
    throw new AppError("not_found", { message: "No user has this e-mail address." });
  }
}
