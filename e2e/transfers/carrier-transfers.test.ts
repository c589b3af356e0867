import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiError } from "@parley/client/api";
import { waitFor } from "@parley/testing";
import { readRecording } from "../support/audio/recordings.ts";
import { Baresip } from "../support/phone/baresip.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { shareAt } from "../support/phone/test-person.ts";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { descendantsOf } from "../support/platform/processes.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";

const TONE_HZ = 700;
const TO = "+15550720001";
const FROM = "+15550730001";

/** A tone of 60 s, 8 kHz. */
const TONE = Int16Array.from(
  { length: 8000 * 60 },
  (_, at) => 8_000 * Math.sin((2 * Math.PI * TONE_HZ * at) / 8000),
);

describe("transfers to a telephone of another make", () => {
  let providers: ScriptedProviders;
  let platform: Platform;
  before(async () => {
    providers = await startScriptedProviders("Let me speak to sales", ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "Nobody is there." }
        : { text: "I connect you.", toolCalls: [{ name: "transfer_call", input: { destination: 1 } }] },
    );
    // Without a vendor for voices they come from the inference process.
    const { PARLEY_TTS: _tts, ...env } = providers.env;
    platform = await Platform.start({ env });
  });
  after(async () => {
    await platform.stop();
    await providers.close();
  });

  test("a bridged call passes voices, keys and hold, and outlives the providers, the inference process and the database", async () => {
    const person = await Baresip.start({ from: TO, pcm: TONE, isAnswering: true });
    let heard: Int16Array = new Int16Array(0);
    try {
      const { number, sipTrunkId } = await createAgent(platform, {
        voiceId: null,
        firstMessage: "Hello.",
        transferEnabled: true,
        transferRoutes: [{ to_number: TO, condition: "The caller wants sales." }],
      });
      await platform.api.updateSipTrunk(sipTrunkId, { proxyAddress: `127.0.0.1:${person.sipPort}` });
      await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: FROM });
      const hearsPerson = async (isExpected: boolean): Promise<void> => {
        await waitFor(`the person's voice to be ${isExpected ? "heard" : "gone"}`, () => {
          const last = caller.heard.slice(-20).map(({ pcm }) => pcm);
          return shareAt(TONE_HZ, last) > 0.9 === isExpected;
        });
      };
      await caller.agentToFinish();
      await caller.say(await readRecording("go-forward.wav"));
      await hearsPerson(true);
      caller.press("7");
      await waitFor("the caller's key", () => person.heardKeys === "7");
      const inference = descendantsOf(platform.process.pid ?? 0).find(({ command }) =>
        command.includes("inference-process"),
      );
      assert.ok(inference !== undefined);
      process.kill(inference.pid, "SIGKILL");
      const database = await platform.databasePid();
      assert.ok(database !== undefined);
      process.kill(database, "SIGKILL");
      await providers.close();
      const since = caller.heard.length;
      await waitFor("two more seconds of the person", () => caller.heard.length > since + 100);
      await hearsPerson(true);
      caller.press("8");
      await waitFor("the caller's key", () => person.heardKeys === "78");
      await caller.say(await readRecording("go-forward.wav"));
      person.hold();
      await hearsPerson(false);
      person.resume();
      await hearsPerson(true);
      await person.hangUp();
      assert.equal(await caller.ended(), "remote_bye");
    } finally {
      heard = await person.close();
    }
    // In the bridge, the caller has spoken only after the losses.
    const loudest = heard.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
    assert.ok(loudest > 2_000, `loudest ${loudest}`);
    await waitFor("the database", async () => {
      const answer = await platform.api.listCalls().catch((error: unknown) => error);
      return !(answer instanceof ApiError && answer.code === "database_unavailable");
    });
    const call = await endedCall(platform, FROM);
    assert.deepEqual([call.status, call.endReason], ["completed", "transferred"]);
  });
});
