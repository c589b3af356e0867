import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import type { Page } from "puppeteer-core";
import { readRecording } from "../support/audio/recordings.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { createAgent, newestCallOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const HANDBOOK = `# Blue Harbor Hotel

## Pets

Dogs stay for twelve euros a night. Cats are not allowed.
`;

/** The model answers what it is given, and nothing else. */
function reply({ messages }: ScriptedChatRequest): ScriptedChatReply {
  const isKnown = JSON.stringify(messages).includes("Dogs stay for twelve euros");
  return { text: isKnown ? "Yes, for twelve euros a night." : "I do not know." };
}

/** Drops files on the page, as from a folder of the computer. */
async function drop(page: Page, files: readonly { name: string; text: string }[]): Promise<void> {
  await page.waitForSelector(".file-drop");
  await page.evaluate(`(() => {
    const transfer = new DataTransfer();
    for (const { name, text } of ${JSON.stringify(files)}) transfer.items.add(new File([text], name));
    const place = document.querySelector(".file-drop");
    for (const type of ["dragover", "drop"])
      place.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  })()`);
}

describe("the pages of knowledge bases", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let providers: ScriptedProviders;
  let folder: string;
  let baseId: string;
  let agentId: string;
  let number: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "parley-knowledge-page-"));
    providers = await startScriptedProviders("May I bring my dog with me?", reply);
    platform = await Platform.start({ env: { ...providers.env, PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true" } });
    chromium = await Chromium.launch();
    const fields = { name: "Reception", voiceId: null, firstMessage: "Blue Harbor, hello." };
    ({ agentId, number } = await createAgent(platform, fields));
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    await providers.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(address: string, key = platform.apiKey) {
    const { page, problems } = await chromium.open(`${platform.url}${address}#key=${key}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  async function choose(page: Page, name: string, action: string): Promise<void> {
    await page.locator(`button[aria-label="Actions for ${name}"]`).click();
    await page.locator(`[role=menu] ::-p-text(${action})`).click();
  }

  test("lead from none to documents that are uploaded, dropped and pasted, and to a search", async () => {
    const { shown, page, problems } = await open("/knowledge-bases");
    await shown.waitForText("No knowledge bases yet");
    await shown.press("New knowledge base");
    await shown.fill("name", "Hotel");
    await page.keyboard.press("Enter");
    await shown.waitForText("No documents yet");
    await shown.waitForText("at most 20 MB each");
    const [id = ""] = /[0-9a-f-]{36}/.exec(page.url()) ?? [];
    baseId = id;
    const files = await Promise.all(
      [
        { name: "handbook.md", text: HANDBOOK },
        { name: "scan.pdf", text: "no PDF" },
        { name: "prices.xlsx", text: "x" },
      ].map(async ({ name, text }) => {
        await writeFile(path.join(folder, name), text);
        return path.join(folder, name);
      }),
    );
    const input = await page.waitForSelector("input[type=file]");
    await input?.uploadFile(...files);
    await shown.waitForText("save its tables as .csv");
    await shown.waitForText("is damaged or no PDF file");
    await drop(page, [{ name: "breakfast.txt", text: "Breakfast is served from seven to ten." }]);
    await shown.waitForText("breakfast.txt");
    await page.locator("::-p-text(Paste text)").click();
    await shown.fill("name", "Parking");
    await shown.fill("text", "# Garage\n\nThe garage costs 18 euros a day.");
    await shown.press("Add the text");
    await shown.waitForText("4 documents, 3 passages");
    assert.deepEqual(await shown.inspect("knowledge-documents"), []);
    await page.locator("::-p-text(Try a search)").click();
    await shown.fill("query", "May I bring my puppy?");
    await page.keyboard.press("Enter");
    await shown.waitForText("The best first");
    assert.match(await shown.text("main ol li:first-child"), /handbook\.md › .*Pets0\.\d\dDogs stay/);
    assert.deepEqual(await shown.inspect("knowledge-search"), []);
    assert.deepEqual(problems, []);
  });

  test("add a website, say what was not read, and read it again", async (context) => {
    let readings = 0;
    const site = createServer((request, response) => {
      const isHome = request.url === "/";
      if (request.url === "/robots.txt") readings += 1;
      response.writeHead(isHome ? 200 : 404, { "content-type": "text/html" });
      response.end(
        isHome ? '<h1>Pool</h1><p>The pool opens at six.</p><nav><a href="/old">Old</a></nav>' : "",
      );
    }).listen(0, "127.0.0.1");
    context.after(() => site.close());
    await once(site, "listening");
    const { port } = site.address() as AddressInfo;
    const { shown, page, problems } = await open(`/knowledge-bases/${baseId}`);
    await page.locator("::-p-text(Website)").click();
    await shown.fill("url", "example.com");
    await shown.press("Add the website");
    await shown.waitForText("must begin with https:// or http://");
    await shown.fill("url", `http://127.0.0.1:${port}`);
    await shown.fill("maxPages", "5");
    await shown.press("Add the website");
    await shown.waitForText("5 documents, 4 passages");
    await page.locator(`a::-p-text(127.0.0.1:${port})`).click();
    await shown.waitForText("1 page of at most 5 read");
    await shown.waitForText(`http://127.0.0.1:${port}/old: The server answered 404.`);
    await shown.waitForText("A search returns these passages");
    assert.match(await shown.text("main ol li:first-child"), /^Pool, http:.*The pool opens at six\.$/);
    assert.deepEqual(await shown.inspect("knowledge-website"), []);
    await shown.press("Read it again");
    await waitFor("second reading", async () => readings === 2);
    await shown.waitForText("1 page of at most 5 read");
    assert.deepEqual(problems, []);
  });

  test("a caller hears what a document says, and the call's page names the source", async () => {
    const { shown, page, problems } = await open(`/agents/${agentId}?group=knowledge`);
    await page.locator('input[data-path="knowledgeBaseIds"]').click();
    await page.locator("[role=option] ::-p-text(Hotel)").click();
    await shown.press("Save");
    await shown.waitForText("saved");
    const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550720078" });
    await caller.agentToFinish();
    await caller.say(await readRecording("go-forward.wav"));
    await caller.agentToSpeak();
    await caller.agentToFinish();
    const callId = (await newestCallOf(platform, agentId)())?.id ?? "";
    await caller.hangUp();
    await caller.close();
    await page.goto(`${platform.url}/calls/${callId}`);
    await shown.waitForText("Yes, for twelve euros a night.");
    await page.locator("summary ::-p-text(of knowledge)").click();
    await shown.waitForText("Dogs stay for twelve euros");
    await page.locator("details ::-p-text(handbook.md)").click();
    await shown.waitForText("A search returns these passages");
    assert.match(await shown.text("main ol"), /Blue Harbor Hotel › Pets.*Cats are not allowed/);
    assert.deepEqual(await shown.inspect("knowledge-document"), []);
    assert.deepEqual(problems, []);
  });

  test("a viewer reads and searches without buttons, and a deletion names the agents", async () => {
    const { key } = await platform.api.createApiKey({ name: "Reader", role: "read" });
    const viewer = await open(`/knowledge-bases/${baseId}`, key);
    await viewer.shown.waitForText("handbook.md");
    assert.doesNotMatch(await viewer.shown.text("main"), /Choose files|Paste text/);
    assert.deepEqual(await viewer.page.$$('button[aria-label^="Actions for"]'), []);
    const { shown, page } = await open(`/knowledge-bases/${baseId}`);
    await choose(page, "scan.pdf", "Delete");
    await page.locator("[role=dialog] button ::-p-text(Delete)").click();
    await shown.waitForText("4 documents");
    await page.goto(`${platform.url}/knowledge-bases`);
    await choose(page, "Hotel", "Rename");
    await shown.fill("name", "Blue Harbor");
    await shown.press("Save");
    await choose(page, "Blue Harbor", "Delete");
    await shown.waitForText("will no longer answer from it: Reception");
    await page.locator("[role=dialog] button ::-p-text(Delete)").click();
    await shown.waitForText("No knowledge bases yet");
  });
});
