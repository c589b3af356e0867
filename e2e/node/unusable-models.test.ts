import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createDamagedModels } from "../../packages/providers/src/testing/damaged-models.ts";
import type { ModelGroup } from "../../packages/providers/src/models/catalog.ts";
import { createAgent, endedCall, textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { GO_FORWARD, plainWords } from "../support/audio/recordings.ts";
import { ask, greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

const GROUPS: readonly ModelGroup[] = [
  "moonshine-base",
  "silero",
  "smart-turn",
  "minilm",
  "kokoro",
  "dittli",
];
/** Preparing and testing every model anew, on a busy machine. */
const PREPARATION_DEADLINE_MS = 120_000;

interface Readiness {
  status: string;
  warnings?: string[];
  waitingFor?: string[];
}

async function startWith(
  context: TestContext,
  damaged: readonly string[],
  groups: readonly ModelGroup[] = GROUPS,
): Promise<Platform> {
  const { modelsDir, remove } = await createDamagedModels(damaged, groups);
  let platform: Platform | undefined;
  context.after(async () => {
    // It writes prepared graphs into the folder until it has ended.
    await platform?.stop();
    await remove();
  });
  platform = await Platform.start({ env: { PARLEY_MODELS_DIR: modelsDir }, isReadinessAwaited: false });
  return platform;
}

async function waitForReadiness(
  platform: Platform,
  isExpected: (readiness: Readiness) => boolean,
): Promise<Readiness> {
  return await waitFor(
    "readiness",
    async () => {
      const response = await fetch(`${platform.url}/readyz`);
      const readiness = (await response.json()) as Readiness;
      return isExpected(readiness) && readiness;
    },
    PREPARATION_DEADLINE_MS,
  );
}

test("calls work without models that answer wrongly, and the node reports which and their replacements", async (context) => {
  const platform = await startWith(context, [
    "smart-turn/smart-turn-v3.2-cpu.onnx",
    "minilm/model_quantized.onnx",
    "kokoro/model_fp16.onnx",
  ]);
  const { warnings = [] } = await waitForReadiness(platform, ({ status }) => status === "ready");
  const named = (model: string): string => warnings.find((text) => text.includes(`model ${model} `)) ?? "";
  assert.match(named("smart-turn"), /answered .*, expected .*\. Fallback: turns end by silence and text/);
  assert.match(named("minilm"), /Fallback: the built-in responder searches by words/);
  assert.match(named("kokoro"), /Fallback: the voice dittli\/male/);
  for (const model of ["smart-turn", "minilm", "kokoro"]) {
    assert.equal(await platform.metric(`parley_model_usable{model="${model}"}`), 0);
    assert.match(platform.output, new RegExp(`The model ${model} is not usable on this machine`));
  }
  assert.equal(await platform.metric('parley_model_usable{model="moonshine-base"}'), 1);

  const { number } = await createAgent(platform, { voiceId: "kokoro/af_heart" });
  const from = "+15550720001";
  await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
  try {
    await greeted(platform, caller);
    await ask(platform, caller);
  } finally {
    await caller.hangUp();
  }
  const call = await endedCall(platform, from);
  assert.equal(plainWords(textOf(call, "user")).trim(), GO_FORWARD);
});

test("without a recognizer that answers correctly no calls are accepted, and /readyz reports why", async (context) => {
  const platform = await startWith(context, ["moonshine/base/encoder_model.onnx"]);
  const { waitingFor = [] } = await waitForReadiness(platform, ({ waitingFor: reasons = [] }) =>
    reasons.some((reason) => reason.includes("moonshine-base")),
  );
  assert.match(waitingFor.join(" "), /The model moonshine-base is not usable .*The node accepts no calls/);
});
