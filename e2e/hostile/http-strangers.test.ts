/** Requests of strangers, and waiting requests, at whole nodes with calls in progress. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, findCall } from "../support/platform/agents.ts";
import { Cluster } from "../support/platform/cluster.ts";
import type { Platform } from "../support/platform/platform.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { openDatabase } from "../../apps/server/src/platform/database/database.ts";
import { waitFor } from "@parley/testing";

/** Four times the size of a node's connection pool. */
const KEYED_REQUESTS = 40;
const POOL_SIZE = 10;
const POLL_INTERVAL_MS = 200;

async function exchange(node: Platform, request: string): Promise<string> {
  const socket = connect(node.httpPort, "127.0.0.1");
  socket.write(request);
  return await text(socket);
}

describe("two nodes with a phone call each", () => {
  let cluster: Cluster;
  const callers: TestCaller[] = [];
  const callIds: string[] = [];

  before(async () => {
    cluster = await Cluster.start(2);
    const settings = { voiceId: null, firstMessage: "Hello.", recordingEnabled: false };
    const { number } = await createAgent(cluster.node(0), settings);
    for (const [index, node] of cluster.nodes.entries()) {
      const from = `+1555094000${index}`;
      callers.push(await TestCaller.call({ sipPort: node.sipPort, number, from }));
      callIds.push((await findCall(node, from))?.id ?? assert.fail());
    }
  });
  after(async () => {
    for (const caller of callers) await caller.close();
    await cluster.stop();
  });

  async function assertCallsGoOn(): Promise<void> {
    for (const node of cluster.nodes) assert.equal(await node.metric("parley_active_calls"), 1);
    for (const id of callIds) {
      const data = await cluster.node(0).api.getCall(id);
      assert.equal(data.endedAt, null);
    }
  }

  test("an absolute-form request for either call reaches no other server, and no call changes", async () => {
    const seen: string[] = [];
    const evil = createServer(({ url = "" }, response) => {
      seen.push(url);
      response.end("secret");
    }).listen(0, "127.0.0.1");
    await once(evil, "listening");
    const { port } = evil.address() as AddressInfo;
    for (const id of callIds) {
      for (const [method, path] of [
        ["POST", `/rtc/calls/${id}`],
        ["DELETE", `/rtc/calls/${id}/session`],
      ]) {
        const head = `${method} http://127.0.0.1:${port}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
        const rest = `Authorization: Bearer ${"t".repeat(43)}\r\nContent-Type: application/sdp\r\nContent-Length: 3\r\n\r\nv=0`;
        assert.match(await exchange(cluster.node(0), head + rest), /^HTTP\/1\.1 401 /);
      }
    }
    assert.deepEqual(seen, []);
    evil.close();
    await assertCallsGoOn();
  });

  test("requests that wait for a frozen node do not block the node that received them", async () => {
    const [asked, frozen] = [cluster.node(0), cluster.node(1)];
    const { $client: database } = await openDatabase(cluster.env["DATABASE_URL"] ?? "", {
      maxConnections: 1,
    });
    frozen.process.kill("SIGSTOP");
    const answers = Array.from({ length: KEYED_REQUESTS }, async (_, index) => {
      const headers = {
        "x-api-key": asked.apiKey,
        "idempotency-key": `key-${index}`,
        "content-type": "application/json",
      };
      const url = `${asked.url}/v1/calls/${callIds[1]}/instructions`;
      const body = JSON.stringify({ instruction: "Offer tea." });
      return (await fetch(url, { method: "POST", headers, body })).status;
    });
    const answered = Promise.all(answers);
    await waitFor("more requests to wait than there are connections, or none to be left", async () => {
      const { rows } = await database.query<{ sent: number; held: number }>(
        `select (select count(*)::int from call_commands) as sent,
          (select count(*)::int from pg_stat_activity
            where application_name = 'parley' and state = 'idle in transaction') as held`,
      );
      const [{ sent, held } = { sent: 0, held: 0 }] = rows;
      return sent > POOL_SIZE || held >= POOL_SIZE;
    });
    const other = await fetch(`${asked.url}/v1/agents`, { headers: { "x-api-key": asked.apiKey } });
    assert.equal(other.status, 200);
    const isAnswered = answered.then(() => true);
    while (!(await Promise.race([isAnswered, sleep(POLL_INTERVAL_MS, false)])))
      assert.equal((await fetch(`${asked.url}/readyz`)).status, 200, "the heartbeat goes on");
    frozen.process.kill("SIGCONT");
    assert.deepEqual([...new Set(await answered)], [409]);
    await database.end();
    await assertCallsGoOn();
  });
});
