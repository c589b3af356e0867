import { randomUUID } from "node:crypto";
import {
  DEFAULT_MESSAGES_PER_SECOND,
  type MessagingConnection,
  type MessagingConnectionCheck,
  type MessagingConnectionCreate,
  type MessagingConnectionUpdate,
  type PageQuery,
} from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import type { EncryptedColumn } from "../../platform/encryption/reencryption.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import * as store from "./messaging-connections.store.ts";
import { messagingConnections } from "./messaging-connections.tables.ts";
import type { Twilio, TwilioAccount } from "./twilio.ts";
import { TwilioError } from "./twilio-error.ts";

/** Length of a display name in the contract. */
const MAX_NAME_CHARACTERS = 128;
/** Attempts to change a connection that others change at the same time. */
const MAX_ATTEMPTS = 5;

interface Dependencies {
  encryption: Encryption;
  clock: Clock;
  organizationLimits: OrganizationLimitsService;
  twilio: Pick<Twilio, "findAccountName" | "hasMessagingService">;
  /** Public URL of this server; `undefined` if none is configured. */
  publicUrl: string | undefined;
}

/** A connection with what sending by it needs. */
export interface SendingConnection extends TwilioAccount {
  id: string;
  organizationId: string;
  messagingServiceSid: string | null;
  messagesPerSecond: number;
  /** Returns the URL of reports about an attempt to send a message; `undefined` if the server has no public URL. */
  statusCallbackUrl: (messageId: string, attempt: number) => string | undefined;
}

interface Verified extends TwilioAccount {
  messagingServiceSid: string | null;
}

/** Accounts at messaging providers. Their credentials are verified before they are stored. */
export class MessagingConnectionsService {
  readonly #database: Database;
  readonly #dependencies: Dependencies;
  /** Emitted before a connection is deleted, with the connection locked; the event is its id. */
  readonly deleting = new TransactionEvent<string>();

