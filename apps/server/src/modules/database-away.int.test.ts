/** Answers of the API while its PostgreSQL is stopped. */
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import { createStoppableTestDatabase } from "../platform/database/testing.ts";
import { assertRefused, conflicts, operations, ContractConformance } from "./contract-conformance.ts";
import { Resources } from "./contract-resources.ts";

const ERROR_LEVEL = 50;

/** What a node knows without its database, for a key that it has seen. Voices, models and languages depend on its keys at providers. */
const KNOWN_TO_THE_NODE = new Set(["getAccess"]);

interface LogLine {
  level: number;
  msg: string;
}

async function setUp(context: TestContext) {
  const testDatabase = await createStoppableTestDatabase();
  const lines: LogLine[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const startedAt = new Date();
  const conformance = await ContractConformance.start({
    testDatabase,
    // What is known of a key expires after 30 s, and a busy machine takes longer for all operations.
    clock: { now: () => startedAt },
    logger: pino({ level: "info" }, destination),
  });
  context.after(async () => await conformance.close());
  const resources = await Resources.create(conformance, conformance.server);
  return { conformance, resources, testDatabase, lines };
}

test("during a database outage every operation answers 503 with Retry-After, and works again afterwards", async (t) => {
  const { conformance, resources, testDatabase, lines } = await setUp(t);
  // One key is cached by this node, the other is not.
  const { apiKey: known } = conformance.server;
  const { apiKey: unseen } = await conformance.server.createOrganization();
  await testDatabase.stop();
  for (const operation of operations) {
    for (const apiKey of [known, unseen]) {
      const body = resources.bodyFor(operation);
      const answer = await conformance.send(operation, resources.fill(operation.path), { body, apiKey });
      if (apiKey === known && KNOWN_TO_THE_NODE.has(operation.operationId)) {
        assert.equal(answer.status, 200, operation.operationId);
        continue;
      }
      assertRefused(answer, "database_unavailable");
      assert.deepEqual([answer.status, answer.headers["retry-after"]], [503, "5"], operation.operationId);
    }
  }
  for (const operation of operations.filter(({ takesIdempotencyKey }) => takesIdempotencyKey)) {
    const headers = { "idempotency-key": operation.operationId };
    const body = resources.bodyFor(operation);
    const answer = await conformance.send(operation, resources.fill(operation.path), { body, headers });
    assertRefused(answer, "database_unavailable");
  }
  assert.deepEqual(
    lines.filter(({ level }) => level >= ERROR_LEVEL),
    [],
  );

  await testDatabase.start();
  const reads = operations.filter(
    ({ method, operationId }) => method === "GET" && conflicts[operationId] === undefined,
  );
  for (const operation of reads) {
    const { status } = await conformance.send(operation, resources.fill(operation.path));
    assert.equal(status, 200, operation.operationId);
  }
  const [list] = operations.filter(({ operationId }) => operationId === "listAgents");
  assert.ok(list !== undefined);
  assert.equal((await conformance.send(list, list.path, { apiKey: unseen })).status, 200);
  assertRefused(await conformance.send(list, list.path, { apiKey: "parley_wrong" }), "unauthorized");
});
