/** Knowledge bases that a server embeds in place of the local model. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { KnowledgeBase, KnowledgeDocument, KnowledgePassage } from "@parley/contract";
import { type ScriptedEmbeddingsOptions, startScriptedEmbeddings } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { createTestDatabase } from "../../platform/database/testing.ts";
import { assertRefused } from "../contract-conformance.ts";
import type { TestServerOptions } from "../testing.ts";
import { dataOf, openKnowledge, upload } from "./testing.ts";

const PETS = "# Pets\n\nDogs stay for twelve euros a night.\n\n# Parking\n\nThe garage costs 18 euros.\n";

async function startEmbeddings(context: TestContext, options: ScriptedEmbeddingsOptions = {}) {
  const server = await startScriptedEmbeddings(options);
  context.after(async () => await server.close());
  return server;
}

/** The operator's configuration. */
function embeddedBy(
  { url }: { url: string },
  model = "embed-1",
): Pick<TestServerOptions, "providerVariables"> {
  return {
    providerVariables: { PARLEY_EMBEDDINGS_BASE_URL: `${url}/v1`, PARLEY_EMBEDDINGS_MODEL: model },
  };
}

async function openBase(context: TestContext, options: Partial<TestServerOptions>) {
  const opened = await openKnowledge(context, options);
  const base = await opened.createBase();
  const documentsOf = async (): Promise<KnowledgeDocument[]> =>
    dataOf(await opened.server.request("GET", `/knowledge-bases/${base.id}/documents`));
  const search = async (query: string): Promise<KnowledgePassage[]> =>
    dataOf(await opened.server.request("POST", `/knowledge-bases/${base.id}/search`, { query }));
  /** As a conversation searches. */
  const searchInHurry = async (query: string): Promise<KnowledgePassage[]> =>
    await opened.server.modules.knowledgeSearch.search(
      {
        organizationId: opened.server.organizationId,
        knowledgeBaseIds: [base.id],
        query,
        limit: 1,
        threshold: 0.3,
        isHurried: true,
      },
      10_000,
    );
  return { ...opened, base, documentsOf, search, searchInHurry };
}

test("a server embeds passages and questions, and the base names its model", async (context) => {
  const embeddings = await startEmbeddings(context);
  const { base, add, search } = await openBase(context, embeddedBy(embeddings));
  assert.equal(base.embeddingModel, "openai-compatible/embed-1");
  const document = await add(base.id, "hotel.md", PETS);
  assert.deepEqual([document.status, document.embeddedPassages], ["ready", 2]);
  const [best] = await search("The garage costs");
  assert.equal(best?.heading, "Parking");
  assert.deepEqual(
    embeddings.requests.map(({ model, texts }) => [model, texts.length]),
    [
      ["embed-1", 2],
      ["embed-1", 1],
    ],
  );
  await search("The garage costs");
  assert.equal(embeddings.requests.length, 2, "a question that is repeated is not asked again");
});

test("a server that refuses keeps the document waiting with the reason, and the next attempt continues", async (context) => {
  let isDown = true;
  const embeddings = await startEmbeddings(context, {
    fault: () => (isDown ? { status: 401, body: '{"error":{"message":"Incorrect API key"}}' } : undefined),
  });
  const { server, base, documentsOf } = await openBase(context, embeddedBy(embeddings));
  const { id } = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "a.md", content: PETS }),
    201,
  );
  await assert.rejects(server.modules.documentIndexer.index(id), /401/);
  const [waiting] = await documentsOf();
  assert.equal(waiting?.status, "processing");
  assert.match(waiting.statusReason ?? "", /^The passages are not embedded yet: .*401: .*Incorrect API key/);
  isDown = false;
  await server.modules.documentIndexer.index(id);
  const [ready] = await documentsOf();
  assert.deepEqual([ready?.status, ready?.statusReason, ready?.embeddedPassages], ["ready", null, 2]);
});

