import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { createAgent, endedCall, textOf } from "../support/platform/agents.ts";
import { ANSWER, askUnrecorded, Cluster } from "../support/platform/cluster.ts";
import { Platform } from "../support/platform/platform.ts";
import { greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

describe("a node that dies while its database is away", () => {
  let cluster: Cluster;
  let dataDirectory: string;
  before(async () => {
    dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-e2e-kept-"));
    cluster = await Cluster.start(0);
  });
  after(async () => {
    await cluster.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  test("stores transcripts and the end of its calls at its next start", async () => {
    const first = await Platform.start({ dataDirectory, env: cluster.env });
    let second: Platform | undefined;
    const callers: TestCaller[] = [];
    try {
      const { number } = await createAgent(first, { voiceId: null, firstMessage: "Hello." });
      const [ended, lost] = ["+15550910001", "+15550910002"];
      for (const from of [ended, lost]) {
        const caller = await TestCaller.call({ sipPort: first.sipPort, number, from });
        callers.push(caller);
        await greeted(first, caller);
      }
      await cluster.stopDatabase();
      for (const caller of callers) await askUnrecorded(caller);
      await callers[0]?.hangUp();
      const spoolFolder = path.join(dataDirectory, "call-spool");
      const isEndSpooled = async (): Promise<boolean> => {
        const names = await readdir(spoolFolder).catch((): string[] => []);
        const texts = names.map(async (name) => await readFile(path.join(spoolFolder, name), "utf8"));
        return (await Promise.all(texts)).some((text) => text.includes("user_hangup"));
      };
      await waitFor("the spool", isEndSpooled);
      first.process.kill("SIGKILL");
      await first.exited;
      await cluster.startDatabase();
      second = await Platform.start({ dataDirectory, env: cluster.env });
      const reasons = new Map([
        [ended, "user_hangup"],
        [lost, "node_lost"],
      ]);
      for (const [from, reason] of reasons) {
        const call = await endedCall(second, from, 30_000);
        assert.equal(call.endReason, reason);
        assert.ok(textOf(call, "agent").includes(ANSWER), textOf(call, "agent"));
        assert.notEqual(textOf(call, "user"), "");
      }
      assert.deepEqual(await readdir(spoolFolder), []);
    } finally {
      for (const caller of callers) await caller.close();
      await (second ?? first).stop();
    }
  });
});
