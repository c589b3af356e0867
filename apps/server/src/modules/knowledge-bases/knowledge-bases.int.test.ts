/** Knowledge bases by the API: documents, their passages, and the search in them with the real model. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KnowledgeBase, KnowledgeDocument, KnowledgePassage } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { createTestDatabase } from "../../platform/database/testing.ts";
import { Jobs } from "../../platform/jobs/jobs.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { assertRefused } from "../contract-conformance.ts";
import { indexDocumentJob } from "./knowledge-bases.jobs.ts";
import { dataOf, openKnowledge, upload } from "./testing.ts";

const HANDBOOK = `# Blue Harbor Hotel

Check-in begins at three in the afternoon.

## Pets

Dogs stay for twelve euros a night. Cats are not allowed.

## Parking

| Place | Price |
|---|---|
| Garage | 18 euros |
| Yard | free |

## Codes

The gate's maintenance code is QX-7731.
`;

test("a document is read, found by meaning and by words with its source, renamed and deleted", async (context) => {
  const { server, createBase, add, listUploads } = await openKnowledge(context);
  const base = await createBase();
  const document = await add(base.id, "handbook.md", HANDBOOK);
  assert.deepEqual(
    [document.type, document.status, document.statusReason, document.passages, document.embeddedPassages],
    ["markdown", "ready", null, 4, 4],
  );
  assert.deepEqual(await listUploads(), []);
  const search = async (query: string, options: object = {}) =>
    dataOf<KnowledgePassage[]>(
      await server.request("POST", `/knowledge-bases/${base.id}/search`, { query, ...options }),
    );
  const [pets] = await search("May I bring my puppy?");
  assert.equal(pets?.heading, "Blue Harbor Hotel › Pets");
  assert.equal(pets?.text, "Dogs stay for twelve euros a night. Cats are not allowed.");
  assert.deepEqual(
    [pets?.documentId, pets?.documentName, pets?.page, pets?.row, pets?.url],
    [document.id, "handbook.md", null, null, null],
  );
  const [parking] = await search("What does it cost to leave a car?");
  assert.equal(parking?.text, "Place: Garage; Price: 18 euros\nPlace: Yard; Price: free");
  // A word without meaning for the model.
  const [code] = await search("QX-7731");
  assert.match(code?.text ?? "", /QX-7731/);
  assert.equal((await search("May I bring my puppy?", { limit: 2 })).length, 2);
  assert.deepEqual(await search("May I bring my puppy?", { threshold: 1 }), []);
  const path = `/knowledge-bases/${base.id}/documents/${document.id}`;
  assert.equal(
    dataOf<KnowledgeDocument>(await server.request("PATCH", path, { name: "house.md" })).name,
    "house.md",
  );
  assert.equal((await search("dogs"))[0]?.documentName, "house.md");
  const listed = (await server.request("GET", `${path}/passages?page=2&pageSize=2`)).body;
  assert.partialDeepStrictEqual(listed, {
    data: [
      {
        heading: "Blue Harbor Hotel › Parking",
        text: parking?.text,
        isEmbedded: true,
        page: null,
        url: null,
      },
      { heading: "Blue Harbor Hotel › Codes" },
    ],
    total: 4,
    hasNextPage: false,
  });
  const known = dataOf<KnowledgeBase>(await server.request("GET", `/knowledge-bases/${base.id}`));
  assert.deepEqual([known.documents, known.passages], [1, 4]);
  const second = await add(base.id, "more.txt", "Breakfast is served from seven.");
  assert.equal((await search("When can I eat in the morning?"))[0]?.documentId, second.id);
  dataOf(await server.request("DELETE", path));
  assert.deepEqual(
    (await search("dogs")).map(({ documentId }) => documentId),
    [second.id],
  );
  dataOf(await server.request("DELETE", `/knowledge-bases/${base.id}`));
  assertRefused(
    await server.request("POST", `/knowledge-bases/${base.id}/search`, { query: "dogs" }),
    "not_found",
  );
});

test("two uploads of one file at once are two documents, and a search gives each passage once", async (context) => {
  const { server, createBase } = await openKnowledge(context);
  const base = await createBase();
  const file = { name: "handbook.md", content: HANDBOOK };
  const answers = await Promise.all([upload(server, base.id, file), upload(server, base.id, file)]);
  const ids = answers.map((answer) => dataOf<KnowledgeDocument>(answer, 201).id);
  assert.equal(new Set(ids).size, 2);
  for (const id of ids) await server.modules.documentIndexer.index(id);
  const found = dataOf<KnowledgePassage[]>(
    await server.request("POST", `/knowledge-bases/${base.id}/search`, { query: "dogs", limit: 4 }),
  );
  assert.equal(new Set(found.map(({ text }) => text)).size, 4);
  assert.equal(found.length, 4);
});

test("other organizations reach neither bases nor passages, and keys that read search but write nothing", async (context) => {
  const { server, createBase, add } = await openKnowledge(context);
  const base = await createBase();
  const document = await add(base.id, "handbook.md", HANDBOOK);
  const foreign = await server.createOrganization();
  const path = `/knowledge-bases/${base.id}`;
  for (const [method, url, body] of [
    ["GET", path, undefined],
    ["PATCH", path, { name: "Mine" }],
    ["DELETE", path, undefined],
    ["POST", `${path}/search`, { query: "dogs" }],
    ["GET", `${path}/documents`, undefined],
    ["GET", `${path}/documents/${document.id}`, undefined],
    ["PATCH", `${path}/documents/${document.id}`, { name: "Mine" }],
    ["GET", `${path}/documents/${document.id}/passages`, undefined],
    ["DELETE", `${path}/documents/${document.id}`, undefined],
  ] as const)
    assertRefused(await server.request(method, url, body, foreign.apiKey), "not_found");
  const sent = { name: "x.txt", content: "x", apiKey: foreign.apiKey };
  assertRefused(await upload(server, base.id, sent), "not_found");
  const stolen = { knowledgeBaseIds: [base.id], query: "dogs", limit: 5, threshold: 0 };
  const { organizationId } = foreign;
  assert.deepEqual(await server.modules.knowledgeSearch.search({ organizationId, ...stolen }, 20_000), []);
  const { key } = await server.modules.apiKeys.create(server.organizationId, "reader", null, {
    role: "read",
  });
  dataOf(await server.request("POST", `${path}/search`, { query: "dogs" }, key));
  assertRefused(await server.request("POST", "/knowledge-bases", { name: "x" }, key), "forbidden");
});

test("limits of an organization name what is full", async (context) => {
  const { server, createBase, add } = await openKnowledge(context);
  const base = await createBase();
  await server.modules.organizationLimits.override(server.database, server.organizationId, {
    knowledgeBases: 1,
    knowledgePassages: 2,
    knowledgeDocuments: 1,
  });
  assertRefused(await server.request("POST", "/knowledge-bases", { name: "x" }), "limit_reached");
  const document = await add(base.id, "handbook.md", HANDBOOK);
  assert.equal(document.status, "failed");
  assert.match(document.statusReason ?? "", /4 passages.*limit of 2.*knowledgePassages/);
  assertRefused(await upload(server, base.id, { name: "x.txt", content: "x" }), "limit_reached");
});

test("a document that is deleted while it waits or is read leaves nothing", async (context) => {
  const { server, createBase, listUploads } = await openKnowledge(context);
  const { documentIndexer } = server.modules;
  const base = await createBase();
  const send = async () =>
    dataOf<KnowledgeDocument>(await upload(server, base.id, { name: "a.md", content: HANDBOOK }), 201);
  const waiting = await send();
  dataOf(await server.request("DELETE", `/knowledge-bases/${base.id}/documents/${waiting.id}`));
  await documentIndexer.index(waiting.id);
  const read = await send();
  const indexing = documentIndexer.index(read.id);
  dataOf(await server.request("DELETE", `/knowledge-bases/${base.id}/documents/${read.id}`));
  await indexing;
  await documentIndexer.index(read.id);
  assert.deepEqual(await listUploads(), []);
  const { rows } = await server.database.execute("select count(*)::int as count from knowledge_passages");
  assert.deepEqual(rows, [{ count: 0 }]);
});

test("two workers on one document store its passages once", async (context) => {
  const { server, createBase } = await openKnowledge(context);
  const base = await createBase();
  const { id } = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "a.md", content: HANDBOOK }),
    201,
  );
  const { documentIndexer } = server.modules;
  // The slower one may find that the upload is gone; its job is repeated then.
  await Promise.allSettled([documentIndexer.index(id), documentIndexer.index(id)]);
  await documentIndexer.index(id);
  const { rows } = await server.database.execute("select count(*)::int as count from knowledge_passages");
  assert.deepEqual(rows, [{ count: 4 }]);
});

test("a node that starts later finishes the document that another one began", async (context) => {
  const testDatabase = await createTestDatabase();
  const { connectionString } = testDatabase;
  const logger = createLogger({ level: "silent" });
  const first = await Jobs.start({ connectionString, logger });
  const { server, createBase } = await openKnowledge(context, { testDatabase, jobs: first });
  const { documentIndexer } = server.modules;
  const kind = indexDocumentJob(documentIndexer);
  const began = Promise.withResolvers<void>();
  await first.work({
    ...kind,
    run: async () => {
      began.resolve();
      return await Promise.reject(new Error("the node ends"));
    },
  });
  const base = await createBase();
  const { id } = dataOf<KnowledgeDocument>(
    await upload(server, base.id, { name: "a.md", content: HANDBOOK }),
    201,
  );
  await began.promise;
  await first.close();
  const second = await Jobs.start({ connectionString, logger });
  await second.work(kind);
  await waitFor("the document", async () => {
    const path = `/knowledge-bases/${base.id}/documents/${id}`;
    return dataOf<KnowledgeDocument>(await server.request("GET", path)).status === "ready";
  });
  await second.close();
});