test("a document that the server refuses for three days fails with the reason", async (context) => {
  let now = new Date();
  const embeddings = await startEmbeddings(context, { fault: () => ({ status: 400, body: "too odd" }) });
  const { server, base, documentsOf } = await openBase(context, {
    ...embeddedBy(embeddings),
    clock: { now: () => now },
  });
  const { id } = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "a.md", content: PETS }),
    201,
  );
  await assert.rejects(server.modules.documentIndexer.index(id), /400/);
  now = new Date(now.getTime() + 71 * 3_600_000);
  await assert.rejects(server.modules.documentIndexer.index(id), /400/);
  now = new Date(now.getTime() + 2 * 3_600_000);
  await server.modules.documentIndexer.index(id);
  const [failed] = await documentsOf();
  assert.equal(failed?.status, "failed");
  assert.match(failed.statusReason ?? "", /^It was tried for three days: .*400.*too odd/);
});

test("a refusal with characters that PostgreSQL does not store is stored without them", async (context) => {
  const embeddings = await startEmbeddings(context, {
    // The message is cut within the last character.
    fault: () => ({ status: 401, body: `\0bad key${"x".repeat(191)}😀` }),
  });
  const { server, base, documentsOf } = await openBase(context, embeddedBy(embeddings));
  const { id } = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "a.md", content: PETS }),
    201,
  );
  await assert.rejects(server.modules.documentIndexer.index(id), /401/);
  const [waiting] = await documentsOf();
  assert.match(waiting?.statusReason ?? "", /status 401: bad keyx+/);
});

test("without the server, conversations search by words, and the API says why it cannot search", async (context) => {
  let isDown = false;
  const embeddings = await startEmbeddings(context, {
    fault: () => (isDown ? { status: 503 } : undefined),
  });
  const { server, base, add, searchInHurry } = await openBase(context, embeddedBy(embeddings));
  await add(base.id, "hotel.md", PETS);
  isDown = true;
  const [found] = await searchInHurry("Is there a garage?");
  assert.equal(found?.heading, "Parking");
  const asked = embeddings.requests.length;
  assert.equal((await searchInHurry("And the dogs?"))[0]?.heading, "Pets");
  assert.equal(embeddings.requests.length, asked, "a server that has just failed is not asked");
  const refused = await server.request("POST", `/knowledge-bases/${base.id}/search`, { query: "garage" });
  assertRefused(refused, "capacity_exceeded");
  assert.match(JSON.stringify(refused.body), /status 503/);
});

test("after a change of the model, documents are embedded again, and found by words until then", async (context) => {
  const database = await createTestDatabase();
  const testDatabase = { ...database, close: async () => await Promise.resolve() };
  const embeddings = await startEmbeddings(context);
  const before = await openBase(context, { testDatabase, ...embeddedBy(embeddings) });
  const { base, server } = before;
  await before.add(base.id, "hotel.md", PETS);
  const { apiKey } = server;
  // A node with another model on the same database.
  const longer = await startEmbeddings(context, { dimensions: () => 32 });
  const after = await openKnowledge(context, {
    testDatabase,
    ...embeddedBy(longer, "embed-2"),
  });
  // After both nodes.
  context.after(async () => await database.close());
  const request = async (method: "GET" | "POST", route: string, body?: object) =>
    await after.server.request(method, route, body, apiKey);
  const find = async (): Promise<KnowledgePassage[]> =>
    dataOf(await request("POST", `/knowledge-bases/${base.id}/search`, { query: "the garage", limit: 1 }));
  const documentsOf = async (): Promise<KnowledgeDocument[]> =>
    dataOf(await request("GET", `/knowledge-bases/${base.id}/documents`));
  await after.server.modules.documentIndexer.embedAgain();
  await after.server.modules.documentIndexer.embedAgain();
  const [waiting] = await documentsOf();
  assert.deepEqual([waiting?.status, waiting?.embeddedPassages, waiting?.passages], ["processing", 0, 2]);
  assert.equal((await find())[0]?.heading, "Parking");
  await after.server.modules.documentIndexer.index(waiting?.id ?? "");
  const [ready] = await documentsOf();
  assert.deepEqual([ready?.status, ready?.embeddedPassages], ["ready", 2]);
  assert.equal((await find())[0]?.heading, "Parking");
  assert.deepEqual(longer.requests[1], { model: "embed-2", texts: longer.requests[1]?.texts ?? [] });
  const [shown] = dataOf<KnowledgeBase[]>(await request("GET", "/knowledge-bases"));
  assert.equal(shown?.embeddingModel, "openai-compatible/embed-2");
  // Those that are up to date are left alone.
  await after.server.modules.documentIndexer.embedAgain();
  assert.equal((await documentsOf())[0]?.status, "ready");
});

