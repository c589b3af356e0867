import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sections } from "@parley/dashboard/sections";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const MAX_FIRST_LOAD_BYTES = 250_000;

describe("the dashboard", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;

  before(async () => {
    platform = await Platform.start();
    chromium = await Chromium.launch();
    await createAgent(platform);
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
  });

  async function open(path: string, { isSignedIn = true } = {}) {
    const fragment = isSignedIn ? `#key=${platform.apiKey}` : "";
    const { page, problems } = await chromium.open(`${platform.url}${path}${fragment}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), problems };
  }

  /** Bytes of all scripts and styles that the page has loaded, compressed by gzip. */
  async function loadedBytes({ page }: ParleyPage): Promise<number> {
    const urls = (await page.evaluate(
      'performance.getEntriesByType("resource").map(({ name }) => name)',
    )) as string[];
    const assets = urls.filter((url) => url.includes("/assets/"));
    assert.ok(assets.length > 2);
    const sizes = await Promise.all(
      assets.map(async (url) => {
        const response = await fetch(url, { headers: { "accept-encoding": "gzip" } });
        await response.arrayBuffer();
        return Number(response.headers.get("content-length"));
      }),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  test("each section opens by its address, without faults in light and dark, on desktop and phone", async () => {
    for (const { path } of sections) {
      const { shown, problems } = await open(path);
      await shown.waitForText("Parley");
      assert.deepEqual(await shown.inspect(`section-${path.slice(1)}`), []);
      assert.deepEqual(problems, [], path);
      assert.match(await shown.page.title(), / · Parley$/);
    }
  });

  test("loads less than 250 kB for its first page", async () => {
    const { shown } = await open("/agents");
    await shown.waitForText("Railway club");
    const bytes = await loadedBytes(shown);
    assert.ok(bytes < MAX_FIRST_LOAD_BYTES, `${bytes} bytes`);
  });

  test("shows the API reference in its frame, which tries operations with the key of the dashboard", async () => {
    const { shown } = await open("/docs");
    const { page } = shown;
    const element = await page.waitForSelector('iframe[title="API reference"]');
    const frame = (await element?.contentFrame()) ?? assert.fail("no frame");
    const press = async (condition: string): Promise<void> => {
      const button = await frame.waitForSelector(`xpath///button[${condition}]`, { timeout: 30_000 });
      await button?.evaluate((each) => (each as unknown as { click: () => void }).click());
    };
    await frame.evaluate('location.hash = "tag/agents/GET/agents"');
    await press("contains(., 'Test Request') and contains(., '(get /agents)')");
    const [answer] = await Promise.all([
      page.waitForResponse((response) => new URL(response.url()).pathname === "/v1/agents"),
      press("contains(., 'Send get request')"),
    ]);
    assert.deepEqual([answer.status(), answer.request().headers()["x-api-key"]], [200, platform.apiKey]);
    await frame.evaluate("document.body.dataset.loaded = 'once'");
    for (const scheme of ["dark", "light"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await frame.waitForSelector(`:root[style*="${scheme}"] > body.${scheme}-mode[data-loaded=once]`);
    }
  });

  test("asks somebody who is not signed in for a key, and then shows the page that was asked for", async () => {
    const { shown } = await open("/agents", { isSignedIn: false });
    assert.deepEqual(await shown.inspect("sign-in-by-key"), []);
    await shown.page.type("input", platform.apiKey);
    await shown.press("Continue");
    await shown.waitForText("Railway club");
  });

  test("explains an address that names no page, and leads back", async () => {
    const { shown } = await open("/try/none/such/page");
    await shown.waitForText("Page not found");
    assert.deepEqual(await shown.inspect("page-not-found"), []);
    await shown.page.locator("main ::-p-text(To the start page)").click();
    await shown.waitForText("First steps");
    assert.equal(new URL(shown.page.url()).pathname, "/overview");
  });

  test("moves the focus with the page, and opens its navigation in a drawer on a phone", async () => {
    const { shown } = await open("/agents");
    const { page } = shown;
    await page.keyboard.press("Tab");
    assert.equal(await focused(shown), "Skip to the content");
    await page.keyboard.press("Enter");
    await page.waitForFunction('document.activeElement.id === "main"');
    await page.setViewport({ width: 375, height: 812 });
    await page.locator("button[aria-label=Navigation]").click();
    const link = await page.waitForSelector('[role=dialog] a[href="/try"]', { visible: true });
    await link?.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction('document.querySelector("[role=dialog]") === null');
    await shown.waitForText("Try an agent");
    await page.waitForFunction('document.activeElement.textContent === "Try an agent"');
  });

  test("creates an agent by keyboard alone, shows what is missing, and guards what is not saved", async () => {
    const { shown, problems } = await open("/agents/new");
    const { page } = shown;
    await shown.press("Create agent");
    await shown.waitForText("is required");
    await page.waitForFunction('document.activeElement.dataset.path === "name"');
    await page.keyboard.type("Night desk");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Good evening.");
    await page.locator("main ::-p-text(Cancel)").click();
    await shown.waitForText("Leave without saving?");
    assert.deepEqual(await shown.inspect("unsaved-changes"), []);
    await page.keyboard.press("Escape");
    await page.waitForFunction('document.querySelector("[role=dialog]") === null');
    await page.focus("[data-path=name]");
    await page.keyboard.press("Enter");
    await page.waitForFunction('document.title === "Night desk · Parley"');
    const { data } = await platform.api.listAgents({ search: "Night" });
    assert.equal(data[0]?.firstMessage, "Good evening.");
    assert.deepEqual(problems, []);
  });
});

async function focused({ page }: ParleyPage): Promise<string> {
  return String(await page.evaluate("document.activeElement.textContent"));
}
