import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sampleFlows } from "@parley/contract";
import { TestCaller } from "../support/phone/test-caller.ts";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

describe("the flow of an agent", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;

  before(async () => {
    platform = await Platform.start();
    chromium = await Chromium.launch();
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
  });

  test("is drawn as a graph, begins with a sample, and is saved", async () => {
    const { agentId } = await createAgent(platform, {});
    const url = `${platform.url}/agents/${agentId}?group=flow#key=${platform.apiKey}`;
    const { page, problems } = await chromium.open(url);
    const shown = new ParleyPage(page);
    await shown.waitForText("Begin with a sample");
    await shown.press("survey");
    await shown.waitForText("check_rating");
    const [, flow] = await page.$$("[aria-label=Mode] label");
    await flow?.click();
    assert.deepEqual(await shown.inspect("agent-flow"), []);
    await shown.press("Save");
    await shown.waitForText("Saved");
    assert.deepEqual(problems, []);
  });

  test("shows the path of a past call in its graph and in words", async () => {
    const from = "+15550930001";
    const { agentId, number } = await createAgent(platform, {
      mode: "flow",
      flowDefinition: sampleFlows.survey,
      firstMessage: null,
    });
    const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    await caller.agentToFinish();
    await caller.hangUp();
    const { id } = await endedCall(platform, from);
    const { page, problems } = await chromium.open(`${platform.url}/calls/${id}#key=${platform.apiKey}`);
    const shown = new ParleyPage(page);
    await shown.waitForText("Path in the flow");
    await page.waitForSelector('[aria-label="Graph with the path may_ask"] g.visited ::-p-text(may_ask)');
    await shown.waitForText("may_ask asked (1)");
    assert.deepEqual(await shown.inspect("call-flow"), []);
    assert.deepEqual(problems, []);
    // Its graph is that of the version that ran.
    await platform.api.updateAgent(agentId, { mode: "single_prompt", flowDefinition: null });
    await page.reload();
    await page.waitForSelector('[aria-label="Graph with the path may_ask"]');
  });
});
