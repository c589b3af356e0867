import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";
import { ScriptedMicrophone } from "../support/web/scripted-microphone.ts";

describe("the first run", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let providers: ScriptedProviders;

  before(async () => {
    providers = await startScriptedProviders("Are you open?", () => ({ text: "Until six." }));
    platform = await Platform.start({ env: providers.env });
    chromium = await Chromium.launch();
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    await providers.close();
  });

  /** The steps that are marked as done. */
  async function stepsDone(shown: ParleyPage): Promise<number> {
    await shown.page.waitForSelector(".first-steps");
    return (await shown.page.$$(".first-steps > li[data-done=true]")).length;
  }

  test("leads by keyboard alone from the sign-up to a call in the browser, and ticks what exists", async () => {
    const link = await waitFor(
      "the link to sign up",
      () => /http:\/\/\S+\/sign-up#token=\S+/.exec(platform.output)?.[0],
    );
    const { page, problems } = await chromium.open(link);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await ScriptedMicrophone.install(page);
    const shown = new ParleyPage(page);
    await shown.waitForText("Welcome to Parley");
    for (const [label, text] of [
      ["Organization", "Model railway club"],
      ["Your name", "Ada Lovelace"],
      ["E-mail", "ada@example.com"],
      ["Password", "correct horse battery"],
    ] as const) {
      await shown.tabTo(label);
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
    assert.equal(await stepsDone(shown), 0);
    assert.equal(new URL(page.url()).pathname, "/overview");
    assert.deepEqual(await shown.inspect("first-steps"), []);

    await shown.activate("Talk");
    await shown.waitForText("No agents yet");
    await shown.activate("Create a sample agent");
    await shown.waitForText("Start call");
    await shown.activate("Start call");
    await shown.waitForText("this is Robin at Harbour Dental");
    // The focus is on the button that hangs up.
    await page.waitForFunction('document.activeElement.textContent.includes("Hang up")');
    await page.keyboard.press("Enter");
    await shown.waitForText("You hung up.");

    await shown.activate("Overview");
    await waitFor("the step that is done", async () => (await stepsDone(shown)) === 1);
    assert.deepEqual(await shown.inspect("first-steps-tried"), []);
    await shown.activate("Make one");
    await shown.tabTo("Name");
    await page.keyboard.type("Night desk");
    await page.keyboard.press("Enter");
    await page.waitForFunction('document.title === "Night desk · Parley"');
    await shown.activate("Overview");
    await waitFor("the steps that are done", async () => (await stepsDone(shown)) === 2);

    await shown.activate("Connect");
    await page.waitForFunction('location.pathname === "/sip-trunks/new"');
    await shown.activate("Overview");
    await stepsDone(shown);
    await shown.activate("Hide the first steps");
    await page.waitForSelector(".first-steps", { hidden: true });
    await page.reload({ waitUntil: "networkidle0" });
    await shown.waitForText("Billable minutes");
    assert.equal(await page.$(".first-steps"), null);
    assert.deepEqual(problems, []);
  });
});
