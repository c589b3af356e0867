/**
 * `npm run lighthouse`: the scores of the dashboard's main pages, of a platform that is filled by real calls, in the Chromium of
 * the tests. Fails if performance, accessibility or best practices of a page are below 95 on a desktop. The scores of a
 * slow phone, by Lighthouse's simulation, are printed for comparison. `-- --details` prints what costs; names select pages:
 * `-- overview agents`.
 */
import lighthouse, { desktopConfig } from "lighthouse";
import { Chromium } from "../../e2e/support/web/chromium.ts";
import { originOf } from "../../e2e/support/web/people.ts";
import { type SeededPlatform, startSeeded } from "../screenshots/seed.ts";

const MIN_SCORE = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices"] as const;

function pagesOf({ agentId, callId }: SeededPlatform): Readonly<Record<string, string>> {
  return {
    overview: "/overview?period=7d",
    agents: "/agents",
    "one agent": `/agents/${agentId}`,
    calls: "/calls",
    "one call": `/calls/${callId}`,
  };
}

interface Scores {
  page: string;
  device: "desktop" | "phone";
  performance: number;
  accessibility: number;
  "best-practices": number;
  /** Lighthouse's measure of the machine: about 1,500 and more on an idle desktop. */
  benchmark: number;
}

async function score(
  chromium: Chromium,
  url: string,
  cookie: string,
  device: Scores["device"],
): Promise<Omit<Scores, "page" | "device">> {
  const { page } = await chromium.open(url, cookie);
  const flags = { onlyCategories: [...CATEGORIES], disableStorageReset: true, logLevel: "error" as const };
  const result = await lighthouse(url, flags, device === "desktop" ? desktopConfig : undefined, page);
  await page.browserContext().close();
  const categories = result?.lhr.categories ?? {};
  const scoreOf = (name: string): number => Math.round(100 * (categories[name]?.score ?? 0));
  if (process.argv.includes("--details")) console.log(`${device}: ${url}`);
  for (const audit of Object.values(result?.lhr.audits ?? {})) {
    const isCounted = audit.score !== null && audit.score < 0.9 && audit.scoreDisplayMode !== "informative";
    if (isCounted && process.argv.includes("--details"))
      console.log(`  ${audit.id}: ${audit.score} ${audit.displayValue ?? ""}`);
  }
  return {
    performance: scoreOf("performance"),
    accessibility: scoreOf("accessibility"),
    "best-practices": scoreOf("best-practices"),
    benchmark: Math.round(result?.lhr.environment.benchmarkIndex ?? 0),
  };
}

const seeded = await startSeeded();
const chromium = await Chromium.launch();
try {
  const rows: Scores[] = [];
  const pages = Object.entries(pagesOf(seeded));
  const selected = pages.filter(([page]) => process.argv.includes(page));
  for (const [page, address] of selected.length > 0 ? selected : pages)
    for (const device of ["desktop", "phone"] as const) {
      const url = `${originOf(seeded.platform)}${address}`;
      rows.push({ page, device, ...(await score(chromium, url, seeded.owner.cookie, device)) });
    }
  console.table(rows);
  const low = rows.filter(
    (row) => row.device === "desktop" && CATEGORIES.some((name) => row[name] < MIN_SCORE),
  );
  if (low.length > 0) {
    console.error(`Below ${MIN_SCORE}: ${low.map(({ page }) => page).join(", ")}`);
    process.exitCode = 1;
  }
} finally {
  await chromium.close();
  await seeded.close();
}
