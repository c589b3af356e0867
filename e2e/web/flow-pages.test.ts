import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAgent } from "../support/platform/agents.ts";
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
});
