import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

describe("the pages of an agent", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let agentId: string;

  before(async () => {
    platform = await Platform.start();
    chromium = await Chromium.launch();
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
  });

  beforeEach(async () => {
    ({ agentId } = await createAgent(platform, { turnTimeoutSeconds: 10 }));
  });

  async function open(address: string) {
    const { page, problems } = await chromium.open(`${platform.url}${address}#key=${platform.apiKey}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  /** Replaces the text of a field, by keyboard. */
  async function fill({ page }: ParleyPage, path: string, text: string): Promise<void> {
    await page.focus(`[data-path="${path}"]`);
    await page.keyboard.down("Control");
    await page.keyboard.press("a");
    await page.keyboard.up("Control");
    await page.keyboard.type(text);
  }

  /** Opens a group of settings, by keyboard. */
  async function chooseGroup({ page }: ParleyPage, title: string): Promise<void> {
    await page.evaluate(`Array.from(document.querySelectorAll(".group-navigation button"))
      .find(({ textContent }) => textContent.startsWith(${JSON.stringify(title)})).focus()`);
    await page.keyboard.press("Enter");
    await page.waitForSelector(`main h2 ::-p-text(${title})`);
  }

  /** Chooses from the menu that is open. */
  async function choose({ page }: ParleyPage, words: string): Promise<void> {
    await page.locator(`[role=menu] ::-p-text(${words})`).click();
  }

  test("shows every group of settings without faults", async () => {
    const { shown, page, problems } = await open(`/agents/${agentId}`);
    await shown.waitForText("Prompt template");
    const groups = (await page.evaluate(
      'Array.from(document.querySelectorAll(".group-navigation button"), ({ textContent }) => textContent)',
    )) as string[];
    assert.ok(groups.length >= 9, groups.join(", "));
    for (const group of groups) {
      await chooseGroup(shown, group);
      assert.deepEqual(await shown.inspect(`agent-${group.toLowerCase()}`), []);
    }
    assert.deepEqual(problems, []);
  });

  test("saves what was changed and nothing else, and leads to a fault in another group", async () => {
    const { shown, page } = await open(`/agents/${agentId}?group=listening`);
    await shown.waitForText("Turn timeout");
    await fill(shown, "turnTimeoutSeconds", "99");
    await chooseGroup(shown, "Conversation");
    await page.waitForSelector('[data-path="name"]');
    await fill(shown, "name", "Evening desk");
    await shown.press("Save");
    await shown.waitForText("must be at most 60");
    await page.waitForFunction('document.activeElement.dataset.path === "turnTimeoutSeconds"');
    assert.deepEqual(await shown.inspect("agent-fault"), []);
    await fill(shown, "turnTimeoutSeconds", "12");
    await page.keyboard.press("Enter");
    await shown.waitForText("Saved.");
    const { name, turnTimeoutSeconds, promptTemplate } = await platform.api.getAgent(agentId);
    assert.deepEqual([name, turnTimeoutSeconds], ["Evening desk", 12]);
    const { data } = await platform.api.listAgentVersions(agentId);
    assert.deepEqual(data[0]?.changedFields.toSorted(), ["name", "turnTimeoutSeconds"]);
    assert.notEqual(promptTemplate, "");
    assert.equal(await page.$(".save-bar"), null);
  });

  test("finds a voice by its name, plays it, and saves it", async () => {
    const { shown, page, problems } = await open(`/agents/${agentId}?group=voice`);
    await page.locator('input[data-path="voiceId"]').click();
    await fill(shown, "voiceId", "emma");
    await page.locator("[role=option] ::-p-text(Emma)").click();
    await page.locator('[aria-label="Listen to the voice"]').click();
    await page.waitForSelector('[aria-label="Stop the preview of the voice"]', { timeout: 60_000 });
    await page.locator('[aria-label="Stop the preview of the voice"]').click();
    await page.waitForSelector('[aria-label="Listen to the voice"]');
    assert.deepEqual(await shown.inspect("agent-voice-chosen"), []);
    await shown.press("Save");
    await shown.waitForText("Saved.");
    assert.equal((await platform.api.getAgent(agentId)).voiceId, "kokoro/bf_emma");
    assert.deepEqual(problems, []);
  });

  test("shows what another writer has saved meanwhile, and adds the own changes to it", async () => {
    const { shown, page } = await open(`/agents/${agentId}`);
    await page.waitForSelector('[data-path="name"]');
    await fill(shown, "name", "Mine");
    await platform.api.updateAgent(agentId, { firstMessage: "Theirs." });
    await shown.press("Save");
    await shown.waitForText("Somebody else has changed this agent");
    await shown.waitForText("Changed by them: First message");
    assert.deepEqual(await shown.inspect("agent-conflict"), []);
    await shown.press("Add mine to theirs");
    await page.waitForFunction('document.querySelector("[role=dialog]") === null');
    await shown.press("Save");
    await shown.waitForText("Saved.");
    const { name, firstMessage } = await platform.api.getAgent(agentId);
    assert.deepEqual([name, firstMessage], ["Mine", "Theirs."]);
  });

  test("adds a tool with its schema, and tests it", async () => {
    const { shown, page, problems } = await open(`/agents/${agentId}/tools`);
    await shown.waitForText("No tools yet");
    assert.deepEqual(await shown.inspect("agent-no-tools"), []);
    await shown.press("Add a tool");
    await page.waitForSelector(".cm-content");
    assert.deepEqual(await shown.inspect("agent-tool"), []);
    await fill(shown, "name", "look_up_order");
    await fill(shown, "webhookUrl", "http://127.0.0.1:9/orders");
    await page.focus("[role=dialog] [data-path=name]");
    await page.keyboard.press("Enter");
    await page.waitForSelector("article[aria-label=look_up_order]");
    await page.locator('[aria-label="Test look_up_order"]').click();
    await shown.press("Send the request");
    await shown.waitForText("Failed");
    assert.deepEqual(await shown.inspect("agent-tool-test"), []);
    const [tool] = await platform.api.listCustomTools(agentId);
    assert.equal(tool?.name, "look_up_order");
    assert.deepEqual(problems, []);
  });

  test("creates an environment with a variable", async () => {
    const { shown, page } = await open(`/agents/${agentId}/environments`);
    await shown.waitForText("production");
    assert.deepEqual(await shown.inspect("agent-environments"), []);
    await shown.press("Add an environment");
    await page.waitForSelector("[data-path=name]");
    await fill(shown, "name", "staging");
    await shown.press("Add a variable");
    await page.type('[placeholder="name"]', "shop");
    await page.type('[placeholder="value"]', "Miller");
    await shown.press("Save");
    await page.waitForSelector("article[aria-label=staging]");
    const { variables, revision } = await platform.api.getEnvironment(agentId, "staging");
    assert.deepEqual([variables, revision], [{ shop: "Miller" }, null]);
  });

  test("makes, renames and deletes folders, and moves an agent into one", async () => {
    const { shown, page, problems } = await open("/agents");
    await shown.press("Folders");
    await page.waitForSelector("[role=dialog] [placeholder=Sales]", { visible: true });
    await page.type("[role=dialog] [placeholder=Sales]", "Clubs");
    await page.keyboard.press("Enter");
    const field = await page.waitForSelector('[aria-label="Name of the folder Clubs"]');
    await field?.type(" of the north");
    assert.deepEqual(await shown.inspect("agent-folders"), []);
    await page.keyboard.press("Enter");
    await page.waitForSelector('[aria-label="Delete the folder Clubs of the north"]');
    await page.keyboard.press("Escape");
    await page.goto(`${platform.url}/agents/${agentId}`, { waitUntil: "networkidle0" });
    await shown.press("Actions");
    await choose(shown, "Move to a folder");
    const select = await page.waitForSelector("[role=dialog] select", { visible: true });
    const [folder] = (await platform.api.listFolders()).data;
    await select?.select(folder?.id ?? "");
    assert.deepEqual(await shown.inspect("agent-move"), []);
    await page.locator("[role=dialog] button[type=submit]").click();
    await shown.waitForText("is in Clubs of the north.");
    assert.equal((await platform.api.getAgent(agentId)).folder?.name, "Clubs of the north");
    await page.goto(`${platform.url}/agents`, { waitUntil: "networkidle0" });
    await shown.press("Folders");
    await page.locator('[aria-label="Delete the folder Clubs of the north"]').click();
    await shown.waitForText("Its agents are kept, in no folder.");
    await page.locator("[role=dialog] button ::-p-text(Delete)").click();
    await page.waitForSelector('[aria-label="Delete the folder Clubs of the north"]', { hidden: true });
    assert.equal((await platform.api.getAgent(agentId)).folder, null);
    assert.deepEqual(problems, []);
  });

  test("imports an exported agent under another name, without what does not exist here", async (context) => {
    const exported = {
      ...(await platform.api.getAgent(agentId)),
      sipTrunkId: "00000000-0000-4000-8000-000000000000",
      turnTimeoutSeconds: 17,
    };
    const folder = await mkdtemp(path.join(tmpdir(), "parley-import-"));
    context.after(async () => await rm(folder, { recursive: true }));
    const file = path.join(folder, "exported.json");
    const { shown, page, problems } = await open("/agents");
    await shown.press("Import");
    const upload = async (): Promise<void> => {
      const button = await page.waitForSelector("[role=dialog] [data-path=file]", { visible: true });
      const [chooser] = await Promise.all([page.waitForFileChooser(), button?.click()]);
      await chooser.accept([file]);
    };
    await writeFile(file, "no agent");
    await upload();
    await shown.waitForText("The file is not JSON");
    assert.deepEqual(await shown.inspect("agent-import-fault"), []);
    await writeFile(file, JSON.stringify(exported));
    await upload();
    await shown.waitForText("Left out, because your organization does not have them:");
    assert.deepEqual(await shown.inspect("agent-import"), []);
    await fill(shown, "name", "Railway club of the north");
    await page.keyboard.press("Enter");
    await page.waitForFunction('document.title.endsWith("of the north · Parley")');
    const { data } = await platform.api.listAgents({ search: "of the north" });
    const [imported] = data;
    assert.deepEqual(
      [imported?.sipTrunkId, imported?.turnTimeoutSeconds, imported?.promptTemplate],
      [null, 17, exported.promptTemplate],
    );
    // The browser itself reports the 404 of the trunk.
    assert.deepEqual(
      problems.map((problem) => /\b404\b/.test(problem)),
      [true],
    );
  });

  test("duplicates an agent with its tools, and deletes it after a question", async () => {
    const { shown, page } = await open(`/agents/${agentId}`);
    await shown.waitForText("Prompt template");
    await shown.press("Actions");
    await choose(shown, "Duplicate");
    await page.waitForFunction('document.title.endsWith("(copy) · Parley")');
    await shown.press("Actions");
    await choose(shown, "Delete");
    await shown.waitForText("Its phone numbers stay");
    assert.deepEqual(await shown.inspect("agent-delete"), []);
    await page.locator("[role=dialog] button ::-p-text(Delete)").click();
    await page.waitForFunction('location.pathname === "/agents"');
    const { data } = await platform.api.listAgents({ search: "(copy)" });
    assert.deepEqual(data, []);
  });
});
