/** Websites as documents: adding, reading again, and what interrupts it. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { KnowledgeDocument, KnowledgeDocumentPassage, KnowledgePassage } from "@parley/contract";
import { assertRefused } from "../../contract-conformance.ts";
import type { TestServerOptions } from "../../testing.ts";
import { dataOf, openKnowledge, upload } from "../testing.ts";
import { answer, serveWebsite, type TestPage } from "./testing.ts";

const HOME =
  '<h1>Hotel</h1><p>Check-in begins at three.</p><nav><a href="/pets">Pets</a><a href="/gone">Old</a></nav>';
const PETS = "<h1>Pets</h1><p>Dogs stay for twelve euros a night.</p>";

async function openWebsite(context: TestContext, options: Partial<TestServerOptions> = {}) {
  const knowledge = await openKnowledge(context, { isPrivateWebhookAllowed: true, ...options });
  const { server } = knowledge;
  const { request } = server;
  const pages = new Map<string, TestPage>([
    ["/", HOME],
    ["/pets", PETS],
  ]);
  const site = await serveWebsite(context, pages);
  const base = await knowledge.createBase();
  const path = `/knowledge-bases/${base.id}`;
  const get = async (id: string) =>
    dataOf<KnowledgeDocument>(await request("GET", `${path}/documents/${id}`));
  const read = async (id: string): Promise<KnowledgeDocument> => {
    await server.modules.documentIndexer.index(id);
    return await get(id);
  };
  return {
    ...knowledge,
    base,
    path,
    pages,
    site,
    get,
    read,
    add: async (fields: object = {}) =>
      dataOf<KnowledgeDocument>(
        await request("POST", `${path}/websites`, { url: site.url, maxPages: 5, ...fields }),
        201,
      ),
    sync: async (id: string) =>
      dataOf<KnowledgeDocument>(await request("POST", `${path}/documents/${id}/sync`)),
    search: async (query: string) =>
      dataOf<KnowledgePassage[]>(await request("POST", `${path}/search`, { query, threshold: 0.3 })),
    passages: async (id: string) =>
      dataOf<KnowledgeDocumentPassage[]>(await request("GET", `${path}/documents/${id}/passages`)),
  };
}

test("a website is read, and its passages are found with their pages", async (context) => {
  const { add, read, search, site } = await openWebsite(context);
  const added = await add();
  assert.deepEqual(
    [added.type, added.status, added.name],
    ["website", "queued", site.url.replace("http://", "")],
  );
  const document = await read(added.id);
  assert.deepEqual([document.status, document.passages, document.embeddedPassages], ["ready", 2, 2]);
  const { website } = document;
  assert.deepEqual([website?.url, website?.maxPages, website?.pages], [`${site.url}/`, 5, 2]);
  assert.deepEqual(website?.problems, [{ url: `${site.url}/gone`, reason: "The server answered 404." }]);
  assert.ok(website?.syncedAt !== null);
  const [found] = await search("May I bring my dog?");
  assert.deepEqual([found?.heading, found?.url], ["Pets", `${site.url}/pets`]);
});

test("a website is read again: what is unchanged stays, what is gone goes, and searches go on meanwhile", async (context) => {
  const { add, read, sync, search, pages, passages, site } = await openWebsite(context);
  const { id } = await add();
  await read(id);
  pages.set("/", HOME.replace("three", "noon").replace("/gone", "/bar"));
  pages.set("/bar", "<h1>Bar</h1><p>Cocktails are served from six.</p>");
  const queued = await sync(id);
  assert.deepEqual([queued.status, queued.passages], ["queued", 2]);
  assert.equal((await search("dog")).length > 0, true);
  assert.deepEqual(await sync(id), queued);
  const again = await read(id);
  assert.deepEqual([again.status, again.passages, again.website?.pages], ["ready", 3, 3]);
  assert.deepEqual((await search("When can I check in?"))[0]?.text, "Check-in begins at noon.");
  pages.delete("/pets");
  pages.set("/bar", answer(500));
  await sync(id);
  const fewer = await read(id);
  assert.deepEqual(
    (await passages(id)).map(({ url }) => url?.replace(site.url, "")),
    ["/", "/bar"],
  );
  assert.deepEqual([fewer.passages, fewer.website?.problems.length], [2, 2]);
  assert.deepEqual(await search("May I bring my dog?"), []);
});

test("pages behind one that cannot be reached stay until it can be", async (context) => {
  const { add, read, sync, search, pages } = await openWebsite(context);
  pages.set("/pets", '<p>Animals.</p><a href="/pets/dogs">Dogs</a>');
  pages.set("/pets/dogs", PETS);
  const { id } = await add();
  assert.equal((await read(id)).website?.pages, 3);
  pages.set("/pets", answer(503));
  await sync(id);
  await read(id);
  assert.equal((await search("May I bring my dog?"))[0]?.text, "Dogs stay for twelve euros a night.");
  pages.set("/pets", "<p>Animals.</p>");
  await sync(id);
  await read(id);
  assert.deepEqual(await search("May I bring my dog?"), []);
});

test("a website that is down keeps what was read, and a new one fails with the reason", async (context) => {
  const { add, read, sync, search, pages } = await openWebsite(context);
  const { id } = await add();
  const before = await read(id);
  pages.set("/", answer(503));
  await sync(id);
  const after = await read(id);
  assert.deepEqual([after.status, after.passages, after.website?.pages], ["ready", 2, 2]);
  assert.deepEqual([after.website?.syncedAt, after.website?.problems.length], [before.website?.syncedAt, 1]);
  assert.equal((await search("dog")).length > 0, true);
  const failed = await read((await add()).id);
  assert.deepEqual([failed.status, failed.passages], ["failed", 0]);
  assert.match(failed.statusReason ?? "", /^http.*: The server answered 503\.$/);
  pages.set("/", HOME);
  await sync(failed.id);
  assert.deepEqual([(await read(failed.id)).status, (await read(failed.id)).statusReason], ["ready", null]);
});

test("deletion ends a reading, and an interrupted one begins again", async (context) => {
  const { add, read, server, path, pages, site } = await openWebsite(context);
  const { id } = await add();
  pages.set("/pets", (_, response) => {
    void server.request("DELETE", `${path}/documents/${id}`).then(() => response.end(PETS));
  });
  await server.modules.documentIndexer.index(id);
  assert.equal((await server.request("GET", `${path}/documents/${id}`)).status, 404);
  assert.ok(!site.requested.includes("/gone"));
  const other = await add({ name: "Ours", maxPages: 1 });
  await server.database.$client.query("update knowledge_documents set status = 'processing' where id = $1", [
    other.id,
  ]);
  const { status, name, website } = await read(other.id);
  assert.deepEqual([status, name, website?.pages], ["ready", "Ours", 1]);
});

test("what is no website is refused", async (context) => {
  const { server, path, base, createBase } = await openWebsite(context);
  for (const url of [
    "ftp://example.com",
    "example.com",
    "http://user:secret@example.com/",
    "http://[",
    "http://",
  ])
    assertRefused(await server.request("POST", `${path}/websites`, { url }), "invalid_body", "url");
  for (const maxPages of [0, 101, 1.5])
    assertRefused(
      await server.request("POST", `${path}/websites`, { url: "https://example.com", maxPages }),
      "invalid_body",
      "maxPages",
    );
  const uploaded = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "a.md", content: "Text." }),
    201,
  );
  assert.equal(uploaded.website, null);
  const sync = `/documents/${uploaded.id}/sync`;
  assertRefused(await server.request("POST", path + sync), "document_not_website");
  const other = await createBase("Other");
  assert.equal((await server.request("POST", `/knowledge-bases/${other.id}${sync}`)).status, 404);
  const foreign = await server.createOrganization();
  for (const [where, body] of [
    [`${path}/websites`, { url: "https://example.com" }],
    [path + sync, {}],
  ] as const)
    assert.equal((await server.request("POST", where, body, foreign.apiKey)).status, 404);
});

test("a website is read again at its interval, once for all nodes, and not while it is read", async (context) => {
  let now = new Date();
  const { add, get, read, sync, server, path, pages, search } = await openWebsite(context, {
    clock: { now: () => now },
  });
  const { knowledgeDocuments } = server.modules;
  const inHours = (hours: number): string => new Date(now.getTime() + hours * 3_600_000).toISOString();
  const pass = (hours: number): void => void (now = new Date(inHours(hours)));
  const { id, nextSyncAt } = await add({ resyncIntervalHours: 24 });
  assert.equal(nextSyncAt, inHours(24));
  await read(id);
  pages.set("/pets", PETS.replace("twelve", "twenty"));
  pass(23);
  await knowledgeDocuments.syncDue();
  assert.equal((await get(id)).status, "ready");
  pass(2);
  await Promise.all([knowledgeDocuments.syncDue(), knowledgeDocuments.syncDue()]);
  const queued = await get(id);
  assert.deepEqual([queued.status, queued.nextSyncAt], ["queued", inHours(24)]);
  pass(25);
  await knowledgeDocuments.syncDue();
  assert.equal((await get(id)).nextSyncAt, queued.nextSyncAt);
  assert.equal((await read(id)).status, "ready");
  assert.equal((await search("What do dogs cost?"))[0]?.text, "Dogs stay for twenty euros a night.");
  assert.equal((await sync(id)).nextSyncAt, inHours(24));
  await read(id);
  const change = async (resyncIntervalHours: unknown) =>
    await server.request("PATCH", `${path}/documents/${id}`, { resyncIntervalHours });
  const stopped = dataOf<KnowledgeDocument>(await change(null));
  assert.deepEqual([stopped.resyncIntervalHours, stopped.nextSyncAt], [null, null]);
  pass(1_000);
  await knowledgeDocuments.syncDue();
  assert.equal((await get(id)).status, "ready");
  for (const hours of [0, 721, 1.5])
    assertRefused(await change(hours), "invalid_body", "resyncIntervalHours");
});

test("an upload has no interval to be read again", async (context) => {
  const { server, base, path } = await openWebsite(context);
  const { id } = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "a.md", content: "Text" }),
    201,
  );
  const change = { resyncIntervalHours: 24 };
  assertRefused(await server.request("PATCH", `${path}/documents/${id}`, change), "document_not_website");
});
