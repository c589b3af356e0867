import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import test from "node:test";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { createLogger } from "../logging/logging.ts";
import { connectDatabase } from "./connect.ts";
import { migrateDatabase } from "./migrate.ts";
import { createTestDatabase } from "./testing.ts";

const source = path.join(import.meta.dirname, "../..");
const migrations = path.join(source, "../migrations/meta");

test("the migrations create the tables that the code declares", async () => {
  const tables: Record<string, unknown> = {};
  for await (const file of glob("**/*.tables.ts", { cwd: source })) {
    Object.assign(tables, await import(path.join(source, file)));
  }
  const journal: { entries: { tag: string }[] } = JSON.parse(
    await readFile(path.join(migrations, "_journal.json"), "utf8"),
  );
  const last = String(journal.entries.length - 1).padStart(4, "0");
  const snapshot: Parameters<typeof generateMigration>[0] = JSON.parse(
    await readFile(path.join(migrations, `${last}_snapshot.json`), "utf8"),
  );
  assert.ok(Object.keys(tables).length > 10);
  const missing = await generateMigration(snapshot, generateDrizzleJson(tables, snapshot.id));
  assert.deepEqual(missing, [], "run `npx drizzle-kit generate` in apps/server");
});

test("nodes that migrate at the same time do not interfere", async () => {
  const { connectionString, close } = await createTestDatabase();
  await Promise.all([1, 2, 3].map(async () => await migrateDatabase(connectionString)));
  await close();
});

const MIGRATIONS = "drizzle.__drizzle_migrations";

test("a database from before the first migration is rejected and left unchanged", async () => {
  const { connectionString, database, close } = await createTestDatabase();
  await database.execute(`update ${MIGRATIONS} set hash = 'of a development version'`);
  await assert.rejects(migrateDatabase(connectionString), {
    name: "IncompatibleSchemaError",
    message: /development version.*DATABASE_URL.*PARLEY_DATA_DIR/,
  });
  const { rows } = await database.execute(`select distinct hash from ${MIGRATIONS}`);
  assert.deepEqual(rows, [{ hash: "of a development version" }]);
  await close();
});

test("a database upgraded by a newer version is rejected", async () => {
  const { connectionString, database, close } = await createTestDatabase();
  await database.execute(`insert into ${MIGRATIONS} (hash, created_at) values ('newer', 9000000000000)`);
  await assert.rejects(migrateDatabase(connectionString), /newer version/);
  await close();
});

test("a node whose encryption key differs from the database's is rejected", async () => {
  const { connectionString, close } = await createTestDatabase();
  const database = { url: connectionString, directUrl: connectionString };
  const connect = async (byte: number) =>
    await connectDatabase(
      { database, dataDirectory: "unused", encryptionKeys: [Buffer.alloc(32, byte)] },
      createLogger({ level: "silent" }),
    );
  for (const byte of [1, 1]) await (await connect(byte)).close();
  await assert.rejects(connect(2), { name: "EncryptionKeyMismatchError" });
  await close();
});
