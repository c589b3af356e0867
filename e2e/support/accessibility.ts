import axe from "axe-core";
import type { Page } from "puppeteer-core";

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What of WCAG 2.2 A and AA, and of axe's own advice, a page offends against as it is shown now. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return (violations as Violation[]).map(({ id, help, nodes }) => {
    const places = nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary ?? ""}`);
    return `${id}: ${help}\n${places.join("\n")}`;
  });
}
