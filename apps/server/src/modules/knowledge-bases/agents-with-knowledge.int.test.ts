/** What agents do with knowledge bases: links, versions, and conversations with the real search. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { Agent, AgentCreation, ConversationDetail, KnowledgeBase } from "@parley/contract";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { FolderStorage } from "../../platform/object-storage/folder-storage.ts";
import { startChats } from "../chats/testing.ts";
import { assertRefused } from "../contract-conformance.ts";
import { dataOf, openKnowledge, upload } from "./testing.ts";

const PETS = "# Pets\n\nDogs stay for twelve euros a night.\n\n# Parking\n\nThe garage costs 18 euros.\n";

test("links are live and versioned, are not restored, and end with their base", async (context) => {
  const { server, createBase } = await openKnowledge(context);
  const { request } = server;
  const [base, other] = [await createBase("A"), await createBase("B")];
  const foreign = await server.createOrganization();
  const stranger = dataOf<KnowledgeBase>(
    await request("POST", "/knowledge-bases", { name: "C" }, foreign.apiKey),
    201,
  );
  const unknown = { name: "Ada", knowledgeBaseIds: [base.id, stranger.id] };
  assertRefused(await request("POST", "/agents", unknown), "invalid_body", "knowledgeBaseIds.1");
  const created = await request("POST", "/agents", { name: "Ada", publishMode: "manual" });
  const { id } = dataOf<Agent>(created, 201);
  const change = async (fields: object) => dataOf<Agent>(await request("PATCH", `/agents/${id}`, fields));
  dataOf(await request("POST", `/agents/${id}/publish`, {}));
  const linked = await change({ knowledgeBaseIds: [other.id, base.id, base.id] });
  assert.deepEqual(linked.knowledgeBaseIds, [other.id, base.id]);
  assert.equal(linked.hasUnpublishedChanges, false);
  const agent = await server.modules.agentResolution.resolveAgent(server.organizationId, id, {
    kind: "outbound_call",
    environment: null,
  });
  assert.deepEqual(agent?.document.knowledgeBaseIds, [other.id, base.id]);
  const restored = dataOf<{ agent: Agent; notRestored: string[] }>(
    await request("POST", `/agents/${id}/revisions/1/restore`),
  );
  assert.deepEqual(restored.notRestored, ["knowledgeBases"]);
  assert.deepEqual(restored.agent.knowledgeBaseIds, [other.id, base.id]);
  dataOf(await request("DELETE", `/knowledge-bases/${other.id}`));
  const left = dataOf<Agent>(await request("GET", `/agents/${id}`));
  assert.deepEqual(left.knowledgeBaseIds, [base.id]);
  const { data: versions } = (await request("GET", `/agents/${id}/revisions`)).body as {
    data: { changedFields: string[] }[];
  };
  assert.deepEqual(versions[0]?.changedFields, ["knowledgeBaseIds"]);
});

/** A chat with an agent that has one document. */
async function chatAbout(
  context: Parameters<typeof startChats>[0],
  fields: Partial<AgentCreation>,
  reply: (request: ScriptedChatRequest) => ScriptedChatReply,
) {
  const requests: ScriptedChatRequest[] = [];
  const folder = await mkdtemp(path.join(tmpdir(), "parley-knowledge-"));
  context.after(async () => await rm(folder, { recursive: true, force: true }));
  const storage = new FolderStorage({ folder, isShared: true, signingKeys: [], origin: () => "" });
  const answer = (request: ScriptedChatRequest) => {
    requests.push(request);
    return reply(request);
  };
  const chats = await startChats(context, { reply: answer }, {}, { storage });
  const { server, agentId } = chats;
  const base = dataOf<KnowledgeBase>(
    await server.request("POST", "/knowledge-bases", { name: "House" }),
    201,
  );
  const { id: documentId } = dataOf<{ id: string }>(
    await upload(server, base.id, { name: "house.md", content: PETS }),
    201,
  );
  await server.modules.documentIndexer.index(documentId);
  dataOf(await server.request("PATCH", `/agents/${agentId}`, { ...fields, knowledgeBaseIds: [base.id] }));
  // The first search of a process loads the model, which a reply may not wait for.
  dataOf(await server.request("POST", `/knowledge-bases/${base.id}/search`, { query: "warm" }));
  const chat = await chats.startChat();
  await chats.send(chat.id, "May I bring my dog?");
  await chats.writeDue();
  const found = dataOf<ConversationDetail>(await server.request("GET", `/conversations/${chat.id}`));
  return { requests, transcript: found.transcript, documentId, baseId: base.id };
}

test("in the mode automatic the model is given what fits, and the transcript shows it", async (context) => {
  const { requests, transcript, documentId, baseId } = await chatAbout(
    context,
    { knowledgeBaseChunks: 1, knowledgeBaseSimilarityThreshold: 0.2 },
    () => ({ text: "Yes, for twelve euros." }),
  );
  const sent = JSON.stringify(requests[0]?.messages);
  assert.match(sent, /Passages of documents/);
  assert.match(sent, /Dogs stay for twelve euros a night/);
  assert.doesNotMatch(sent, /garage/);
  const item = transcript.find(({ role }) => role === "agent");
  assert.equal(item?.text, "Yes, for twelve euros.");
  assert.equal(item.knowledge?.length, 1);
  assert.partialDeepStrictEqual(item.knowledge[0], {
    knowledgeBaseId: baseId,
    documentId,
    documentName: "house.md",
    heading: "Pets",
    text: "Dogs stay for twelve euros a night.",
  });
});

test("what does not pass the threshold is not given", async (context) => {
  const { requests, transcript } = await chatAbout(context, { knowledgeBaseSimilarityThreshold: 1 }, () => ({
    text: "I do not know.",
  }));
  assert.doesNotMatch(JSON.stringify(requests[0]?.messages), /Passages of documents/);
  assert.equal(transcript.find(({ role }) => role === "agent")?.knowledge, undefined);
});

test("in the mode off nothing is searched, and in the mode tool the model may search", async (context) => {
  const off = await chatAbout(context, { knowledgeBaseRetrievalMode: "off" }, () => ({
    text: "I do not know.",
  }));
  assert.doesNotMatch(JSON.stringify(off.requests[0]), /Passages of documents|search_knowledge/);
  const tool = await chatAbout(context, { knowledgeBaseRetrievalMode: "tool" }, (request) =>
    request.messages.some(({ role }) => role === "tool")
      ? { text: "Yes, for twelve euros." }
      : { toolCalls: [{ name: "search_knowledge", input: { query: "price of dogs" } }] },
  );
  const result = tool.transcript.find(({ type }) => type === "tool_result");
  assert.match(result?.text ?? "", /house\.md.*Pets.*Dogs stay for twelve euros/);
  assert.equal(tool.transcript.at(-1)?.text, "Yes, for twelve euros.");
});
