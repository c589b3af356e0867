import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationDetail, ProviderFailure, ProviderState } from "@parley/contract";
import { ProviderError } from "@parley/conversation";
import { startScriptedAnthropic, startScriptedOpenAi } from "@parley/providers/testing";
import { sql } from "drizzle-orm";
import { read } from "../messages/testing.ts";
import { startChats } from "./testing.ts";

test("a model that fails is passed over for a while, also by other chats of the organization", async (t) => {
  let failed = 0;
  const reply = () => ({ text: "Hello." });
  const failing = await startScriptedOpenAi({
    reply,
    fault: () => {
      failed += 1;
      return { type: "status", status: 500 };
    },
  });
  const other = await startScriptedAnthropic({ reply: () => ({ text: "The other one." }) });
  t.after(async () => {
    await failing.close();
    await other.close();
  });
  const { server, startChat, send, writeDue, transcript } = await startChats(
    t,
    { reply },
    {},
    {
      providerVariables: {
        PARLEY_LLM_BASE_URL: `${failing.url}/v1`,
        PARLEY_LLM_MODEL: "scripted",
        PARLEY_LLM_FALLBACK: "anthropic/claude-sonnet-4-5",
        ANTHROPIC_BASE_URL: `${other.url}/v1`,
        ANTHROPIC_API_KEY: "key",
      },
    },
  );
  const failuresOf = async (id: string) =>
    read<ConversationDetail>(await server.request("GET", `/conversations/${id}`)).providerFailures;
  const attempts: number[] = [];
  const recorded: ProviderFailure[][] = [];
  for (let time = 0; time < 5; time++) {
    const before = failed;
    const { id } = await startChat();
    await send(id, "Hello?");
    await writeDue();
    assert.deepEqual((await transcript(id)).at(-1), ["agent", "The other one."]);
    attempts.push(failed - before);
    recorded.push(await failuresOf(id));
  }
  assert.ok((attempts[0] ?? 0) > 0);
  assert.deepEqual(attempts.slice(3), [0, 0]);
  assert.deepEqual(
    recorded.map(({ length }) => length),
    attempts,
  );
  const first = recorded[0]?.at(-1);
  assert.deepEqual([first?.part, first?.kind], ["llm", "status"]);
  assert.match(first?.provider ?? "", /^openai-compatible.*scripted$/);
  assert.match(first?.takenOverBy ?? "", /^anthropic/);
  const providers = read<ProviderState[]>(await server.request("GET", "/providers"));
  const health = providers.find(({ id }) => id === "openai-compatible");
  assert.equal(health?.failuresLastHour, failed);
  const foreign = await server.createOrganization();
  const theirs = read<ProviderState[]>(await server.request("GET", "/providers", undefined, foreign.apiKey));
  assert.ok(theirs.every(({ lastFailure }) => lastFailure === null));
});

test("a chat whose last model fails names it on its record, at most a hundred times, and loses it with the conversation", async (t) => {
  const { server, startChat, send, writeDue } = await startChats(t, {
    reply: () => ({ text: "Hello." }),
    fault: () => ({ type: "status", status: 401 }),
  });
  const { id } = await startChat();
  await send(id, "Hello?");
  await writeDue();
  const url = `/conversations/${id}`;
  const listFailures = async () =>
    read<ConversationDetail>(await server.request("GET", url)).providerFailures;
  const [failure] = await listFailures();
  assert.deepEqual([failure?.kind, failure?.takenOverBy], ["status", null]);
  const { conversations } = server.modules;
  const many = Array.from({ length: 150 }, () => ({
    id: crypto.randomUUID(),
    at: new Date().toISOString(),
    part: "llm" as const,
    provider: "openai-compatible/scripted",
    kind: "timeout" as const,
    message: `\0${"x".repeat(1_000)}`,
    takenOverBy: null,
  }));
  await conversations.recordProviderFailures(id, many);
  await conversations.recordProviderFailures(id, many);
  const all = await listFailures();
  const longest = Math.max(...all.map(({ message }) => message.length));
  assert.deepEqual([all.length, longest], [100, 500]);
  read(await server.request("DELETE", url));
  const { rows } = await server.database.execute(sql`select 1 from conversation_failures`);
  assert.deepEqual(rows, []);
  // A reply that ends after the deletion is not disturbed.
  const late = server.modules.replyFailures.open(id);
  late.noteEnd(new ProviderError({ provider: "x/y", kind: "timeout", message: "late", isRetryable: true }));
  await late.store();
});
