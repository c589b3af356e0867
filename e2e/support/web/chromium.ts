import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeWav } from "@parley/audio";
import { type Browser, launch, type Page } from "puppeteer-core";
import { unpackChromium } from "./chromium-program.ts";

const SAMPLE_RATE_HZ = 48_000;

export interface ChromiumOptions {
  /** Audio of its microphone, played once, 48 kHz, then silence. Default: a beeping tone. */
  microphone?: Int16Array;
  /** Additional flags. */
  args?: readonly string[];
}

/** A headless Chromium from an npm package, with permission to use its microphone. */
export class Chromium {
  readonly browser: Browser;
  readonly #folder: string;

  private constructor(browser: Browser, folder: string) {
    this.browser = browser;
    this.#folder = folder;
  }

  static async launch({ microphone, args = [] }: ChromiumOptions = {}): Promise<Chromium> {
    const folder = await mkdtemp(path.join(tmpdir(), "parley-chromium-"));
    const wav = path.join(folder, "microphone.wav");
    if (microphone !== undefined) {
      await writeFile(wav, writeWav({ sampleRateHz: SAMPLE_RATE_HZ, channels: 1, pcm: microphone }));
    }
    const { executablePath, env } = await unpackChromium();
    const browser = await launch({
      executablePath,
      env: { ...process.env, ...env },
      headless: "shell",
      userDataDir: path.join(folder, "profile"),
      args: [
        "--no-sandbox",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        ...(microphone === undefined ? [] : [`--use-file-for-fake-audio-capture=${wav}%noloop`]),
        "--autoplay-policy=no-user-gesture-required",
        "--allow-loopback-in-peer-connection",
        // This machine cannot resolve mDNS names.
        "--disable-features=WebRtcHideLocalIpsWithMdns",
        ...args,
      ],
    });
    return new Chromium(browser, folder);
  }

  /**
   * Opens a page without state of other tests. `problems` lists the page's errors so far.
   *
   * @param cookies Header `Cookie` of somebody who is signed in.
   * @param waitUntil What the page is waited for.
   */
  async open(
    url: string,
    cookies = "",
    waitUntil: "networkidle0" | "load" = "networkidle0",
  ): Promise<{ page: Page; problems: string[] }> {
    const context = await this.browser.createBrowserContext();
    const domain = new URL(url).hostname;
    for (const [, name = "", value = ""] of cookies.matchAll(/([^=;\s]+)=([^;]*)/g))
      await context.setCookie({ name, value, domain, path: "/", httpOnly: true });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => {
      if (["error", "warn"].includes(message.type())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(url, { waitUntil });
    return { page, problems };
  }

  /** Ends the browser. */
  async close(): Promise<void> {
    await this.browser.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
