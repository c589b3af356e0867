import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conversation, Customer, WidgetCall } from "@parley/contract";
import type { ScriptedChatRequest } from "@parley/providers/testing";
import { assertRefused } from "../contract-conformance.ts";
import { read } from "../messages/testing.ts";
import { createTestServer, type TestServer } from "../testing.ts";
import { PAGE, startWidget, TestPage } from "../widget/testing.ts";

const CALLER = "+14155550123";

/** What an agent would know in a conversation with a number. */
async function recall(
  { modules, database, organizationId }: TestServer,
  agentId: string,
  channel: "phone" | "sms",
) {
  const entry = { kind: "sms" } as const;
  const agent = await modules.agentResolution.resolveAgent(organizationId, agentId, entry);
  const { agentRevision, configurationRevision, environment, variables } = agent;
  const ran = { organizationId, agentId, agentRevision, configurationRevision, environment, variables };
  const { id: conversationId } = await modules.conversations.create(database, { ...ran, channel });
  const { text } = await modules.memory.recall({ conversationId, agent, channel, otherNumber: CALLER });
  return { conversationId, text };
}

const said = (text: string) =>
  ({ id: "1", type: "message", role: "user", text, startMs: 0, endMs: 1 }) as const;

test("a number is remembered over calls and messages only if the agent switches it on", async (t) => {
  const server = await createTestServer();
  t.after(async () => await server.close());
  const { modules, organizationId } = server;
  const { id: agentId } = await modules.agents.create(server, { name: "Ada" });
  const speak = async (conversationId: string): Promise<number> =>
    await modules.conversations.appendItems(conversationId, [said("My name is Ada.")], new Date());
  const off = await recall(server, agentId, "phone");
  await speak(off.conversationId);
  assert.equal((await recall(server, agentId, "sms")).text, undefined);
  const none = read<Customer[]>(await server.request("GET", "/customers"));
  assert.deepEqual(none, []);
  read(await server.request("PATCH", `/agents/${agentId}`, { phoneMemoryEnabled: true }));
  const first = await recall(server, agentId, "phone");
  assert.equal(first.text, undefined);
  await speak(first.conversationId);
  const { text } = await recall(server, agentId, "sms");
  assert.match(text ?? "", /By phone[^]*Other side: My name is Ada\./);
  const { id: otherId } = await modules.agents.create(server, { name: "Bob", phoneMemoryEnabled: true });
  assert.equal((await recall(server, otherId, "sms")).text, undefined);
  const found = read<Customer[]>(
    await server.request("GET", `/customers?agentId=${agentId}&phoneNumber=${encodeURIComponent(CALLER)}`),
  );
  assert.deepEqual(
    found.map(({ phoneNumber, userId }) => [phoneNumber, userId]),
    [[CALLER, null]],
  );
  const conversations = read<Conversation[]>(
    await server.request("GET", `/conversations?customerId=${found[0]?.id}`),
  );
  assert.equal(conversations.length, 2);
  const other = await server.createOrganization();
  const path = `/customers/${found[0]?.id}`;
  assertRefused(await server.request("GET", path, undefined, other.apiKey), "not_found");
  assertRefused(await server.request("DELETE", path, undefined, other.apiKey), "not_found");
  const theirs = await server.request("GET", "/customers", undefined, other.apiKey);
  assert.deepEqual(read(theirs), []);
  assert.equal((await modules.customers.get(organizationId, found[0]?.id ?? "")).phoneNumber, CALLER);
});

test("a deleted customer leaves nothing, and cannot write with the old session", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const platform = await startWidget(
    t,
    {
      reply: (request) => {
        requests.push(request);
        return { text: "Hello." };
      },
    },
    { widgetConfig: { continuity: { sharedMemory: true } } },
  );
  const { server } = platform;
  const page = new TestPage(platform, PAGE);
  await page.start();
  await page.send("I am Rumpelstiltskin.");
  await platform.writeDue();
  const { callId } = read<WidgetCall>(await page.request("POST", "/calls", {}), 201);
  await server.modules.calls.appendItems(callId, [said("Rumpelstiltskin again.")], new Date());
  const [customer] = read<Customer[]>(await server.request("GET", "/customers"));
  const path = `/customers/${customer?.id}`;
  assertRefused(await server.request("DELETE", path), "call_not_ended");
  assert.equal((await page.chat()).messages.length, 2);
  await server.modules.calls.finish(callId, {
    status: "completed",
    endReason: "user_hangup",
    endedAt: new Date(),
  });
  read(await server.request("DELETE", path));
  assertRefused(await server.request("GET", path), "not_found");
  assertRefused(await server.request("GET", `/calls/${callId}`), "not_found");
  const { rows } = await server.database.$client.query("select item from transcript_items");
  assert.deepEqual(rows, []);
  assertRefused(await page.send("Hello?"), "unauthorized");
  assertRefused(await page.request("POST", "/calls", {}), "unauthorized");
  assert.deepEqual((await page.chat()).messages, []);
  // The page starts another session.
  await page.start({ sessionToken: page.token });
  await page.send("Do you know me?");
  await platform.writeDue();
  assert.ok(!JSON.stringify(requests.at(-1)?.messages).includes("Rumpelstiltskin"));
});

test("messages that arrive during a deletion leave nothing, and two deletions at once do not disturb each other", async (t) => {
  const platform = await startWidget(t, { reply: () => ({ text: "Hello." }) });
  const { server } = platform;
  for (let time = 0; time < 5; time++) {
    const page = new TestPage(platform, PAGE);
    await page.start();
    await page.send("one");
    const [customer] = read<Customer[]>(await server.request("GET", "/customers"));
    const erase = async () => await server.request("DELETE", `/customers/${customer?.id}`);
    const [sent, ...erased] = await Promise.all([
      Promise.all(["two", "three", "four"].map(async (text) => await page.send(text))),
      erase(),
      erase(),
    ]);
    for (const { status } of sent) assert.ok([201, 401].includes(status), String(status));
    assert.deepEqual(new Set(erased.map(({ status }) => [200, 404].includes(status))), new Set([true]));
    const { rows } = await server.database.$client.query(
      "select id from customers union all select id from conversations",
    );
    assert.deepEqual(rows, []);
  }
});

test("visitors who only opened a page are forgotten after their session, others are not", async (t) => {
  const platform = await startWidget(t, { reply: () => ({ text: "Hello." }) });
  const { server, advance } = platform;
  const pages = [new TestPage(platform, PAGE), new TestPage(platform, PAGE), new TestPage(platform, PAGE)];
  for (const page of pages) await page.start();
  await pages[0]?.send("Hello");
  await pages[1]?.request("POST", "/calls", {});
  const count = async (): Promise<number> =>
    read<Customer[]>(await server.request("GET", "/customers")).length;
  await server.modules.customers.deleteSilent();
  assert.equal(await count(), 3);
  advance(32 * 24 * 3600_000);
  await server.modules.customers.deleteSilent();
  assert.equal(await count(), 2);
});
