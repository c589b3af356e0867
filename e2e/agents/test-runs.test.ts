import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "@parley/testing";
import { ANSWER, Cluster } from "../support/platform/cluster.ts";

const ATTEMPTS = 10;

test("a run of test cases survives the kill of a node: its attempts run once more on the other", async () => {
  const cluster = await Cluster.start(2);
  try {
    const [victim, survivor] = [cluster.node(0), cluster.node(1)];
    const { api } = survivor;
    const agent = await api.createAgent({ name: "Ada" });
    const suite = await api.createTestSuite({ name: "Suite", agentId: agent.id, mode: "chat" });
    // Conversations that last longer than the way to the kill.
    const callerLines = Array.from({ length: 12 }, (_, index) => `When are you open? ${index}`);
    const assertions = [{ type: "said" as const, text: ANSWER }];
    const fields = { name: "Opening hours", callerLines, assertions, attemptsPerRun: ATTEMPTS };
    await api.createTestCase(suite.id, fields);
    const run = await api.startTestRun(suite.id, {});
    await waitFor("attempts in progress", async () => {
      const { attempts } = await api.getTestRun(suite.id, run.id);
      return attempts.every(({ startedAt }) => startedAt !== null);
    });
    victim.process.kill("SIGKILL");
    await waitFor(
      "the end of the run",
      async () => (await api.getTestRun(suite.id, run.id)).status === "completed",
      60_000,
    );
    const { attempts, passedTests, completedAttempts } = await api.getTestRun(suite.id, run.id);
    assert.deepEqual([passedTests, completedAttempts], [1, ATTEMPTS], JSON.stringify(attempts));
    // No transcript mixes two conversations.
    for (const { transcript } of attempts)
      assert.equal(transcript.filter(({ role }) => role === "user").length, callerLines.length);
    const { total } = await api.listConversations({ agentId: agent.id });
    assert.equal(total, ATTEMPTS);
  } finally {
    await cluster.stop();
  }
});
