import { mkdir } from "node:fs/promises";
import type { Page } from "puppeteer-core";
import { violationsOf } from "./accessibility.ts";

const DEADLINE_MS = 30_000;
const SCHEMES = ["light", "dark"] as const;
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

/** The page `/try` as somebody uses it who reads its words. */
export class TryPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses the button with these words on it. */
  async press(words: string): Promise<void> {
    const button = await this.page.waitForSelector(`button ::-p-text(${words})`, { timeout: DEADLINE_MS });
    await button?.click();
  }

  async waitForText(words: string): Promise<void> {
    await this.page.waitForSelector(`::-p-text(${words})`, { timeout: DEADLINE_MS });
  }

  /** What an element shows; empty where there is none. */
  async text(selector: string): Promise<string> {
    const elements = await this.page.$$(selector);
    const texts = await Promise.all(
      elements.map(async (element) => await (await element.getProperty("textContent")).jsonValue()),
    );
    return texts.join(" ");
  }

  /** Before a call: keeps its connections in sight. */
  async watchConnections(): Promise<void> {
    await this.page.evaluate(`{
      const Connection = RTCPeerConnection;
      window.connections = [];
      window.connectedCount = 0;
      window.RTCPeerConnection = class extends Connection {
        constructor(...options) {
          super(...options);
          window.connections.push(this);
          this.addEventListener("connectionstatechange", () => {
            if (super.connectionState === "connected") window.connectedCount++;
          });
        }
      };
    }`);
  }

  /** Has the browser notice that the call's connection has failed. Its real network is out of reach from here. */
  async loseConnection(): Promise<void> {
    await this.page.evaluate(`{
      const connection = window.connections.at(-1);
      Object.defineProperty(connection, "connectionState", { value: "failed" });
      connection.dispatchEvent(new Event("connectionstatechange"));
    }`);
  }

  /** How many connections have come about since `watchConnections`. */
  async connectedCount(): Promise<number> {
    return Number(await this.page.evaluate("window.connectedCount"));
  }

  /** How many connections have been made since `watchConnections`, whether they came about or not. */
  async connectionCount(): Promise<number> {
    return Number(await this.page.evaluate("window.connections.length"));
  }

  /** The first connection's own name in its present generation of ICE, once the server has agreed to that. */
  async iceUfrag(): Promise<string> {
    return String(
      await this.page.evaluate(
        "/a=ice-ufrag:(.*)/.exec(window.connections[0].currentLocalDescription?.sdp ?? '')?.[1]",
      ),
    );
  }

  /** Writes an instruction and sends it. */
  async instruct(text: string): Promise<void> {
    await this.page.type("textarea", text);
    await this.page.keyboard.press("Enter");
  }

  /** Length of the recording that the page plays; `NaN` until the browser has opened it. */
  async recordedMs(): Promise<number> {
    return Number(await this.page.evaluate("document.querySelector('audio')?.duration * 1000"));
  }

  /** The text behind a link that downloads it. */
  async downloadText(words: string): Promise<string> {
    const link = await this.page.waitForSelector(`a[download] ::-p-text(${words})`, { timeout: DEADLINE_MS });
    const href = await (await link?.getProperty("href"))?.jsonValue();
    return decodeURIComponent(String(href).replace(/^data:[^,]*,/, ""));
  }

  /** Which of these elements a phone's screen does not show whole before anything is scrolled. */
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
   * What is wrong with the page as it stands, in light and dark, on a desktop and on a phone: offenses against
   * accessibility, and anything that is wider than the screen. With PARLEY_SCREENSHOTS set to a folder it leaves
   * pictures there.
   */
  async inspect(name: string): Promise<string[]> {
    const found: string[] = [];
    for (const [device, size] of Object.entries(SIZES)) {
      await this.page.setViewport(size);
      for (const scheme of SCHEMES) {
        await this.page.emulateMediaFeatures([
          { name: "prefers-color-scheme", value: scheme },
          { name: "prefers-reduced-motion", value: "reduce" },
        ]);
        await this.#photograph(`${name}-${device}-${scheme}`);
        const violations = await violationsOf(this.page);
        found.push(...violations.map((each) => `${name}, ${device}, ${scheme}: ${each}`));
      }
      const widthPx = await this.page.evaluate("document.documentElement.scrollWidth");
      if (Number(widthPx) > size.width) found.push(`${name}, ${device}: ${String(widthPx)} pixels wide`);
    }
    await this.page.setViewport(SIZES.desktop);
    return found;
  }

  async #photograph(name: string): Promise<void> {
    const folder = process.env["PARLEY_SCREENSHOTS"];
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }
}
