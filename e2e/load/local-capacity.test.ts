import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { callsFrom, createAgent } from "../support/platform/agents.ts";
import { linkModels } from "../support/platform/models.ts";
import { Platform } from "../support/platform/platform.ts";
import { recognize } from "../support/audio/recognize.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

/** Kokoro is slower than real time; two callers with the fast voice use all of its allowed capacity, on any number of cores. */
const SPEEDS = {
  "moonshine-base": 0.1,
  "moonshine-tiny": 0.06,
  "kokoro-1": 1.3,
  "kokoro-2": 1.4,
  dittli: 0.7,
};
const PLACES = 2;
const CALLERS = 20;
const FROM = "+15550700001";
const GREETING = "Hello, this is the railway club. How can I help you today?";
const OPERATOR_KEY = "operator-key-of-this-test";

describe("a machine whose speech models serve two calls", () => {
  let models: Awaited<ReturnType<typeof linkModels>>;
  let platform: Platform;
  let agent: { agentId: string; number: string };

  before(async () => {
    models = await linkModels(SPEEDS);
    platform = await Platform.start({
      env: { PARLEY_MODELS_DIR: models.modelsDir, PARLEY_OPERATOR_API_KEY: OPERATOR_KEY },
    });
    agent = await createAgent(platform, { voiceId: null, firstMessage: GREETING });
  });

  after(async () => {
    await platform.stop();
    await models[Symbol.asyncDispose]();
  });

  async function openCallers(count: number): Promise<TestCaller[]> {
    const { sipPort } = platform;
    const options = { sipPort, number: agent.number, from: FROM };
    return await Promise.all(Array.from({ length: count }, async () => await TestCaller.open(options)));
  }

  /** `/metrics` is cached for a moment. */
  async function takenToBe(count: number): Promise<void> {
    const isSo = async (): Promise<boolean> => (await platform.metric("parley_local_speech_calls")) === count;
    await waitFor(`${count} calls with local speech`, isSo, 10_000);
  }

  test("reports which voice it has chosen, why, and for how many calls", async () => {
    const chosen = /default voice dittli\/male.*kokoro-1 1\.30/;
    assert.match(platform.output, chosen);
    assert.equal(await platform.metric("parley_local_speech_calls_max"), PLACES);
    const response = await fetch(`${platform.url}/operator/v1/diagnosis`, {
      headers: { "x-api-key": OPERATOR_KEY },
    });
    const { data } = (await response.json()) as { data: { results: { check: string; message: string }[] } };
    const { message = "" } = data.results.find(({ check }) => check === "speech fit") ?? {};
    assert.match(message, /default voice dittli\/male.*at a time: 2\./i);
  });

  test("accepts two of twenty callers, who hear everything, and rejects the others at once", async () => {
    const callers = await openCallers(CALLERS);
    try {
      const results = await Promise.all(callers.map(async (caller) => await caller.dial()));
      const answered = callers.filter((_, index) => results[index]?.ok);
      const statuses = results.flatMap((result) => (result.ok ? [] : [result.status]));
      assert.deepEqual([answered.length, new Set(statuses)], [PLACES, new Set([503])]);
      await takenToBe(PLACES);
      assert.equal((await callsFrom(platform, FROM)).length, PLACES);
      await assert.rejects(platform.api.startTestCall(agent.agentId), {
        status: 503,
        code: "capacity_exceeded",
      });
      for (const caller of answered) {
        await caller.agentToFinish();
        const words = await recognize([Int16Array.from(caller.heard.flatMap(({ pcm }) => [...pcm]))]);
        assert.ok(wordOverlap(GREETING, words) >= 0.8, words);
      }
    } finally {
      await Promise.all(callers.map(async (caller) => await caller.hangUp()));
    }
  });

  test("accepts the next call when one has ended", async () => {
    await takenToBe(0);
    const [caller] = await openCallers(1);
    try {
      assert.ok((await caller?.dial())?.ok);
      await takenToBe(1);
    } finally {
      await caller?.hangUp();
    }
  });
});
