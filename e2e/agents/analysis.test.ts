import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CallDetail } from "@parley/contract";
import { type ScriptedServer, startScriptedOpenAi } from "@parley/providers/testing";
import { createAgent, endedCall, findCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { ask, greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { ToolServer } from "../support/platform/tool-server.ts";
import { waitFor } from "@parley/testing";

const ASKED = {
  postCallExtraction: [{ name: "metres", type: "number" as const, description: "How far to go" }],
  postCallEvaluation: [{ name: "polite", criterion: "The agent was polite." }],
};

/** Answers the caller in words, and the analysis in JSON, but its first request in prose. */
async function startModel(): Promise<ScriptedServer> {
  let asked = 0;
  return await startScriptedOpenAi({
    reply: ({ responseFormat, messages }) => {
      if (responseFormat === undefined) return { text: "With pleasure." };
      asked += 1;
      if (asked === 1) return { text: "It was a pleasant call about a train." };
      const metres = /Caller: .*\b(ten|10) met/i.test(messages[1]?.content ?? "") ? 10 : null;
      const evaluation = { polite: { reason: "It said so.", result: "pass" } };
      return { text: JSON.stringify({ extraction: { metres }, evaluation }) };
    },
  });
}

const RESULTS = {
  extraction: { metres: 10 },
  evaluation: [{ name: "polite", result: "pass", reason: "It said so." }],
};

describe("the results of a telephone call", () => {
  let platform: Platform;
  let model: ScriptedServer;
  let receiver: ToolServer;
  const webhooks: { data: CallDetail }[] = [];

  before(async () => {
    model = await startModel();
    receiver = await ToolServer.start((request, response) => {
      webhooks.push(JSON.parse(request.body));
      response.end();
    });
    platform = await Platform.start({
      env: {
        PARLEY_LLM_BASE_URL: `${model.url}/v1`,
        PARLEY_LLM_MODEL: "scripted",
        PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true",
      },
    });
  });
  after(async () => {
    receiver.close();
    await model.close();
    await platform.stop();
  });

  test("are added after its end, sent by the post-call webhook, and updated on request", async () => {
    const from = "+15550800001";
    const postCallWebhookUrl = `${receiver.url}/ended`;
    const { number } = await createAgent(platform, { firstMessage: "Hello.", postCallWebhookUrl, ...ASKED });
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      await greeted(platform, caller);
      await ask(platform, caller);
    } finally {
      await caller.hangUp();
    }
    const { id, analysisStatus } = await endedCall(platform, from);
    assert.notEqual(analysisStatus, null);
    const isReady = async () => (await findCall(platform, from))?.analysisStatus === "ready";
    await waitFor("the results", isReady);
    const call = await findCall(platform, from);
    assert.deepEqual({ extraction: call?.extraction, evaluation: call?.evaluation }, RESULTS);
    const webhook = await waitFor("the webhook", () => webhooks.find(({ data }) => data.id === id));
    const { extraction, evaluation } = webhook.data;
    assert.deepEqual({ extraction, evaluation }, RESULTS);
    const again = await platform.api.reanalyzeCall(id);
    assert.equal(again.analysisStatus, "pending");
    await waitFor("the results once more", isReady);
  });
});
