import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { splitIntoClauses, listStandardTexts } from "@parley/conversation";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { waitFor } from "@parley/testing";
import { createAgent, endedCall, textOf } from "../support/platform/agents.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { descendantsOf } from "../support/platform/processes.ts";
import { recognize } from "../support/audio/recognize.ts";
import { speechSegments } from "../support/audio/speech-segments.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

/** Two sentences without commas: a pause is natural only between them. */
const SENTENCES = ["Welcome to the railway club behind the old station.", "How may I help you today?"];
const GREETING = SENTENCES.join(" ");
/** The agent does not ask whether the caller is still there while its silence is awaited. */
const VOICE = { voiceId: "kokoro/af_heart", turnTimeoutSeconds: 60, silenceEndCallTimeoutSeconds: 60 };
/** Longer than the pauses between words. */
const GAP_FRAMES = 15;
const START_FRAMES = 25;
const DEADLINE_MS = 120_000;
/** Longer than a sentence takes to be synthesized on half a core. */
const SILENCE_MS = 14_000;

/** Number of pauses of the agent that are longer than between words. */
function countGaps({ heard }: TestCaller): number {
  const speech = heard.flatMap(({ isSpeech }, index) => (isSpeech ? [index] : []));
  return speech.filter((index, at) => at > 0 && index - (speech[at - 1] ?? index) > GAP_FRAMES).length;
}

describe("a platform with half a core", { skip: skipWithout("taskset") }, () => {
  let platform: Platform;
  let competitor: ChildProcess;
  let prepared: string;
  let preparedBefore: number;

  before(async () => {
    platform = await Platform.start();
    preparedBefore = await platform.metric('parley_inference_queue_seconds_count{priority="preparation"}');
    ({ number: prepared } = await createAgent(platform, { ...VOICE, firstMessage: GREETING }));
    const clauses = new Set([GREETING, ...listStandardTexts("en")].flatMap((text) => splitIntoClauses(text)));
    const folder = path.join(platform.dataDirectory, "speech");
    const countFiles = async (): Promise<number> =>
      (await readdir(folder)).filter((name) => name.endsWith(".speech")).length;
    await waitFor("what is always said", async () => (await countFiles()) >= clauses.size, DEADLINE_MS);
    const { pid = 0 } = platform.process;
    for (const each of [{ pid }, ...descendantsOf(pid)])
      spawnSync("taskset", ["-acp", "0", String(each.pid)]);
    competitor = spawn("taskset", ["-c", "0", process.execPath, "-e", "for (;;);"]);
  });

  after(async () => {
    competitor.kill("SIGKILL");
    await platform.stop();
  });

  async function hearGreeting(number: string, from: string): Promise<TestCaller> {
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      await caller.agentToFinish({ silenceMs: SILENCE_MS, deadlineMs: DEADLINE_MS });
    } catch (cause) {
      const { endReason, endDetail } = await endedCall(platform, from);
      throw new Error(`${endReason}: ${endDetail}`, { cause });
    } finally {
      await caller.hangUp();
    }
    const words = await recognize(
      speechSegments(Int16Array.from(caller.heard.flatMap(({ pcm }) => [...pcm]))),
    );
    assert.ok(wordOverlap(GREETING, words) >= 0.8, words);
    const record = await endedCall(platform, from);
    assert.deepEqual([textOf(record, "agent"), record.endReason], [GREETING, "user_hangup"]);
    assert.ok(countGaps(caller) <= SENTENCES.length - 1, `${countGaps(caller)} gaps`);
    return caller;
  }

  test("prepares no speech of a voice that no agent has", () => {
    assert.ok(!(preparedBefore > 0), `${preparedBefore} clauses`);
  });

  test("says a prepared greeting with its first packets, whole and without a gap", async () => {
    const { heard } = await hearGreeting(prepared, "+15550500001");
    // In packets, of which a slow machine sends no more: the conversation waits for the caller's first one for at most 500 ms.
    const silentFrames = heard.findIndex(({ isSpeech }) => isSpeech);
    assert.ok(silentFrames <= START_FRAMES + GAP_FRAMES, `${silentFrames} silent packets`);
  });

  test("says a greeting that could not be prepared in whole clauses, and nothing before it", async () => {
    const firstMessage = `${SENTENCES[0]} {{nothing}}${SENTENCES[1]}`;
    // Unlike the prepared one, so that no audio of it is kept.
    const { number } = await createAgent(platform, { ...VOICE, firstMessage, voiceSpeed: 0.95 });
    await hearGreeting(number, "+15550500002");
  });

  test("reports how long its models' work waited, by purpose", async () => {
    const count = async (priority: string): Promise<number> =>
      await platform.metric(`parley_inference_queue_seconds_count{priority="${priority}"}`);
    assert.ok((await count("turn")) >= 1);
    assert.ok((await count("preparation")) >= 1);
  });
});
