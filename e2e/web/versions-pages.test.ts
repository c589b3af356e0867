import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const PROMPT = `You answer the phone of a railway club.
The club meets on Mondays.
Its rooms are in the old station.
Members pay forty euros a year.
Guests pay nothing.
Speak briefly.
Never give advice about medicine.`;

describe("the versions of an agent", { skip: skipWithoutChromium }, () => {
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

  /** Follows the link with this text, by keyboard. */
  async function follow({ page }: ParleyPage, words: string, within = "body"): Promise<void> {
    const link = await page.waitForSelector(`${within} a ::-p-text(${words})`);
    await link?.evaluate((element) => (element.closest("a") ?? element).focus());
    await page.keyboard.press("Enter");
  }

  /** Presses a button of the dialog. */
  async function confirm({ page }: ParleyPage, words: string): Promise<void> {
    await page.locator(`[role=dialog] button ::-p-text(${words})`).click();
    await page.waitForFunction('document.querySelector("[role=dialog]") === null');
  }

  test("leads from an edit over its difference to publishing, and back by restoring", async () => {
    const { agentId } = await createAgent(platform, { promptTemplate: PROMPT, turnTimeoutSeconds: 10 });
    const { shown, page, problems } = await open(`/agents/${agentId}/versions`);
    await shown.waitForText("New calls run on the agent as it was saved last");
    assert.deepEqual(await shown.inspect("versions-auto"), []);
    await page.locator("label ::-p-text(Live when published)").click();
    await shown.waitForText("The draft has no other changes.");

    await follow(shown, "Settings", ".tab-links");
    await page.waitForSelector('[data-path="promptTemplate"]');
    await page.focus('[data-path="promptTemplate"]');
    await page.keyboard.down("Control");
    await page.keyboard.press("Home");
    await page.keyboard.up("Control");
    await page.keyboard.type("You are cheerful. ");
    await shown.press("Save");
    await shown.waitForText("unpublished changes");
    await platform.api.updateAgent(agentId, {
      promptTemplate: `You are cheerful. ${PROMPT.replace("Mondays", "Fridays")}`,
      turnTimeoutSeconds: 12,
    });

    await follow(shown, "unpublished changes");
    await shown.waitForText("The draft has changes that new calls do not use yet.");
    await page.waitForSelector("table ::-p-text(Turn timeout)");
    assert.deepEqual(await shown.inspect("versions-unpublished"), []);
    await follow(shown, "Show the changes");
    await shown.waitForText("what publishing it changes for new calls");
    await page.waitForSelector('section[aria-label="Prompt template"]');
    assert.match(await shown.text(".diff-line.removed mark"), /Mondays/);
    assert.match(await shown.text(".diff-line.added mark"), /Fridays/);
    assert.match(await shown.text(".diff-line.added mark"), /cheerful/);
    assert.match(await shown.text(".diff-line.skipped"), /unchanged line/);
    assert.equal(await shown.text('section[aria-label="Turn timeout"] .diff-value'), "10 seconds→12 seconds");
    assert.deepEqual(await shown.inspect("version-publish"), []);

    await shown.press("Publish");
    await confirm(shown, "Publish");
    await page.waitForSelector("h1 ~ * ::-p-text(unpublished changes)", { hidden: true });
    const published = await platform.api.getAgent(agentId);
    assert.deepEqual([published.publishMode, published.hasUnpublishedChanges], ["manual", false]);

    await follow(shown, "All versions");
    await follow(shown, "Revision 1", "table");
    await shown.waitForText("What the agent was created with.");
    await page.locator("label ::-p-text(If restored)").click();
    await page.waitForSelector('section[aria-label="Turn timeout"]');
    assert.deepEqual(await shown.inspect("version-restore"), []);
    await shown.press("Restore");
    await confirm(shown, "Restore");
    await shown.waitForText("Revision 1 is restored");
    const restored = await platform.api.getAgent(agentId);
    assert.deepEqual(
      [restored.promptTemplate, restored.turnTimeoutSeconds, restored.hasUnpublishedChanges],
      [PROMPT, 10, true],
    );
    assert.equal(restored.publishedRevision, published.publishedRevision);
    assert.deepEqual(problems, []);
  });

  test("names what a restore left as it was", async () => {
    const { id: folderId } = await platform.api.createFolder({ name: "Clubs" });
    const { agentId } = await createAgent(platform, { folderId });
    await platform.api.deleteFolder(folderId);
    const { shown, problems } = await open(`/agents/${agentId}/versions/1`);
    await shown.waitForText("What the agent was created with.");
    await shown.press("Restore");
    await confirm(shown, "Restore");
    await shown.waitForText("Folder ID: left as it was");
    await shown.waitForText("Phone numbers: differs, and was not restored");
    assert.deepEqual(await shown.inspect("version-restored"), []);
    assert.deepEqual(problems, []);
  });

  test("publishes an older version, and shows the list of agents with unpublished changes", async () => {
    const { agentId } = await createAgent(platform, { turnTimeoutSeconds: 10 });
    await platform.api.updateAgent(agentId, { publishMode: "manual" });
    await platform.api.updateAgent(agentId, { turnTimeoutSeconds: 14 });
    await platform.api.publishAgent(agentId, {});
    const { shown, page, problems } = await open(`/agents/${agentId}/versions/1?view=publish`);
    await page.waitForSelector('section[aria-label="Turn timeout"]');
    await shown.press("Publish");
    await confirm(shown, "Publish");
    await shown.waitForText("New calls run on revision 1.");
    const { publishedRevision, turnTimeoutSeconds } = await platform.api.getAgent(agentId);
    assert.deepEqual([publishedRevision, turnTimeoutSeconds], [1, 14]);
    await follow(shown, "Agents");
    await page.waitForSelector("td .unpublished");
    assert.deepEqual(await shown.inspect("agents-unpublished"), []);
    assert.deepEqual(problems, []);
  });
});
