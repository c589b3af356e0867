import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "puppeteer-core";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const PROMPT = "You answer the phone of {{club}}.\nIt meets on Mondays.";

describe("pages by keyboard alone", { skip: skipWithoutChromium }, () => {
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

  async function open(path: string) {
    const { page, problems } = await chromium.open(`${platform.url}${path}#key=${platform.apiKey}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  test("edits the prompt, reads the difference, publishes it and restores the first version", async () => {
    const { agentId } = await createAgent(platform, { promptTemplate: PROMPT });
    await platform.api.updateAgent(agentId, { publishMode: "manual" });
    const { shown, page, problems } = await open("/agents");
    await shown.waitForText("Railway club");
    await shown.activate("Railway club");
    await page.waitForSelector(".prompt-editor .template-variable");
    assert.equal(await shown.text(".template-variable"), "{{club}}");
    await shown.tabTo("Prompt template");
    await page.keyboard.down("Control");
    await page.keyboard.press("Home");
    await page.keyboard.up("Control");
    await page.keyboard.type("Be brief. ");
    await shown.waitForText("Not saved:");
    await shown.activate("Save");
    await shown.waitForText("unpublished changes");
    assert.equal((await platform.api.getAgent(agentId)).promptTemplate, `Be brief. ${PROMPT}`);

    await shown.activate("Versions");
    await shown.waitForText("The draft has changes that new calls do not use yet.");
    await shown.activate("Show the changes");
    await page.waitForSelector('section[aria-label="Prompt template"]');
    assert.match(await shown.text(".diff-line.added mark"), /Be brief/);
    await shown.activate("Publish");
    await page.waitForSelector("[role=dialog] button ::-p-text(Publish)", { visible: true });
    await shown.activate("Publish");
    await page.waitForFunction('document.querySelector("[role=dialog]") === null');
    await page.waitForSelector("h1 ~ * ::-p-text(unpublished changes)", { hidden: true });
    assert.equal((await platform.api.getAgent(agentId)).hasUnpublishedChanges, false);

    await shown.activate("All versions");
    await page.waitForSelector("table ::-p-text(Revision 1)");
    await shown.activate("Revision 1");
    await shown.waitForText("What the agent was created with.");
    await shown.activate("Restore");
    await page.waitForSelector("[role=dialog] button ::-p-text(Restore)", { visible: true });
    await shown.activate("Restore");
    await shown.waitForText("Revision 1 is restored");
    assert.equal((await platform.api.getAgent(agentId)).promptTemplate, PROMPT);
    assert.deepEqual(problems, []);
  });

  test("chat with an agent, and create a campaign of its calls", async () => {
    const { agentId, number } = await createAgent(platform, { name: "Night desk" });
    const { shown, page, problems } = await open(`/agents/${agentId}`);
    await shown.waitForText("Prompt template");
    await shown.activate("Test");
    await shown.waitForText("Start call");
    await shown.tabTo("Talk");
    await page.keyboard.press("ArrowRight");
    await shown.activate("Start chat");
    await page.waitForSelector(".test-chat textarea");
    await shown.tabTo("Message to the agent");
    await page.keyboard.type("When is the club house open?");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".said.agent:not(.now) ::-p-text(nine to one)");
    await shown.activate("Close the test");

    await page.goto(`${platform.url}/campaigns`);
    await shown.waitForText("No campaigns yet");
    await shown.activate("New campaign");
    await shown.waitForText("1. Who calls");
    await shown.tabTo("Name");
    await page.keyboard.type("By keyboard");
    await shown.tabTo("Agent");
    await page.keyboard.type("Night desk");
    await chooseOption(page, "Night desk");
    await page.waitForSelector("input[data-path=fromNumber]:not([disabled])");
    await shown.activate("Caller ID");
    await chooseOption(page, number);
    await page.waitForFunction('document.querySelector("input[data-path=fromNumber]").value !== ""');
    for (const step of ["Contacts", "When", "Pace and retries", "Review"]) {
      await shown.activate("Continue");
      await page.waitForSelector(`button[aria-current=step] ::-p-text(${step})`);
    }
    await shown.activate("Save as a draft");
    await shown.waitForText("The campaign has no contacts yet");
    const [campaign] = (await platform.api.listCampaigns()).data;
    assert.deepEqual(
      [campaign?.name, campaign?.agentId, campaign?.fromNumber],
      ["By keyboard", agentId, number],
    );
    assert.deepEqual(problems, []);
  });
});

/** Chooses the first option of a list that opens. */
async function chooseOption(page: Page, words: string): Promise<void> {
  await page.waitForSelector(`[role=option] ::-p-text(${words})`, { visible: true });
  // The list goes to its chosen option in a timer of its opening, and forgets a key that was quicker.
  await page.evaluate(async () => await new Promise((resolve) => setTimeout(resolve, 0)));
  await page.keyboard.press("ArrowDown");
  await page.waitForSelector(`[role=option][data-combobox-selected] ::-p-text(${words})`);
  await page.keyboard.press("Enter");
}
