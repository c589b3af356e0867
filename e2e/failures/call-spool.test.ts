import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { createAgent, endedCall, findCall, textOf } from "../support/platform/agents.ts";
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

describe("a node that dies while its database is away, beside another node", () => {
  let cluster: Cluster;
  let dataDirectory: string;
  before(async () => {
    dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-e2e-signs-"));
    cluster = await Cluster.start(1, { PARLEY_RTP_PORTS: "20000-20999" });
  });
  after(async () => {
    await cluster.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  test("bills a silent call up to its death at its next start, though the other node has closed it", async () => {
    const other = cluster.node(0);
    const env = { ...cluster.env, PARLEY_RTP_PORTS: "21000-21999" };
    const first = await Platform.start({ dataDirectory, env });
    let second: Platform | undefined;
    const from = "+15550910003";
    const { number } = await createAgent(first, { voiceId: null, firstMessage: "Hello." });
    const caller = await TestCaller.call({ sipPort: first.sipPort, number, from });
    try {
      await greeted(first, caller);
      const before = await findCall(other, from);
      assert.ok(before);
      await cluster.stopDatabase();
      const stoppedAt = Date.now();
      const readSign = async (): Promise<string> => {
        const folder = path.join(dataDirectory, "call-spool");
        const names = await readdir(folder).catch((): string[] => []);
        const [name] = names.filter((each) => each.endsWith(".signs.json"));
        if (name === undefined) return "";
        const signs: Record<string, string> = JSON.parse(await readFile(path.join(folder, name), "utf8"));
        return signs[before.id] ?? "";
      };
      await waitFor(
        "a sign of life in the outage",
        async () => Date.parse(await readSign()) > stoppedAt + 4_000,
      );
      first.process.kill("SIGKILL");
      await first.exited;
      const sign = await readSign();
      await cluster.startDatabase();
      const presumed = await endedCall(other, from, 60_000);
      assert.equal(presumed.endReason, "node_lost");
      assert.ok(Date.parse(presumed.endedAt ?? "") < stoppedAt + 4_000, String(presumed.endedAt));
      second = await Platform.start({ dataDirectory, env });
      const corrected = await other.api.getCall(before.id);
      assert.deepEqual([corrected.endReason, corrected.endedAt], ["node_lost", sign]);
      const seconds = (Date.parse(sign) - Date.parse(corrected.answeredAt ?? "")) / 1000;
      assert.equal(corrected.billableSeconds, Math.ceil(seconds));
      assert.ok(corrected.billableSeconds > presumed.billableSeconds);
    } finally {
      await caller.close();
      await (second ?? first).stop();
    }
  });
});
