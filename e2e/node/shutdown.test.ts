import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { createAgent, endedCall, findCall, textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { descendantsOf, isRunning } from "../support/platform/processes.ts";
import { GO_FORWARD, plainWords } from "../support/audio/recordings.ts";
import { ask, greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

/** A child without its parent hangs up and exits within this time. */
const ORPHAN_DEADLINE_MS = 5_000;

describe("a platform that ends", () => {
  let dataDirectory: string;
  before(async () => void (dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-e2e-kept-"))));
  after(async () => await rm(dataDirectory, { recursive: true, force: true }));

  let agent: { agentId: string; number: string };

  test("after a kill -9 no child is left, and the next start finds the data, its database and the lost call", async () => {
    const from = "+15550700005";
    const first = await Platform.start({ dataDirectory });
    let second: Platform | undefined;
    let caller: TestCaller | undefined;
    try {
      agent = await createAgent(first);
      caller = await TestCaller.call({ sipPort: first.sipPort, number: agent.number, from });
      await greeted(first, caller);
      const databasePid = await first.databasePid();
      const children = descendantsOf(first.process.pid ?? 0).filter(({ command }) =>
        command.includes("apps/server"),
      );
      assert.ok(children.length >= 2, "the media and inference processes are running");
      first.process.kill("SIGKILL");
      await first.exited;
      const killedAt = Date.now();
      await waitFor(
        "the children's end",
        () => !children.some(({ pid }) => isRunning(pid)),
        ORPHAN_DEADLINE_MS,
      );
      second = await Platform.start({ dataDirectory });
      assert.equal(await second.databasePid(), databasePid);
      const lost = await endedCall(second, from);
      assert.deepEqual([lost.status, lost.endReason], ["failed", "node_lost"]);
      // The time until the next start is not billed.
      const { answeredAt, endedAt, billableSeconds } = lost;
      assert.ok(Date.parse(endedAt ?? "") <= killedAt);
      const lastedMs = Date.parse(endedAt ?? "") - Date.parse(answeredAt ?? "");
      assert.equal(billableSeconds, Math.ceil(lastedMs / 1000));
      assert.match(textOf(lost, "agent"), /railway/);
    } finally {
      await caller?.close();
      await (second ?? first).stop();
    }
  });

  test("after SIGTERM new calls get 503, the active one can finish, and no process is left", async () => {
    const from = "+15550700006";
    const platform = await Platform.start({ dataDirectory, env: { PARLEY_SHUTDOWN_SECONDS: "30" } });
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number: agent.number, from });
    await using late = await TestCaller.open({
      sipPort: platform.sipPort,
      number: agent.number,
      from: "+15550700007",
    });
    const databasePid = (await platform.databasePid()) ?? 0;
    const children = descendantsOf(platform.process.pid ?? 0);
    try {
      platform.process.kill("SIGTERM");
      await waitFor("refusal", async () => {
        const status = (await fetch(`${platform.url}/readyz`)).status;
        return status === 503;
      });
      const refused = await late.dial();
      assert.ok(!refused.ok && refused.status === 503);
      await greeted(platform, caller);
      await ask(platform, caller);
      const hungUpAtMs = performance.now();
      await caller.hangUp();
      assert.equal(await platform.exited, 0);
      assert.ok(performance.now() - hungUpAtMs < 15_000, "it did not wait for longer than its calls");
    } finally {
      await late.close();
      await caller.close();
      await platform.stop();
    }
    for (const { pid, command } of children) assert.ok(!isRunning(pid), `${command} is still running`);
    assert.ok(!isRunning(databasePid), "the database is still running");
  });

  test("a call that goes on for too long after SIGTERM is hung up and closed as lost", async () => {
    const from = "+15550700008";
    const platform = await Platform.start({ dataDirectory, env: { PARLEY_SHUTDOWN_SECONDS: "1" } });
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number: agent.number, from });
    try {
      platform.process.kill("SIGTERM");
      assert.equal(await caller.ended(), "remote_bye");
      assert.equal(await platform.exited, 0);
    } finally {
      await caller.close();
      await platform.stop();
    }
    const next = await Platform.start({ dataDirectory, isReadinessAwaited: false });
    try {
      const kept = await findCall(next, "+15550700006");
      assert.equal(plainWords(kept === undefined ? "" : textOf(kept, "user")).trim(), GO_FORWARD);
      const lost = await findCall(next, from);
      assert.deepEqual([lost?.status, lost?.endReason], ["failed", "node_lost"]);
    } finally {
      // Not ready yet: a start that is told to end leaves nothing running either.
      const children = descendantsOf(next.process.pid ?? 0);
      next.process.kill("SIGTERM");
      assert.equal(await next.exited, 0);
      for (const { pid, command } of children) assert.ok(!isRunning(pid), `${command} is still running`);
      await next.stop();
    }
  });
});