  constructor(database: Database, dependencies: Dependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Throws `invalid_body`, `provider_unreachable` and `limit_reached`. */
  async create(organizationId: string, body: MessagingConnectionCreate): Promise<MessagingConnection> {
    const { accountSid, authToken, friendlyName = null, messagingServiceSid = null } = body;
    const accountName = await this.#verify({ accountSid, authToken, messagingServiceSid });
    const id = randomUUID();
    const row = await this.#database.transaction(async (transaction) => {
      const { organizationLimits, encryption } = this.#dependencies;
      const counted = { name: "messagingConnections", table: messagingConnections } as const;
      await organizationLimits.requireRoom(transaction, organizationId, counted);
      return await store.insertConnection(transaction, {
        id,
        organizationId,
        friendlyName: friendlyName ?? (accountName.slice(0, MAX_NAME_CHARACTERS).trim() || accountSid),
        accountSid,
        encryptedAuthToken: encryption.encrypt(authToken, contextOf(id)),
        messagingServiceSid,
        messagesPerSecond: body.messagesPerSecond ?? DEFAULT_MESSAGES_PER_SECOND,
      });
    });
    return this.#present(row);
  }

  async get(organizationId: string, id: string): Promise<MessagingConnection> {
    return this.#present(await this.#find(organizationId, id));
  }

  async list(organizationId: string, query: PageQuery) {
    const rows = await store.listConnections(this.#database, organizationId, query);
    return toPage(query, rows, (row) => this.#present(row));
  }

  /** Throws `not_found`, `invalid_body` and `provider_unreachable`. */
  async update(
    organizationId: string,
    id: string,
    change: MessagingConnectionUpdate,
  ): Promise<MessagingConnection> {
    // What was verified is stored only together with what it was verified with.
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await this.#find(organizationId, id);
      const columns = await this.#toColumns(before, change);
      const row = await store.updateConnection(this.#database, before, columns);
      if (row !== undefined) return this.#present(row);
    }
    throw new Error("the messaging connection is being changed by too many requests");
  }

  /** Throws `not_found` and `in_use`. */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      if (!(await store.lockConnection(transaction, organizationId, id, "update")))
        throw new AppError("not_found");
      await this.deleting.emit(transaction, id);
      await store.deleteConnection(transaction, id);
    });
  }

  /** Whether the connection exists. If it does, it cannot be deleted until the transaction ends. */
  async lockForReference(transaction: Queries, organizationId: string, id: string): Promise<boolean> {
    return await store.lockConnection(transaction, organizationId, id, "key share");
  }

  /** Finds a connection of any organization. */
  async findForSending(queries: Queries, id: string): Promise<SendingConnection | undefined> {
    const row = await store.findAnyConnection(queries, id);
    if (row === undefined) return undefined;
    const { organizationId, messagesPerSecond } = row;
    const { publicUrl } = this.#dependencies;
    const hook = `${publicUrl ?? ""}/hooks/twilio/${id}/status`;
    return {
      id,
      organizationId,
      messagesPerSecond,
      ...this.#open(row),
      statusCallbackUrl: (messageId, attempt) =>
        publicUrl === undefined ? undefined : `${hook}?message=${messageId}&attempt=${attempt}`,
    };
  }

  /** Finds the connection that a hook's URL names, of any organization. */
  async findForHook(id: string): Promise<SendingConnection | undefined> {
    return await this.findForSending(this.#database, id);
  }

  /** Verifies the stored credentials. Throws `not_found`. */
  async check(organizationId: string, id: string): Promise<MessagingConnectionCheck> {
    const row = await this.#find(organizationId, id);
    const checkedAt = this.#dependencies.clock.now().toISOString();
    try {
      const name = await this.#verify(this.#open(row));
      const message = `Twilio accepts the credentials of the account ${name}.`;
      return { isOk: true, problem: null, message, checkedAt };
    } catch (error) {
      return { isOk: false, ...toCheckProblem(error), checkedAt };
    }
  }

  #present(row: store.ConnectionRow): MessagingConnection {
    return present(row, this.#dependencies.publicUrl);
  }

  async #find(organizationId: string, id: string): Promise<store.ConnectionRow> {
    const row = await store.findConnection(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return row;
  }

  async #toColumns(
    before: store.ConnectionRow,
    change: MessagingConnectionUpdate,
  ): Promise<Partial<store.ConnectionInsert>> {
    const { friendlyName, authToken, messagesPerSecond } = change;
    const { accountSid = before.accountSid, messagingServiceSid = before.messagingServiceSid } = change;
    const isOtherAccount = accountSid !== before.accountSid;
    if (isOtherAccount && authToken === undefined)
      throw invalidBody("authToken", "is required if accountSid changes");
    const isOtherService = messagingServiceSid !== before.messagingServiceSid;
    const verified = { ...this.#open(before), accountSid, messagingServiceSid };
    if (authToken !== undefined) verified.authToken = authToken;
    if (authToken !== undefined || isOtherService) await this.#verify(verified);
    return {
      ...(friendlyName !== undefined && { friendlyName }),
      ...(messagesPerSecond !== undefined && {
        messagesPerSecond: messagesPerSecond ?? DEFAULT_MESSAGES_PER_SECOND,
      }),
      ...(authToken !== undefined && {
        encryptedAuthToken: this.#dependencies.encryption.encrypt(authToken, contextOf(before.id)),
      }),
      accountSid,
      messagingServiceSid,
      updatedAt: this.#dependencies.clock.now(),
    };
  }

  #open({ id, accountSid, encryptedAuthToken, messagingServiceSid }: store.ConnectionRow): Verified {
    const authToken = this.#dependencies.encryption.decrypt(encryptedAuthToken, contextOf(id));
    return { accountSid, authToken, messagingServiceSid };
  }

  /** Returns the account's name. Throws `invalid_body` and `provider_unreachable`. */
  async #verify({ messagingServiceSid, ...account }: Verified): Promise<string> {
    const { twilio } = this.#dependencies;
    try {
      const name = await twilio.findAccountName(account);
      if (messagingServiceSid !== null && !(await twilio.hasMessagingService(account, messagingServiceSid)))
        throw invalidBody("messagingServiceSid", "is not a messaging service of this account");
      return name;
    } catch (error) {
      if (!(error instanceof TwilioError)) throw error;
      if (error.kind === "refused") throw invalidBody("authToken", `was refused by Twilio: ${error.message}`);
      throw new AppError("provider_unreachable", {
        message: `Twilio could not be reached: ${error.message}. Retry later.`,
        cause: error,
      });
    }
  }
}

function present(row: store.ConnectionRow, publicUrl: string | undefined): MessagingConnection {
  const { id, friendlyName, accountSid, messagingServiceSid, messagesPerSecond } = row;
  return {
    id,
    friendlyName,
    channel: "sms",
    provider: "twilio",
    accountSid,
    messagingServiceSid,
    messagesPerSecond,
    config: {
      inboundMessageUrl: publicUrl === undefined ? null : `${publicUrl}/hooks/twilio/${id}/messages`,
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

const contextOf = (id: string): string => `messaging_connections/${id}/auth-token`;

export const encryptedAuthTokens: EncryptedColumn = {
  table: "messaging_connections",
  column: "encrypted_auth_token",
  type: "text",
  key: ["id"],
  contextOf,
};

function toCheckProblem(error: unknown): Pick<MessagingConnectionCheck, "problem" | "message"> {
  if (!(error instanceof AppError)) throw error;
  const [issue] = error.issues;
  if (issue === undefined) return { problem: "provider_unreachable", message: error.message };
  return issue.path === "authToken"
    ? { problem: "credentials_refused", message: `The auth token ${issue.message}` }
    : { problem: "messaging_service_not_found", message: `The messaging service ${issue.message}.` };
}