test("words find no passage of a document that is not ready yet", async (context) => {
  let isDown = false;
  const embeddings = await startEmbeddings(context, {
    fault: () => (isDown ? { status: 503 } : undefined),
  });
  const { server, base, add, searchInHurry } = await openBase(context, embeddedBy(embeddings));
  await add(base.id, "hotel.md", "# Parking\n\nThe garage costs 18 euros.\n");
  isDown = true;
  const sections = Array.from(
    { length: 6 },
    (_, at) => `# Garage ${at}\n\nThe draft garage costs ${at} euros.\n`,
  );
  const { id } = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "draft.md", content: sections.join("\n") }),
    201,
  );
  await assert.rejects(server.modules.documentIndexer.index(id), /503/);
  const [found] = await searchInHurry("What does the draft garage cost?");
  assert.equal(found?.documentName, "hotel.md");
});

test("a question is compared with the vectors of its length when the server changes its model", async (context) => {
  let dimensions = 8;
  const embeddings = await startEmbeddings(context, { dimensions: () => dimensions });
  const { base, add, search } = await openBase(context, embeddedBy(embeddings));
  await add(base.id, "hotel.md", PETS);
  dimensions = 32;
  await add(base.id, "pool.md", "# Swimming\n\nThe pool opens at seven in the morning.\n");
  // All of them are stop words, which the index of words leaves out.
  const [best] = await search("at in the");
  assert.deepEqual([best?.heading, (best?.score ?? 0) > 0.4], ["Swimming", true]);
  assert.equal((await search("garage"))[0]?.heading, "Parking");
});

test("a question that the server refuses does not keep it from those of others", async (context) => {
  let isRefused = false;
  const embeddings = await startEmbeddings(context, {
    fault: () => (isRefused ? { status: 400, body: "too long" } : undefined),
  });
  const { base, add, searchInHurry } = await openBase(context, embeddedBy(embeddings));
  await add(base.id, "hotel.md", PETS);
  isRefused = true;
  assert.equal((await searchInHurry("garage garage"))[0]?.heading, "Parking");
  isRefused = false;
  const asked = embeddings.requests.length;
  assert.equal((await searchInHurry("And the dogs?"))[0]?.heading, "Pets");
  assert.equal(embeddings.requests.length, asked + 1);
});

test("a conversation does not wait as long as the API for the vector of the same question", async (context) => {
  let isStalled = false;
  const embeddings = await startEmbeddings(context, { fault: () => (isStalled ? "stall" : undefined) });
  const { base, add, server, searchInHurry } = await openBase(context, embeddedBy(embeddings));
  await add(base.id, "hotel.md", PETS);
  isStalled = true;
  const ended: string[] = [];
  const query = "Is there a garage?";
  const asked = server.request("POST", `/knowledge-bases/${base.id}/search`, { query });
  const api = asked.then(() => ended.push("API"));
  await waitFor("the API's question", () => embeddings.requests.length === 2);
  const [found] = await searchInHurry(query);
  ended.push("conversation");
  await api;
  assert.equal(found?.heading, "Parking");
  assert.deepEqual(ended, ["conversation", "API"]);
});
