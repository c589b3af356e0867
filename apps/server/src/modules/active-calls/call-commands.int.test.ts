import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { PostgresBus } from "../../platform/bus/postgres-bus.ts";
import { inJointTransaction } from "../../platform/database/joint-transaction.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { type TestServer, createTestServer, openTestCall } from "../testing.ts";
import type { CallCommand, CallCommandAnswer, LocalCalls } from "./call-command.ts";
import { CallCommands } from "./call-commands.ts";

const logger = createLogger({ level: "silent" });
const clock = { now: () => new Date() };
const command = { type: "instruct", text: "Offer tea.", speak: false } as const;

/** A node with an active call, and what becomes of commands for it. */
interface LocalCall {
  nodeId: string;
  callId: string;
  answer: (command: CallCommand) => Promise<CallCommandAnswer>;
}

async function setUp(context: TestContext) {
  const server = await createTestServer();
  const ends: (() => Promise<void> | void)[] = [];
  context.after(async () => {
    for (const end of ends.reverse()) await end();
    await server.close();
  });
  const openNode = async (localCall?: LocalCall): Promise<CallCommands> => {
    const { database, connectionString } = server;
    const bus = await PostgresBus.start({ database, connectionString, logger });
    ends.push(async () => await bus.close());
    const { nodeId = randomUUID(), callId, answer } = localCall ?? {};
    const localCalls: LocalCalls = {
      carryOut: (id, asked) => (id === callId ? answer?.(asked) : undefined),
      findLocal: (id) =>
        id === callId ? { nodeId, organizationId: server.organizationId, isInProgress: true } : undefined,
    };
    const commands = new CallCommands({ nodeId, database, bus, clock, localCalls, logger });
    commands.start();
    ends.push(() => commands.close());
    return commands;
  };
  return { server, openNode };
}

async function openCall(server: TestServer): Promise<{ id: string; nodeId: string }> {
  const nodeId = randomUUID();
  return { id: (await openTestCall(server, { nodeId })).callId, nodeId };
}

async function countCommands(server: TestServer): Promise<number> {
  return (await server.database.$client.query("select 1 from call_commands")).rowCount ?? 0;
}

test("a command reaches the call's node, and its answer comes back", async (context) => {
  const { server, openNode } = await setUp(context);
  const call = await openCall(server);
  const asked: CallCommand[] = [];
  await openNode({
    nodeId: call.nodeId,
    callId: call.id,
    answer: async (each) => (asked.push(each) === 1 ? "done" : "refused"),
  });
  const other = await openNode();
  assert.equal(await other.send(call, command), "done");
  assert.equal(await other.send(call, { type: "hangUp" }), "refused");
  assert.deepEqual(asked, [command, { type: "hangUp" }]);
  assert.equal(await countCommands(server), 0);
});

test("a command for a call of this node needs no database", async (context) => {
  const { server, openNode } = await setUp(context);
  const call = await openCall(server);
  const own = await openNode({ nodeId: call.nodeId, callId: call.id, answer: async () => "done" });
  assert.equal(own.findLocal(call.id)?.nodeId, call.nodeId);
  assert.equal(await own.send(call, command), "done");
  assert.equal(own.findLocal(randomUUID()), undefined);
});

test("a node that no longer has the call refuses the command", async (context) => {
  const { server, openNode } = await setUp(context);
  const call = await openCall(server);
  await openNode({ nodeId: call.nodeId, callId: randomUUID(), answer: async () => "done" });
  assert.equal(await (await openNode()).send(call, command), "refused");
});

test("a command that its node does not receive is withdrawn and never carried out later", async (context) => {
  const { server, openNode } = await setUp(context);
  const call = await openCall(server);
  assert.equal(await (await openNode()).send(call, command), "unreachable");
  assert.equal(await countCommands(server), 0);
});

test("a node reads the commands that it missed when it reconnects", async (context) => {
  const { server, openNode } = await setUp(context);
  const call = await openCall(server);
  const { promise: carriedOut, resolve } = Promise.withResolvers<CallCommand>();
  await openNode({
    nodeId: call.nodeId,
    callId: call.id,
    answer: async (each) => {
      resolve(each);
      return "done";
    },
  });
  // Simulates a lost message.
  await server.database.$client.query(
    "insert into call_commands (call_id, node_id, command, deadline_at) values ($1, $2, $3, $4), ($1, $2, $5, $6)",
    [
      call.id,
      call.nodeId,
      JSON.stringify({ ...command, text: "too late" }),
      new Date(Date.now() - 1),
      JSON.stringify(command),
      new Date(Date.now() + 60_000),
    ],
  );
  await server.database.execute(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley-bus' and datname = current_database()",
  );
  assert.deepEqual(await carriedOut, command);
});

test("a command inside a transaction is refused, for this node and for another", async (context) => {
  const { server, openNode } = await setUp(context);
  const call = await openCall(server);
  const owner = await openNode({ nodeId: call.nodeId, callId: call.id, answer: async () => "done" });
  for (const node of [owner, await openNode()]) {
    const sending = inJointTransaction(server.database, async () => await node.send(call, command));
    await assert.rejects(sending, /must not be waited for inside a database transaction/);
  }
});
