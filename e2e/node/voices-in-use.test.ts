import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { descendantsOf } from "../support/platform/processes.ts";

/** Voices whose models are loaded. */
const openVoices = ({ process: { pid = 0 } }: Platform): string[] =>
  descendantsOf(pid)
    .flatMap(({ command }) => /(kokoro|dittli)-process\.ts/.exec(command)?.[1] ?? [])
    .sort();

test("a start opens the default voice and its fallback for the first agent, and later only the voices of agents", async (context) => {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-voices-"));
  const platforms: Platform[] = [];
  context.after(async () => {
    await Promise.all(platforms.map(async (platform) => await platform.stop()));
    await rm(dataDirectory, { recursive: true, force: true });
  });
  // Otherwise a slow machine has the fast voice as its default.
  const env = { PARLEY_LOCAL_VOICE: "kokoro/af_heart" };
  const first = await Platform.start({ dataDirectory, env });
  platforms.push(first);
  assert.deepEqual(openVoices(first), ["dittli", "kokoro"]);
  await createAgent(first, { voiceId: "dittli/male" });
  await first.stop();
  const second = await Platform.start({ dataDirectory, env });
  platforms.push(second);
  assert.deepEqual(openVoices(second), ["dittli"]);
});
