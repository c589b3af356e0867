import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import type { Agent, CallDetail } from "@parley/contract";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { migrateDatabase } from "../platform/database/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../platform/database/testing.ts";
import { createTestServer } from "./testing.ts";

const migrations = path.join(import.meta.dirname, "../../migrations");

/** Organization with an agent, its number and a call, as stored by the first migration's version. */
interface FirstDatabase {
  apiKey: string;
  agentId: string;
  callId: string;
  /** Rows by table. */
  rows: Record<string, object[]>;
}

/** Creates a database with only the first migration and these rows. */
async function createFirstDatabase(first: FirstDatabase): Promise<TestDatabase> {
  const created = await createTestDatabase({ isEmpty: true });
  const folder = await mkdtemp(path.join(tmpdir(), "parley-first-migration-"));
  try {
    await cp(path.join(migrations, "0000_first.sql"), path.join(folder, "0000_first.sql"));
    await cp(path.join(migrations, "meta"), path.join(folder, "meta"), { recursive: true });
    const journalPath = path.join(folder, "meta/_journal.json");
    const journal: { entries: object[] } = JSON.parse(await readFile(journalPath, "utf8"));
    await writeFile(journalPath, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }));
    await migrate(created.database, { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const client = await created.database.$client.connect();
  // Rows refer to each other, so foreign keys are not checked during the inserts.
  await client.query("set session_replication_role = replica");
  for (const [table, rows] of Object.entries(first.rows)) {
    const columns = await client.query<{ names: string }>(
      `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
       where table_name = $1 and is_generated = 'NEVER'`,
      [table],
    );
    const names = columns.rows[0]?.names;
    await client.query(
      `insert into "${table}" (${names}) select ${names} from json_populate_recordset(null::"${table}", $1)`,
      [JSON.stringify(rows)],
    );
  }
  client.release(true);
  return created;
}

test("a database of the first migration is upgraded, and the API serves its data", async (t) => {
  const file = path.join(import.meta.dirname, "upgrade.first-database.json");
  const first: FirstDatabase = JSON.parse(await readFile(file, "utf8"));
  const testDatabase = await createFirstDatabase(first);
  await migrateDatabase(testDatabase.connectionString);
  const server = await createTestServer({ testDatabase });
  t.after(async () => await server.close());
  const read = async <T>(url: string): Promise<T> => {
    const { status, body } = await server.request("GET", url, undefined, first.apiKey);
    assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tests of each route check its answers
    return (body as { data: T }).data;
  };
  const agent = await read<Agent>(`/agents/${first.agentId}`);
  assert.deepEqual([agent.name, agent.firstMessage], ["Reception", "Hello."]);
  const call = await read<CallDetail>(`/calls/${first.callId}`);
  assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
  assert.deepEqual(
    call.transcript.map((item) => item.type === "message" && item.text),
    ["Hello.", "When do you open?"],
  );
  const versions = await read<unknown[]>(`/agents/${first.agentId}/revisions`);
  assert.ok(versions.length > 0);
});
