import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { waitFor } from "@parley/testing";
import type { Page } from "puppeteer-core";
import type { Chromium } from "./chromium.ts";

/** Runs in the page: the widget's shadow root, `undefined` before it is shown. */
const ROOT = 'document.querySelector("parley-widget")?.shadowRoot';
/** Texts of both sides, without the names of the sides that only screen readers read. */
const SHOWN_BUBBLES = `[...(${ROOT}?.querySelectorAll(".bubble .text") ?? [])].map(({ textContent }) => textContent)`;

/** A web server of a customer, whose pages a test writes. */
export class Shop {
  readonly #server: Server;
  readonly #pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>();

  private constructor() {
    this.#server = createServer(({ url = "/" }, response) => {
      const { html, headers } = this.#pages.get(url) ?? { html: "", headers: {} };
      response.setHeader("content-type", "text/html; charset=utf-8");
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.end(`<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1></main>${html}`);
    });
  }

  static async start(): Promise<Shop> {
    const shop = new Shop();
    await new Promise<void>((resolve) => shop.#server.listen(0, "127.0.0.1", resolve));
    return shop;
  }

  /** Adds a page. Returns its address. */
  add(html: string, headers: Readonly<Record<string, string>> = {}): string {
    const path = `/page-${this.#pages.size}`;
    this.#pages.set(path, { html, headers });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A page that shows a widget, used as a visitor does. */
export class WidgetPage {
  readonly page: Page;
  /** The page's errors and warnings so far. */
  readonly problems: string[];

  constructor(page: Page, problems: string[]) {
    this.page = page;
    this.problems = problems;
  }

  static async open(chromium: Chromium, address: string): Promise<WidgetPage> {
    const { page, problems } = await chromium.open(address, "", "load");
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return new WidgetPage(page, problems);
  }

  async press(label: string): Promise<void> {
    await this.page.locator(`>>> button[aria-label="${label}"]`).click();
  }

  /** Presses the button with this text. */
  async pressText(text: string): Promise<void> {
    const find = async () => {
      for (const button of await this.page.$$(">>> button"))
        if ((await button.evaluate(({ textContent }) => textContent)).trim() === text) return button;
      return undefined;
    };
    await (await waitFor(`the button ${text}`, find)).click();
  }

  async write(text: string): Promise<void> {
    await this.page.type(">>> textarea", text);
    await this.page.keyboard.press("Enter");
  }

  async bubbles(): Promise<string[]> {
    return (await this.page.evaluate(SHOWN_BUBBLES)) as string[];
  }

  /** Waits until these are all messages. */
  async waitForBubbles(...texts: string[]): Promise<void> {
    let shown: string[] = [];
    const isShown = async (): Promise<boolean> => {
      shown = await this.bubbles();
      return JSON.stringify(shown) === JSON.stringify(texts);
    };
    await waitFor("the messages", isShown).catch(() => assert.deepEqual(shown, texts));
  }

  /** Returns the text of the first element; `undefined` if there is none. */
  async text(selector: string): Promise<string | undefined> {
    return await this.evaluate(`root?.querySelector(${JSON.stringify(selector)})?.textContent`);
  }

  /** Waits for an element whose text contains these words. */
  async waitForText(selector: string, words: string): Promise<string> {
    let shown: string | undefined;
    const find = async (): Promise<string | false> => {
      shown = await this.text(selector);
      return shown?.includes(words) === true && shown;
    };
    return await waitFor(words, find).catch((error: unknown) => {
      throw new Error(`${selector} has the text ${shown}`, { cause: error });
    });
  }

  /** Evaluates an expression in the page, in which `root` is the widget's shadow root. */
  async evaluate<T>(expression: string): Promise<T> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the page's own script is known
    return (await this.page.evaluate(`((root) => ${expression})(${ROOT})`)) as T;
  }
}
