import assert from "node:assert/strict";
import { test } from "node:test";
import { startScriptedAnthropic, startScriptedOpenAi } from "@parley/providers/testing";
import { startChats } from "./testing.ts";

test("a model that fails is passed over for a while, also by other chats of the organization", async (t) => {
  let failed = 0;
  const reply = () => ({ text: "Hello." });
  const failing = await startScriptedOpenAi({
    reply,
    fault: () => {
      failed += 1;
      return { type: "status", status: 500 };
    },
  });
  const other = await startScriptedAnthropic({ reply: () => ({ text: "The other one." }) });
  t.after(async () => {
    await failing.close();
    await other.close();
  });
  const { startChat, send, writeDue, transcript } = await startChats(
    t,
    { reply },
    {},
    {
      providerVariables: {
        PARLEY_LLM_BASE_URL: `${failing.url}/v1`,
        PARLEY_LLM_MODEL: "scripted",
        PARLEY_LLM_FALLBACK: "anthropic/claude-sonnet-4-5",
        ANTHROPIC_BASE_URL: `${other.url}/v1`,
        ANTHROPIC_API_KEY: "key",
      },
    },
  );
  const attempts: number[] = [];
  for (let time = 0; time < 5; time++) {
    const before = failed;
    const { id } = await startChat();
    await send(id, "Hello?");
    await writeDue();
    assert.deepEqual((await transcript(id)).at(-1), ["agent", "The other one."]);
    attempts.push(failed - before);
  }
  assert.ok((attempts[0] ?? 0) > 0);
  assert.deepEqual(attempts.slice(3), [0, 0]);
});
