/** For tests of knowledge bases: a server with documents. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import type { KnowledgeBase, KnowledgeDocument } from "@parley/contract";
import { FolderStorage } from "../../platform/object-storage/folder-storage.ts";
import { createTestServer, type TestResponse, type TestServer, type TestServerOptions } from "../testing.ts";

export function dataOf<T>({ status, body }: TestResponse, expected = 200): T {
  const text = JSON.stringify(body);
  assert.equal(status, expected, text);
  const { data }: { data: T } = JSON.parse(text);
  return data;
}

/** A server whose uploads are stored in a folder. No job runs: tests call the indexer. */
export async function openKnowledge(context: TestContext, options: Partial<TestServerOptions> = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-knowledge-"));
  const storage = new FolderStorage({ folder, isShared: true, signingKeys: [], origin: () => "" });
  const server = await createTestServer({ storage, ...options });
  context.after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const createBase = async (name = "Manual"): Promise<KnowledgeBase> =>
    dataOf(await server.request("POST", "/knowledge-bases", { name }), 201);
  return {
    server,
    createBase,
    /** Adds a document and reads it to the end. */
    add: async (baseId: string, name: string, content: string | Uint8Array): Promise<KnowledgeDocument> => {
      const document = dataOf<KnowledgeDocument>(await upload(server, baseId, { name, content }), 201);
      await server.modules.documentIndexer.index(document.id);
      return dataOf(await server.request("GET", `/knowledge-bases/${baseId}/documents/${document.id}`));
    },
    listUploads: async (): Promise<string[]> => {
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      return files.filter((each) => each.isFile()).map(({ name }) => name);
    },
  };
}

export async function upload(
  server: TestServer,
  baseId: string,
  { name, content, apiKey }: { name: string; content: string | Uint8Array; apiKey?: string },
): Promise<TestResponse> {
  const form = new FormData();
  form.append("name", name);
  form.append("document", new Blob([typeof content === "string" ? content : Buffer.from(content)]), "upload");
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
  const body = Buffer.from(await encoded.arrayBuffer());
  return await server.request("POST", `/knowledge-bases/${baseId}/documents`, body, apiKey, headers);
}
