import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { waitFor } from "@parley/testing";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

const RETURN_DEADLINE_MS = 20_000;

test("a killed PostgreSQL is started again while a call goes on; if it cannot be, the node ends with status 1", async () => {
  const from = "+15550700031";
  const platform = await Platform.start({ env: { PARLEY_SHUTDOWN_SECONDS: "0" } });
  try {
    const agent = await createAgent(platform);
    const caller = await TestCaller.call({ sipPort: platform.sipPort, number: agent.number, from });
    await greeted(platform, caller);
    const killed = await platform.databasePid();
    assert.ok(killed !== undefined);
    process.kill(killed, "SIGKILL");
    await waitFor(
      "a new server that answers",
      async () =>
        (await platform.databasePid()) !== killed &&
        (await platform.api.listAgents().then(
          () => true,
          () => false,
        )),
      RETURN_DEADLINE_MS,
    );
    await caller.close();
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    const second = await platform.databasePid();
    assert.ok(second !== undefined);
    const folder = path.join(platform.dataDirectory, "postgres");
    await rename(folder, `${folder}-gone`);
    process.kill(second, "SIGKILL");
    assert.equal(await platform.exited, 1);
    assert.match(platform.output, /the embedded PostgreSQL died and cannot be started again/);
  } finally {
    await platform.stop();
  }
});
