import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused } from "../contract-conformance.ts";
import { read } from "../messages/testing.ts";
import { openLaboratory } from "./testing.ts";

const hello = {
  callerLines: ["Hello"],
  assertions: [{ type: "said", text: "Welcome" }],
};

test("a revision is published only once the suites that are its gates have passed on it, as their cases are", async (t) => {
  let text = "Goodbye.";
  const { server, agentId, suite, addCase, run } = await openLaboratory(t, {
    model: () => ({ text }),
    suite: { isReleaseGate: true },
  });
  const { request } = server;
  const change = async (fields: object): Promise<void> => {
    assert.equal((await request("PATCH", `/agents/${agentId}`, fields)).status, 200);
  };
  const publish = async (body: object = {}) => await request("POST", `/agents/${agentId}/publish`, body);
  await change({ publishMode: "manual" });
  await change({ promptTemplate: "Be kind." });
  const { id: caseId } = await addCase(hello);

  const untested = await publish();
  assertRefused(untested, "release_gate_failed");
  assert.match(JSON.stringify(untested.body), /“Orders”/);
  assert.equal((await run()).failedTests, 1);
  assertRefused(await publish(), "release_gate_failed");
  text = "Welcome!";
  assert.equal((await run()).passedTests, 1);
  const published = read<{ publishedRevision: number }>(await publish());

  // What is live is not published again, a later change is tested anew, and so is a changed case.
  assert.equal((await publish()).status, 200);
  await change({ promptTemplate: "Be very kind." });
  assertRefused(await publish(), "release_gate_failed");
  await run();
  assert.equal(
    (await request("PATCH", `/test-suites/${suite.id}/tests/${caseId}`, { name: "Hi" })).status,
    200,
  );
  assertRefused(await publish(), "release_gate_failed");
  await addCase({ ...hello, name: "Second" });
  await run({ testCaseIds: [caseId] });
  assertRefused(await publish(), "release_gate_failed");
  await run();
  assert.ok(
    read<{ publishedRevision: number }>(await publish()).publishedRevision > published.publishedRevision,
  );
});

test("an admin overrides a gate, others do not, and a suite that is none is not asked", async (t) => {
  const { server, agentId, suite, addCase } = await openLaboratory(t, { suite: { isReleaseGate: true } });
  const { request } = server;
  await addCase(hello);
  const publish = async (body: object, apiKey?: string) =>
    await request("POST", `/agents/${agentId}/publish`, body, apiKey);
  await request("PATCH", `/agents/${agentId}`, { publishMode: "manual", promptTemplate: "Be kind." });
  const { key } = read<{ key: string }>(
    await request("POST", "/api-keys", { name: "CI", role: "member" }),
    201,
  );
  const refused = await publish({ overrideReleaseGate: true }, key);
  assertRefused(refused, "forbidden");
  assert.match(JSON.stringify(refused.body), /overrideReleaseGate needs the role admin/);
  assert.equal((await publish({ overrideReleaseGate: true })).status, 200);
  await request("PATCH", `/agents/${agentId}`, { promptTemplate: "Be kinder." });
  assertRefused(await publish({}), "release_gate_failed");
  // Else a member would go around the gate.
  const path = `/test-suites/${suite.id}`;
  assertRefused(await request("PATCH", path, { isReleaseGate: false }, key), "forbidden");
  assertRefused(await request("DELETE", path, undefined, key), "forbidden");
  assert.equal((await request("PATCH", path, { name: "Orders", isReleaseGate: true }, key)).status, 200);
  assert.equal((await request("PATCH", path, { isReleaseGate: null })).status, 200);
  assert.equal((await publish({})).status, 200);
});
