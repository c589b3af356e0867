import { mkdir } from "node:fs/promises";
import type { Page } from "puppeteer-core";
import { violationsOf } from "./accessibility.ts";

export const DEADLINE_MS = 30_000;
const SCHEMES = ["light", "dark"] as const;
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 375, height: 812 } } as const;

/**
 * Waits until a change of the color scheme or of the size has its last effect.
 * A transition of inherited color begins further ones when it ends, so one look at them is not enough.
 * A spinner's animation does not end.
 */
const COLORS_ARE_FINAL = `(async () => {
  for (let quietFrames = 0; quietFrames < 2; ) {
    await new Promise(requestAnimationFrame);
    const changing = document.getAnimations()
      .filter(({ effect, playState }) => playState === "running" && effect.getComputedTiming().endTime !== Infinity);
    quietFrames = changing.length === 0 ? quietFrames + 1 : 0;
    await Promise.allSettled(changing.map(({ finished }) => finished));
  }
})()`;

/** More elements than any page has that take the focus. */
const MAX_TABS = 150;

/** Name of the element that has the focus, as a screen reader reads it. */
const FOCUSED_NAME = `(({ activeElement: element }) => {
  const named = document.getElementById(element.getAttribute("aria-labelledby"));
  const text = element.getAttribute("aria-label") ?? named?.textContent ?? element.labels?.[0]?.textContent ?? element.textContent;
  return text.replace(/\\s*\\*$/, "").trim();
})(document)`;

/** A page of the dashboard, used by its visible texts. */
export class ParleyPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses the button with this text. */
  async press(words: string): Promise<void> {
    await this.page.locator(`button ::-p-text(${words})`).click();
  }

  async waitForText(words: string): Promise<void> {
    await this.page.waitForSelector(`::-p-text(${words})`, { timeout: DEADLINE_MS });
  }

  /** Replaces the text of a field of a form, by keyboard. */
  async fill(path: string, text: string): Promise<void> {
    const field = await this.page.waitForSelector(`[data-path="${path}"]`, { timeout: DEADLINE_MS });
    await field?.focus();
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press("a");
    await this.page.keyboard.up("Control");
    await this.page.keyboard.type(text);
  }

  /** Moves the focus by the Tab key, as somebody without a mouse does, until it is on the element with this name. */
  async tabTo(name: string): Promise<void> {
    const passed: string[] = [];
    while (passed.length < MAX_TABS) {
      await this.page.keyboard.press("Tab");
      const focused = String(await this.page.evaluate(FOCUSED_NAME));
      if (focused === name) return;
      passed.push(focused.slice(0, 40));
    }
    throw new Error(`the Tab key reaches nothing named ${name}: ${passed.join(" | ")}`);
  }

  /** Moves the focus to the element with this name and presses Enter, by keyboard alone. */
  async activate(name: string): Promise<void> {
    await this.tabTo(name);
    await this.page.keyboard.press("Enter");
  }

  /** Chooses from a list of a form. */
  async choose(path: string, words: string): Promise<void> {
    const field = `input[data-path="${path}"]`;
    await this.page.locator(field).click();
    // Hidden lists of other fields have options with the same text.
    const opened = await this.page.waitForSelector(`${field}[aria-expanded=true]`);
    const list = `[id="${await opened?.evaluate((input) => input.getAttribute("aria-controls"))}"]`;
    await this.page.locator(`${list} ::-p-text(${words})`).click();
    // The list that fades covers the next field.
    await this.page.waitForSelector(list, { hidden: true });
  }

  /** Returns the text of an element; empty if it does not exist. */
  async text(selector: string): Promise<string> {
    const elements = await this.page.$$(selector);
    const texts = await Promise.all(
      elements.map(async (element) => await (await element.getProperty("textContent")).jsonValue()),
    );
    return texts.join(" ");
  }

  /** Returns those of the elements that a phone's screen does not show completely without scrolling. */
  async hiddenOnPhone(selectors: readonly string[]): Promise<string[]> {
    const { width, height } = SIZES.phone;
    await this.page.setViewport({ width, height });
    await this.page.evaluate("scrollTo(0, 0)");
    const boxes = await Promise.all(
      selectors.map(async (selector) => await (await this.page.$(selector))?.boundingBox()),
    );
    await this.page.setViewport(SIZES.desktop);
    return selectors.filter((_selector, index) => {
      const box = boxes[index];
      return !box || box.height === 0 || box.y < 0 || box.y + box.height > height;
    });
  }

  /**
   * Returns the faults of the page in light and dark, on a desktop and on a phone: accessibility violations,
   * and elements wider than the screen. Saves screenshots to the folder in PARLEY_SCREENSHOTS, if it is set.
   */
  async inspect(name: string): Promise<string[]> {
    const found: string[] = [];
    await this.forEachLook(async (look, { width }) => {
      await this.#photograph(`${name}-${look}`);
      const violations = await violationsOf(this.page);
      found.push(...violations.map((each) => `${name}, ${look}: ${each}`));
      const widthPx = await this.page.evaluate("document.documentElement.scrollWidth");
      if (Number(widthPx) > width) found.push(`${name}, ${look}: ${String(widthPx)} pixels wide`);
    });
    return found;
  }

  /** Shows the page in light and dark, on a desktop and on a phone. */
  async forEachLook(visit: (look: string, size: { width: number }) => Promise<void>): Promise<void> {
    for (const [device, size] of Object.entries(SIZES)) {
      await this.page.setViewport(size);
      for (const scheme of SCHEMES) {
        await this.page.emulateMediaFeatures([
          { name: "prefers-color-scheme", value: scheme },
          { name: "prefers-reduced-motion", value: "reduce" },
        ]);
        await this.page.evaluate(COLORS_ARE_FINAL);
        await visit(`${device}-${scheme}`, size);
      }
    }
    await this.page.setViewport(SIZES.desktop);
  }

  async #photograph(name: string): Promise<void> {
    const folder = process.env["PARLEY_SCREENSHOTS"];
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }
}
