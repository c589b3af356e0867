import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { mkdir } from "node:fs/promises";
import type { Agent } from "@parley/client/api";
import type { ScriptedChatRequest } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import type { Page } from "puppeteer-core";
import { readRecording } from "../support/audio/recordings.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { violationsOf } from "../support/web/accessibility.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";
import { ScriptedMicrophone } from "../support/web/scripted-microphone.ts";

const ANSWER = "Yes: the night train leaves at ten, from platform four.";
const QUESTION = "And when does it arrive";
/** Texts of both sides, without the names of the sides that only screen readers read. */
const SHOWN_BUBBLES = `[...(document.querySelector("parley-widget")?.shadowRoot.querySelectorAll(".bubble:not(.dots)") ?? [])]
  .map((each) => each.textContent.replace(/^(You|Assistant): /, ""))`;
const SHOWN_TITLE =
  'document.querySelector("parley-widget")?.shadowRoot.querySelector("#title")?.textContent';
const SHOWN_DIRECTION = 'document.querySelector("parley-widget")?.shadowRoot.querySelector("section").dir';
const FOCUSED_LABEL =
  'document.querySelector("parley-widget")?.shadowRoot.activeElement?.getAttribute("aria-label") ?? null';
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 375, height: 812 } } as const;

describe("the widget on a page of another server", { skip: skipWithoutChromium }, () => {
  let providers: ScriptedProviders;
  let platform: Platform;
  let chromium: Chromium;
  let shop: Server;
  let agent: Agent;
  const requests: ScriptedChatRequest[] = [];

  before(async () => {
    providers = await startScriptedProviders(QUESTION, (request) => {
      requests.push(request);
      return { text: ANSWER };
    });
    platform = await Platform.start({ env: providers.env });
    agent = await platform.api.createAgent({
      name: "Ada",
      firstMessage: "Hello.",
      widgetConfig: {
        enabled: true,
        continuity: { sharedMemory: true },
        allowedDomains: ["127.0.0.1"],
        appearance: {
          theme: "auto",
          launcherLabel: "Ask us",
          welcomeMessage: "Welcome to the railway. Where would you like to go?",
        },
      },
    });
    shop = createServer(({ url = "/" }, response) => {
      const strict = [
        "default-src 'none'",
        `script-src ${platform.url}`,
        `connect-src ${platform.url}`,
        "media-src blob:",
      ].join("; ");
      const tag = `<script src="${platform.url}/widget.js" data-widget-key="${agent.widgetKey}" async></script>`;
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.setHeader("content-security-policy", strict);
      response.end(
        `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1><p>Page ${url}</p></main>${tag}`,
      );
    });
    await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
    chromium = await Chromium.launch();
  });

  after(async () => {
    await chromium.close();
    shop.closeAllConnections();
    shop.close();
    await platform.stop();
    await providers.close();
  });

  const addressOf = (host: string): string => `http://${host}:${(shop.address() as AddressInfo).port}/`;

  async function open(size: (typeof SIZES)[keyof typeof SIZES] = SIZES.desktop) {
    const { page, problems } = await chromium.open(addressOf("127.0.0.1"));
    await page.setViewport(size);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { page, problems };
  }

  /** Without transitions, in the middle of which colors have other contrasts. */
  async function setScheme(page: Page, value: string): Promise<void> {
    await page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
  }

  async function press(page: Page, label: string): Promise<void> {
    await page.locator(`>>> button[aria-label="${label}"]`).click();
  }

  async function write(page: Page, text: string): Promise<void> {
    await page.type(">>> textarea", text);
    await page.keyboard.press("Enter");
  }

  const bubbles = async (page: Page): Promise<string[]> => (await page.evaluate(SHOWN_BUBBLES)) as string[];

  const waitForBubble = async (page: Page, text: string): Promise<string[]> =>
    await waitFor(`the words ${text}`, async () => {
      const shown = await bubbles(page);
      return shown.at(-1) === text && shown;
    });

  async function photograph(page: Page, name: string): Promise<void> {
    const folder = process.env["PARLEY_SCREENSHOTS"];
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    for (const value of ["light", "dark"]) {
      await setScheme(page, value);
      await page.screenshot({ path: `${folder}/widget-${name}-${value}.png` });
    }
  }

  test("chats under a strict content security policy, and goes on after a reload in the middle of a reply", async () => {
    const { page, problems } = await open();
    await press(page, "Ask us");
    await waitForBubble(page, "Welcome to the railway. Where would you like to go?");
    assert.equal(await focusedLabel(page), "Your message", "the focus is in the dialog");
    await write(page, "Is there a night train to <b>Vienna</b>?");
    await waitFor("the model's request", () =>
      requests.some(({ lastUserText }) => lastUserText.includes("Vienna")),
    );
    await page.reload();
    const shown = await waitForBubble(page, ANSWER);
    assert.deepEqual(shown, [
      "Welcome to the railway. Where would you like to go?",
      "Is there a night train to <b>Vienna</b>?",
      ANSWER,
    ]);
    assert.deepEqual(await violationsOf(page), []);
    await photograph(page, "chat-desktop");
    await page.keyboard.press("Escape");
    await waitFor("the focus on the launcher", async () => (await focusedLabel(page)) === "Ask us");
    await photograph(page, "closed-desktop");
    assert.deepEqual(problems, []);
  });

  test("sends after a reload what the page before it could not send", async () => {
    const { page, problems } = await open();
    await press(page, "Ask us");
    await page.setRequestInterception(true);
    const held = new Promise<void>((resolve) => {
      let isFirst = true;
      page.on("request", (request) => {
        const isHeld = isFirst && request.method() === "POST" && request.url().endsWith("/chat/messages");
        if (!isHeld) return void request.continue();
        isFirst = false;
        resolve();
      });
    });
    await write(page, "Do not lose me.");
    await held;
    await page.reload();
    const shown = await waitForBubble(page, ANSWER);
    assert.equal(shown.filter((each) => each === "Do not lose me.").length, 1);
    await page.reload();
    assert.deepEqual(await waitForBubble(page, ANSWER), shown, "it is sent once");
    assert.deepEqual(problems, []);
  });

  test("fills the screen of a phone as a modal dialog", async () => {
    const { page, problems } = await open(SIZES.phone);
    await photograph(page, "closed-phone");
    await press(page, "Ask us");
    await page.waitForSelector(">>> dialog:modal");
    const isWhole = async (): Promise<boolean> =>
      isDeepStrictEqual(await (await page.$(">>> dialog"))?.boundingBox(), { x: 0, y: 0, ...SIZES.phone });
    await waitFor("the dialog over the whole screen", isWhole);
    await write(page, "Hello?");
    await waitForBubble(page, ANSWER);
    for (const value of ["light", "dark"]) {
      await setScheme(page, value);
      assert.deepEqual(await violationsOf(page), [], value);
    }
    await photograph(page, "chat-phone");
    await press(page, "Close");
    await page.waitForSelector(">>> dialog:not([open])");
    assert.deepEqual(problems, []);
  });

  test("goes from a chat to a call that knows what was written, and back", async () => {
    const { page, problems } = await open();
    const microphone = await ScriptedMicrophone.install(page);
    await press(page, "Ask us");
    await write(page, "My ticket has the number 4711.");
    await waitForBubble(page, ANSWER);
    await press(page, "Call");
    await page.waitForSelector(">>> .call[data-state=listening], >>> .call[data-state=speaking]");
    await waitFor("the greeting", async () => (await page.$$(">>> .captions .agent")).length > 0);
    await page.waitForSelector(">>> .call[data-state=listening]");
    requests.length = 0;
    await microphone.say(await readRecording("go-forward.wav"));
    const request = await waitFor("the model's request of the call", () =>
      requests.find(({ messages }) => JSON.stringify(messages).includes(QUESTION)),
    );
    assert.match(JSON.stringify(request.messages), /4711/);
    await waitFor("the caption", async () => (await page.$$(">>> .captions .user")).length > 0);
    assert.deepEqual(await violationsOf(page), []);
    await photograph(page, "call-desktop");
    await press(page, "Write");
    await page.waitForSelector(">>> .call-bar");
    await press(page, "Hang up");
    await page.waitForSelector(">>> .call-bar", { hidden: true });
    await write(page, "Thank you.");
    await waitForBubble(page, ANSWER);
    assert.deepEqual(problems, []);
  });

  test("is previewed in the dashboard while its settings are edited, beside the tag for pages", async () => {
    const url = `${platform.url}/agents/${agent.id}?group=widget#key=${platform.apiKey}`;
    const { page, problems } = await chromium.open(url);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    const shown = new ParleyPage(page);
    await shown.waitForText("On your pages");
    const copied = await page.evaluate(
      '[...document.querySelectorAll("input")].map(({ value }) => value).join()',
    );
    assert.ok(String(copied).includes(`/widget.js" data-widget-key="${agent.widgetKey}"`), String(copied));
    await shown.fill("widgetConfig.appearance.agentDisplayName", "Grace");
    const frame = await page.waitForFrame((each) => each.url().endsWith("/widget-preview"));
    await waitFor(
      "the name in the preview",
      async () => (await frame.evaluate(SHOWN_TITLE)) === "Grace",
      8_000,
    );
    await page.locator(`input[placeholder="The agent's language"]`).click();
    await page.locator("[role=option] ::-p-text(Arabic)").click();
    await waitFor("the preview in Arabic", async () => (await frame.evaluate(SHOWN_DIRECTION)) === "rtl");
    await page.waitForSelector(`input[value*='data-language="ar"']`);
    assert.deepEqual(await shown.inspect("agent-widget"), []);
    assert.deepEqual(problems, []);
  });

  test("is not shown on a page whose host is not allowed, and says why in the console", async () => {
    const { page, problems } = await chromium.open(addressOf("localhost"));
    await waitFor("the reason", () => problems.some((each) => each.includes("allowedDomains")));
    assert.equal(await page.$("parley-widget"), null);
  });
});

const focusedLabel = async (page: Page): Promise<unknown> => await page.evaluate(FOCUSED_LABEL);
