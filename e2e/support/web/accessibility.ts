import axe from "axe-core";
import type { Page } from "puppeteer-core";

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/**
 * Returns the violations of WCAG 2.2 A and AA, and of axe's best practices, on the page as it is shown now.
 */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  // Preloading writes style elements for shadow roots, which the page's content security policy refuses.
  const violations = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], preload: false }).then(({ violations }) => violations)',
  );
  return (violations as Violation[]).map(({ id, help, nodes }) => {
    const places = nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary ?? ""}`);
    return `${id}: ${help}\n${places.join("\n")}`;
  });
}
