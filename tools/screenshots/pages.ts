/** Every page of the dashboard, and the widget, as an image, light and dark, on a desktop and a phone. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { Chromium } from "../../e2e/support/web/chromium.ts";
import { ParleyPage } from "../../e2e/support/web/parley-page.ts";
import { originOf } from "../../e2e/support/web/people.ts";
import { type SeededPlatform, startSeeded } from "./seed.ts";
import { photographWidget } from "./widget-images.ts";

const ROUTES = "apps/dashboard/src/modules/**/*.routes.ts";
const DOCS_SIZE = { width: 1280, height: 800 };
/** Mantine's placeholder of what is loading. */
const IS_LOADED =
  'document.querySelector("h1") !== null && document.querySelector(".mantine-Skeleton-root") === null';
const LOADED_DEADLINE_MS = 30_000;

/** Pages of people who are not signed in. */
const openPages = ["/sign-in", "/sign-up", "/accept-invitation", "/reset-password"];

function pagesOf(seeded: SeededPlatform): readonly string[] {
  const { agentId, callId, trunkId, organizationId, campaignId, contactId } = seeded;
  const { connectionId, conversationId, customerId, baseId, documentId } = seeded;
  return [
    "/overview?period=7d",
    "/agents",
    "/agents/new",
    `/agents/${agentId}`,
    `/agents/${agentId}/tools`,
    `/agents/${agentId}/environments`,
    `/agents/${agentId}/versions`,
    `/agents/${agentId}/versions/2`,
    "/voices",
    "/knowledge-bases",
    `/knowledge-bases/${baseId}`,
    `/knowledge-bases/${baseId}/search`,
    `/knowledge-bases/${baseId}/documents/${documentId}`,
    "/calls",
    ...["conversation", "latency", "results", "webhooks", "signaling"].map(
      (tab) => `/calls/${callId}?tab=${tab}`,
    ),
    "/campaigns",
    "/campaigns/new",
    `/campaigns/${campaignId}`,
    `/campaigns/${campaignId}/contacts`,
    `/campaigns/${campaignId}/contacts/${contactId}`,
    `/campaigns/${campaignId}/add-contacts`,
    "/messages",
    `/messages/${conversationId}`,
    "/customers",
    `/customers/${customerId}`,
    "/messaging-connections",
    "/messaging-connections/new",
    `/messaging-connections/${connectionId}`,
    ...testSuitePagesOf(seeded),
    "/phone-numbers",
    "/sip-trunks",
    "/sip-trunks/new",
    `/sip-trunks/${trunkId}`,
    "/try",
    "/docs",
    "/settings/organization",
    "/settings/members",
    "/settings/api-keys",
    "/settings/providers",
    "/settings/webhooks",
    "/settings/do-not-call",
    "/settings/audit-log",
    "/settings/appearance",
    "/operator/organizations",
    `/operator/organizations/${organizationId}`,
    "/operator/phone-numbers",
    "/operator/nodes",
    "/operator/checks",
    "/operator/audit-log",
    "/account",
    "/settings/none/such/page",
  ];
}

function testSuitePagesOf({ suiteId, testId, runId }: SeededPlatform): readonly string[] {
  const below = ["", "/runs", "/settings", "/new-case", `/tests/${testId}`, `/runs/${runId}`, "/compare"];
  return ["/test-suites", "/test-suites/new", ...below.map((each) => `/test-suites/${suiteId}${each}`)];
}

/** The images of the README, by their pages. */
function imagesOf({ agentId, callId, suiteId, runId }: SeededPlatform): Readonly<Record<string, string>> {
  return {
    "call-page": `/calls/${callId}`,
    "agent-page": `/agents/${agentId}`,
    "overview-page": "/overview?period=7d",
    "test-run": `/test-suites/${suiteId}/runs/${runId}`,
  };
}

type Open = (address: string, cookie?: string) => Promise<ParleyPage>;

/** Fills a platform, and visits its pages with a browser. */
async function visit(
  work: (seeded: SeededPlatform, open: Open, chromium: Chromium) => Promise<void>,
): Promise<void> {
  const seeded = await startSeeded();
  const chromium = await Chromium.launch();
  try {
    const open: Open = async (address, cookie = seeded.owner.cookie) => {
      const { page } = await chromium.open(`${originOf(seeded.platform)}${address}`, cookie);
      await page.waitForFunction(IS_LOADED, { timeout: LOADED_DEADLINE_MS });
      return new ParleyPage(page);
    };
    await work(seeded, open, chromium);
  } finally {
    await chromium.close();
    await seeded.close();
  }
}

/** Returns the number of images. */
export async function photographPages(folder: string): Promise<number> {
  let count = 0;
  const photograph = async (name: string, shown: ParleyPage): Promise<void> => {
    await shown.forEachLook(async (look) => {
      await shown.page.screenshot({ path: `${folder}/${name}-${look}.png`, fullPage: true });
      count += 1;
    });
    await shown.page.browserContext().close();
  };
  await visit(async (seeded, open, chromium) => {
    const pages = pagesOf(seeded);
    await requireAllRoutes([...pages, ...openPages]);
    for (const address of openPages) await photograph(nameOf(address), await open(address, ""));
    for (const address of pages) await photograph(nameOf(address), await open(address));
    count += await photographWidget(seeded, chromium, folder);
  });
  return count;
}

export async function photographForDocs(folder: string): Promise<void> {
  await visit(async (seeded, open) => {
    for (const [name, address] of Object.entries(imagesOf(seeded))) {
      const { page } = await open(address);
      await page.setViewport(DOCS_SIZE);
      await page.screenshot({ path: `${folder}/${name}.png` });
    }
  });
}

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

function nameOf(address: string): string {
  return address
    .slice(1)
    .replaceAll(UUID, "one")
    .replaceAll(/[^a-z0-9]+/g, "-");
}

/** Fails if the dashboard has a route that is not among the pages: its file names the end of its path. */
async function requireAllRoutes(pages: readonly string[]): Promise<void> {
  const paths = pages.map((page) => page.split("?")[0] ?? "");
  for await (const file of glob(ROUTES)) {
    const text = await readFile(file, "utf8");
    for (const [, route = ""] of text.matchAll(/^ {2}path: "([^"]*)"/gm)) {
      if (route === "/" || ["/settings", "/operator"].includes(route)) continue;
      const ending = new RegExp(`${route.replaceAll(/\$\w+/g, "[^/]+")}$`);
      assert.ok(
        paths.some((each) => ending.test(each)),
        `${path.basename(file)}: no screenshot of ${route}`,
      );
    }
  }
}
