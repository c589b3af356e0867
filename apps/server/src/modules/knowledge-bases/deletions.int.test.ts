/** Deletions while a document is indexed, and of what others are about to delete. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { KnowledgeDocument } from "@parley/contract";
import { waitFor } from "@parley/testing";
import type { TestServer } from "../testing.ts";
import { dataOf, openKnowledge, upload } from "./testing.ts";

const TEXT = "# Pets\n\nDogs stay for twelve euros a night.\n";

/** Runs `work` until it waits for the locked row, deletes that row, and then awaits the work. */
async function deleteMeanwhile<T>(
  { database }: TestServer,
  { table, locked, deleted = locked }: { table: string; locked: string; deleted?: string },
  work: () => Promise<T>,
): Promise<T> {
  const client = await database.$client.connect();
  try {
    await client.query("begin");
    await client.query(`select from ${table} where id = $1 for update`, [locked]);
    const working = work();
    working.catch(() => {});
    await waitFor("the lock", async () => {
      const waits =
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      return (await database.$client.query(waits)).rowCount === 1;
    });
    await client.query(`delete from ${table} where id = $1`, [deleted]);
    await client.query("commit");
    return await working;
  } finally {
    client.release();
  }
}

async function openWaiting(context: TestContext) {
  const knowledge = await openKnowledge(context);
  const { server } = knowledge;
  const base = await knowledge.createBase();
  const document = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "a.md", content: TEXT }),
    201,
  );
  const path = `/knowledge-bases/${base.id}`;
  return { ...knowledge, base, document, path, documentPath: `${path}/documents/${document.id}` };
}

async function assertNothingLeft(server: TestServer): Promise<void> {
  const { rows } = await server.database.execute("select count(*)::int as count from knowledge_passages");
  assert.deepEqual(rows, [{ count: 0 }]);
}

test("a document that is deleted when its vectors are stored leaves nothing, and neither side fails", async (context) => {
  const { server, document, listUploads } = await openWaiting(context);
  const { id } = document;
  // Read, but not embedded yet: the lock below then stops it where it stores vectors.
  await server.database.$client.query(
    "create function pause() returns trigger language plpgsql as 'begin raise exception ''pause''; end'",
  );
  await server.database.$client.query(
    "create trigger pause before update of embedding on knowledge_passages execute function pause()",
  );
  await assert.rejects(server.modules.documentIndexer.index(id));
  await server.database.$client.query("drop trigger pause on knowledge_passages");
  await deleteMeanwhile(
    server,
    { table: "knowledge_documents", locked: id },
    async () => await server.modules.documentIndexer.index(id),
  );
  await assertNothingLeft(server);
  assert.deepEqual(await listUploads(), []);
});

test("a base that is deleted when its document becomes ready leaves nothing, and neither side fails", async (context) => {
  const { server, base, document } = await openWaiting(context);
  await deleteMeanwhile(
    server,
    { table: "knowledge_bases", locked: base.id },
    async () => await server.modules.documentIndexer.index(document.id),
  );
  await assertNothingLeft(server);
});

test("a document is deleted beside its base without either failing", async (context) => {
  const { server, base, documentPath } = await openWaiting(context);
  const { status } = await deleteMeanwhile(
    server,
    { table: "knowledge_bases", locked: base.id },
    async () => await server.request("DELETE", documentPath),
  );
  assert.equal(status, 404);
});

test("of two equal deletions one succeeds, and the other finds nothing", async (context) => {
  const { server, path, document, documentPath, listUploads } = await openWaiting(context);
  for (const each of [documentPath, path]) {
    const both = await Promise.all([server.request("DELETE", each), server.request("DELETE", each)]);
    assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 404]));
  }
  await server.modules.documentIndexer.index(document.id);
  assert.deepEqual(await listUploads(), []);
});
