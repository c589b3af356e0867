import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestAttempt } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { ANSWER, Cluster } from "../support/platform/cluster.ts";
import type { Platform } from "../support/platform/platform.ts";

const ATTEMPTS = 10;
const LOST_DEADLINE_MS = 60_000;
/** The agent speaks longer than the test lasts. */
const GREETING = "We are open on every day of the week but Sunday, from nine in the morning to one. ".repeat(
  40,
);

test("runs survive the kill of a node: attempts run once more, and one that is lost twice is an error", async () => {
  const cluster = await Cluster.start(3);
  try {
    const { nodes } = cluster;
    let alive = [...nodes];
    const anyNode = (): Platform["api"] => (alive[0] ?? assert.fail()).api;
    const { api } = cluster.node(0);
    const agent = await api.createAgent({ name: "Ada" });
    const suite = await api.createTestSuite({ name: "Suite", agentId: agent.id, mode: "chat" });
    // Conversations that last longer than the way to the kill.
    const callerLines = Array.from({ length: 12 }, (_, index) => `When are you open? ${index}`);
    const assertions = [{ type: "said" as const, text: ANSWER }];
    const fields = { name: "Opening hours", callerLines, assertions, attemptsPerRun: ATTEMPTS };
    await api.createTestCase(suite.id, fields);
    const speaker = await api.createAgent({ name: "Bob", firstMessage: GREETING });
    const calls = await api.createTestSuite({ name: "Calls", agentId: speaker.id, mode: "voice" });
    await api.createTestCase(calls.id, { name: "Hours", callerLines: ["Hello"], assertions });
    const voice = await api.startTestRun(calls.id, {});
    const getVoice = async (): Promise<TestAttempt> =>
      (await anyNode().getTestRun(calls.id, voice.id)).attempts[0] ?? assert.fail();

    /** Kills the node that carries the voice attempt, once its call is answered. */
    const killCarrier = async (before: TestAttempt | undefined): Promise<TestAttempt> => {
      const attempt = await waitFor(
        "the call",
        async () => {
          const now = await getVoice();
          if (now.inboundCallId === null || now.inboundCallId === before?.inboundCallId) return undefined;
          const call = await anyNode().getCall(now.inboundCallId);
          return call.status === "in_progress" && now;
        },
        LOST_DEADLINE_MS,
      );
      const carrier = await waitFor("the carrier", async () => {
        const counts = await Promise.all(alive.map(async (node) => await node.metric("parley_active_calls")));
        return alive[counts.findIndex((count) => count > 0)];
      });
      carrier.process.kill("SIGKILL");
      alive = alive.filter((node) => node !== carrier);
      return attempt;
    };
    const run = await api.startTestRun(suite.id, {});
    await waitFor("attempts in progress", async () => {
      const { attempts } = await api.getTestRun(suite.id, run.id);
      return attempts.every(({ startedAt }) => startedAt !== null);
    });
    const first = await killCarrier(undefined);
    const ended = await waitFor(
      "the end of the text run",
      async () => {
        const now = await anyNode().getTestRun(suite.id, run.id);
        return now.status === "completed" && now;
      },
      LOST_DEADLINE_MS,
    );
    const { attempts, passedTests, completedAttempts } = ended;
    assert.deepEqual([passedTests, completedAttempts], [1, ATTEMPTS], JSON.stringify(attempts));
    // No transcript mixes two conversations.
    for (const { transcript } of attempts)
      assert.equal(transcript.filter(({ role }) => role === "user").length, callerLines.length);
    const { total } = await anyNode().listConversations({ agentId: agent.id });
    assert.equal(total, ATTEMPTS);

    const second = await killCarrier(first);
    const lost = await waitFor(
      "the result",
      async () => {
        const attempt = await getVoice();
        return attempt.result !== null && attempt;
      },
      LOST_DEADLINE_MS,
    );
    assert.equal(lost.result, "error");
    assert.match(lost.reasoning ?? "", /node was lost/);
    for (const { callId, inboundCallId } of [first, second])
      for (const id of [callId, inboundCallId]) {
        const call = await waitFor(
          "the end of the call's record",
          async () => {
            const found = await anyNode().getCall(id ?? "");
            return found.endedAt !== null && found;
          },
          LOST_DEADLINE_MS,
        );
        assert.deepEqual([call.status, call.endReason, call.isTest], ["failed", "node_lost", true]);
      }
    assert.equal((await anyNode().getTestRun(calls.id, voice.id)).status, "completed");
  } finally {
    await cluster.stop();
  }
});
