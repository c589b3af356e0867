/**
 * Script per frame while the dashboard's list of calls is scrolled, with 10,000 calls, and while its pages are turned.
 *
 *     npm run bench -- scrolling [--json] [--calls N] [--seconds N]
 *
 * Chromium scrolls the page down and up by its wheel. A trace of its main thread gives the time of scripts between the
 * beginnings of two frames.
 */
import { parseArgs } from "node:util";
import { findEmbeddedPostgres } from "../apps/server/src/platform/database/embedded-postgres.ts";
import { createAgent } from "../e2e/support/platform/agents.ts";
import { Platform } from "../e2e/support/platform/platform.ts";
import { Chromium } from "../e2e/support/web/chromium.ts";
import { insertRows } from "./calls-list/insert-calls.ts";
import { scriptPerFrame } from "./scrolling/script-per-frame.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "10000" },
    seconds: { type: "string", default: "10" },
  },
});

const STEP_PX = 120;
const STEP_MS = 16;
const STEPS_PER_DIRECTION = 20;
const PAGES_TURNED = 10;

/** Stores the calls in the platform's own database. */
async function fill(platform: Platform): Promise<void> {
  const { agentId, sipTrunkId } = await createAgent(platform);
  const { id: organizationId } = await platform.api.getOrganization();
  const database = await findEmbeddedPostgres({ dataDirectory: platform.dataDirectory });
  if (database === undefined) throw new Error("the platform's database was not found");
  const ids = { organizationId, otherId: organizationId, agentIds: [agentId], trunkId: sipTrunkId };
  await insertRows(database, ids, Number(options.calls));
}

const yardstick = new Yardstick();
const platform = await Platform.start();
const chromium = await Chromium.launch();
try {
  await fill(platform);
  const { page } = await chromium.open(`${platform.url}/calls#key=${platform.apiKey}`);
  await page.setViewport({ width: 1280, height: 800 });
  await page.waitForSelector("tbody tr:nth-child(50)");
  await page.mouse.move(640, 500);
  const scrolled = await scriptPerFrame(page, async () => {
    const endMs = performance.now() + Number(options.seconds) * 1000;
    for (let step = 0; performance.now() < endMs; step++) {
      const isDown = Math.floor(step / STEPS_PER_DIRECTION) % 2 === 0;
      await page.mouse.wheel({ deltaY: isDown ? STEP_PX : -STEP_PX });
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
  });
  const turned = await scriptPerFrame(page, async () => {
    for (let index = 0; index < PAGES_TURNED; index++) {
      await page.click('[aria-label="next page"]');
      await page.waitForFunction(`document.body.textContent.includes("${50 * (index + 1) + 1}–")`);
    }
  });
  const rows = Object.entries({ scrolling: scrolled, "turning pages": turned }).map(([action, framesMs]) => ({
    action,
    frames: framesMs.length,
    p50Ms: rounded(percentile(framesMs, 0.5)),
    p99Ms: rounded(percentile(framesMs, 0.99)),
    maxMs: rounded(Math.max(...framesMs)),
  }));
  console.table(rows);
  const report = yardstick.finish({ "slowest frame of scrolling": rows[0]?.maxMs ?? null });
  if (options.json) console.log(JSON.stringify({ rows, ...report }));
} finally {
  await chromium.close();
  await platform.stop();
}
