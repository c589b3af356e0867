import { isDeepStrictEqual } from "node:util";
import type { Agent, AgentChange, AgentStatus } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { type AgentPhoneNumber, findNumbersOfAgents } from "../phone-numbers/numbers-of-agents.service.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { type AgentDocument, changeDocument, createDocument, readDocument } from "./agent-document.rules.ts";
import * as store from "./agents.store.ts";

/** What a call needs to know of an agent. */
export interface AgentRecord {
  id: string;
  organizationId: string;
  status: AgentStatus;
  sipTrunkId: string | null;
  document: AgentDocument;
}

export class AgentsService {
  readonly #database: Database;
  readonly #sipTrunks: SipTrunksService;

  constructor(database: Database, sipTrunks: SipTrunksService) {
    this.#database = database;
    this.#sipTrunks = sipTrunks;
  }

  async create(organizationId: string, { name, ...change }: AgentChange & { name: string }): Promise<Agent> {
    await this.#requireUsable(organizationId, change);
    const row = await store.insertAgent(this.#database, {
      organizationId,
      document: createDocument(name, change),
      status: change.status ?? "active",
      sipTrunkId: change.sipTrunkId ?? null,
    });
    return await this.#presentOne(row);
  }

  async get(organizationId: string, id: string): Promise<Agent> {
    const row = await store.findAgent(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return await this.#presentOne(row);
  }

  async list(organizationId: string, filter: store.AgentFilter) {
    const found = await store.listAgents(this.#database, organizationId, filter);
    const present = await this.#presenter(organizationId, found.rows);
    return toPage(filter, found, present);
  }

  /** A change that leaves everything as it is writes nothing. */
  async update(organizationId: string, id: string, change: AgentChange & { name?: string }): Promise<Agent> {
    await this.#requireUsable(organizationId, change);
    const row = await this.#database.transaction(async (transaction) => {
      const before = await store.lockAgent(transaction, organizationId, id);
      if (before === undefined) throw new AppError("not_found");
      const after = {
        document: changeDocument(readDocument(before.document), change),
        status: change.status === undefined ? before.status : (change.status ?? "active"),
        sipTrunkId: change.sipTrunkId === undefined ? before.sipTrunkId : change.sipTrunkId,
      };
      const { document, status, sipTrunkId } = before;
      if (isDeepStrictEqual(after, { document, status, sipTrunkId })) return before;
      return await store.updateAgent(transaction, id, { ...after, updatedAt: new Date() });
    });
    return await this.#presentOne(row);
  }

  async delete(organizationId: string, id: string): Promise<void> {
    if (!(await store.deleteAgent(this.#database, organizationId, id))) throw new AppError("not_found");
  }

  async find(organizationId: string, id: string): Promise<AgentRecord | undefined> {
    const row = await store.findAgent(this.#database, organizationId, id);
    if (row === undefined) return undefined;
    const { status, sipTrunkId, document } = row;
    return { id, organizationId, status, sipTrunkId, document: readDocument(document) };
  }

  /** What the schema cannot say. */
  async #requireUsable(organizationId: string, { timezone, sipTrunkId }: AgentChange): Promise<void> {
    if (typeof timezone === "string" && !isTimezone(timezone)) {
      throw invalidBody("timezone", "must be an IANA timezone name");
    }
    if (typeof sipTrunkId !== "string") return;
    const trunk = await this.#sipTrunks.find(organizationId, sipTrunkId);
    if (trunk === undefined) throw invalidBody("sipTrunkId", "names no SIP trunk");
  }

  async #presentOne(row: store.AgentRow): Promise<Agent> {
    const present = await this.#presenter(row.organizationId, [row]);
    return present(row);
  }

  async #presenter(
    organizationId: string,
    rows: readonly store.AgentRow[],
  ): Promise<(row: store.AgentRow) => Agent> {
    const trunkIds = rows.map((row) => row.sipTrunkId).filter((id) => id !== null);
    const trunkNames = await this.#sipTrunks.findNames(organizationId, [...new Set(trunkIds)]);
    const numbers = await findNumbersOfAgents(
      this.#database,
      rows.map((row) => row.id),
    );
    return (row) => presentAgent(row, trunkNames.get(row.sipTrunkId ?? ""), numbers.get(row.id) ?? []);
  }
}

function presentAgent(
  row: store.AgentRow,
  trunkName: string | undefined,
  phoneNumbers: AgentPhoneNumber[],
): Agent {
  const {
    schemaVersion: _schemaVersion,
    customTools: _customTools,
    ...configuration
  } = readDocument(row.document);
  return {
    id: row.id,
    ...configuration,
    status: row.status,
    sipTrunkId: row.sipTrunkId,
    sipTrunk: trunkName === undefined ? null : { friendlyName: trunkName },
    phoneNumbers,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function isTimezone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    // Intl takes offsets such as "+02:00" too, but they have no daylight saving time.
    return !/^[+-]/.test(timeZone);
  } catch {
    return false;
  }
}
