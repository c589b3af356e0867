import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "@parley/testing";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { descendantsOf } from "../support/platform/processes.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

const FROM = "+15550800001";
/** Late for one frame in five, by up to two frames. */
const PULSE_INTERVAL_MS = 200;
const PULSE_MS = 40;
const MAX_LAG_SECONDS = 0.005;
/** Lag counts over 10 s, and must last for ten reports. */
const DEADLINE_MS = 60_000;

let platform: Platform;
let number: string;

before(async () => {
  platform = await Platform.start({ env: { PARLEY_MEDIA_PROCESSES: "1" } });
  ({ number } = await createAgent(platform, { silenceEndCallTimeoutSeconds: 300, turnTimeoutSeconds: 60 }));
});

after(async () => {
  await platform.stop();
});

/** Returns the status of the response to a call. Hangs up an accepted one. */
async function tryCall(): Promise<number> {
  const caller = await TestCaller.open({ sipPort: platform.sipPort, number, from: FROM });
  const result = await caller.dial();
  await caller.hangUp();
  return result.ok ? 200 : result.status;
}

/** Takes the processor from a process in short pulses, as other work on a machine without enough of it would. */
function slowDown(pid: number): () => void {
  const timer = setInterval(() => {
    process.kill(pid, "SIGSTOP");
    setTimeout(() => process.kill(pid, "SIGCONT"), PULSE_MS);
  }, PULSE_INTERVAL_MS);
  return () => clearInterval(timer);
}

test("a node with late audio rejects new calls, keeps its own, and accepts calls again when audio is on time", async (context) => {
  const isLate = async (): Promise<boolean> =>
    (await platform.metric("parley_media_wheel_lag_p99_seconds")) > MAX_LAG_SECONDS;
  const active = await TestCaller.call({ sipPort: platform.sipPort, number, from: FROM });
  try {
    let end: string | undefined;
    void active.session.ended.then(({ cause }) => (end = cause));
    await active.agentToFinish();

    const processes = descendantsOf(platform.process.pid ?? 0);
    const media = processes.find(({ command }) => command.includes("media-process"));
    assert.ok(media !== undefined);
    const recover = slowDown(media.pid);
    try {
      const findRefusal = async (): Promise<number | false> => {
        const status = await tryCall();
        return status !== 200 && status;
      };
      assert.equal(await waitFor("a refusal", findRefusal, DEADLINE_MS), 503);
      assert.equal(await isLate(), true);
    } finally {
      recover();
    }
    assert.equal(end, undefined);
    // On a machine without enough processor for anything, audio stays late.
    const isOnTime = await waitFor("audio on time", async () => !(await isLate()), DEADLINE_MS).catch(
      () => false,
    );
    if (!isOnTime) return context.diagnostic("audio was late without the pulses too: recovery was not shown");
    const status = await tryCall();
    // Refused again only if audio has become late again meanwhile.
    assert.ok(status === 200 || (await isLate()), String(status));
    assert.equal(end, undefined);
  } finally {
    await active.hangUp();
  }
});
