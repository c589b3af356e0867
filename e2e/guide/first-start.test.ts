import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Agent } from "@parley/contract";
import { Parley } from "@parley/client/api";
import { waitFor } from "@parley/testing";
import { Platform } from "../support/platform/platform.ts";
import { assertSuitesPass } from "../support/platform/example-suites.ts";

const LINK = /(http:\/\/\S+\/try)#key=(parley_[\w-]+)&agent=(\S+)/;

describe("a start without configuration", () => {
  let dataDirectory: string;
  let apiKey: string;
  let agentId: string;

  before(async () => {
    dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-first-start-"));
  });

  after(async () => await rm(dataDirectory, { recursive: true, force: true }));

  /** An empty variable counts as none. */
  async function start(bootstrapKey = ""): Promise<Platform> {
    return await Platform.start({ dataDirectory, env: { PARLEY_BOOTSTRAP_API_KEY: bootstrapKey } });
  }

  async function listAgents(platform: Platform, key: string): Promise<Agent[]> {
    const parley = new Parley({ baseUrl: `${platform.url}/v1`, apiKey: key });
    return (await parley.listAgents()).data;
  }

  test("on an empty database prints a key and a link to an agent, once and outside the log", async () => {
    const platform = await start();
    try {
      const [, page = "", ...rest] = await waitFor("the link", () => LINK.exec(platform.output) ?? undefined);
      [apiKey = "", agentId = ""] = rest;
      assert.equal(new URL(page).port, String(platform.httpPort));
      assert.deepEqual(
        (await listAgents(platform, apiKey)).map(({ id }) => id),
        [agentId],
      );
      const start = await fetch(platform.url, { redirect: "manual" });
      assert.equal(start.status, 200);
      assert.match(await start.text(), /<title>Parley/);
      for (const route of ["/try", "/healthz", "/readyz", "/metrics"])
        assert.equal((await fetch(`${platform.url}${route}`)).status, 200);
    } finally {
      await platform.stop();
    }
    const logged = platform.output.split("\n").filter((line) => line.startsWith("{"));
    assert.ok(!logged.some((line) => line.includes(apiKey)));
    const routes = logged.flatMap((line) => (JSON.parse(line) as { route?: string }).route ?? []);
    assert.deepEqual(routes, ["/v1/agents"]);
  });

  test("on the same database prints none, the key still opens it, and the sample agent passes its suite", async () => {
    const platform = await start();
    try {
      await waitFor("the start", () => platform.output.includes("ready to accept calls"));
      assert.equal((await listAgents(platform, apiKey)).length, 1);
      await assertSuitesPass(platform, apiKey, ["Example: Harbour Dental reception"]);
    } finally {
      await platform.stop();
    }
    assert.doesNotMatch(platform.output, /parley_/);
  });

  test("with a bootstrap key opens the same organization by that key too", async () => {
    const platform = await start("a-key-of-the-operator");
    try {
      for (const key of [apiKey, "a-key-of-the-operator"])
        assert.deepEqual(
          (await listAgents(platform, key)).map(({ id }) => id),
          [agentId],
        );
    } finally {
      await platform.stop();
    }
    assert.doesNotMatch(platform.output, /parley_/);
  });
});
