import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestRun } from "@parley/contract";
import { read } from "../../messages/testing.ts";
import { openLaboratory } from "../testing.ts";

test("a voice run that is cancelled while it waits places no call", async (t) => {
  const { addCase, startRun, getRun, carryAll, server, suite } = await openLaboratory(t, {
    suite: { mode: "voice" },
  });
  server.media.capacity = 1;
  await addCase({ callerLines: ["Hello"], assertions: [{ type: "said", text: "Hello" }] });
  const { id } = read<TestRun>(await startRun(), 201);
  await carryAll();
  assert.deepEqual((await getRun(id)).attempts[0]?.startedAt, null);
  read(await server.request("POST", `/test-suites/${suite.id}/runs/${id}/cancel`));
  server.media.capacity = 4;
  await carryAll();
  const { status, attempts } = await getRun(id);
  assert.deepEqual([status, attempts[0]?.result, attempts[0]?.callId], ["cancelled", "cancelled", null]);
  const { total } = (await server.request("GET", "/calls")).body as { total: number };
  assert.equal(total, 0);
});
