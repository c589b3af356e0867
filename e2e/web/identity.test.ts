import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "puppeteer-core";
import { waitFor } from "@parley/testing";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const PASSWORD = "correct horse battery";

describe("people on the dashboard", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  /** The server's own, as in its links: a cookie belongs to one host. */
  let origin: string;

  before(async () => {
    platform = await Platform.start();
    origin = `http://localhost:${platform.httpPort}`;
    chromium = await Chromium.launch();
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
  });

  async function open(url: string) {
    const { page, problems } = await chromium.open(url);
    return { shown: new ParleyPage(page), page, problems };
  }

  test("the owner signs up, invites a member, who joins and may not invite; both sign in again", async () => {
    const link = await waitFor(
      "the link to sign up",
      () => /http:\/\/\S+\/sign-up#token=\S+/.exec(platform.output)?.[0],
    );
    const owner = await open(link);
    await owner.shown.waitForText("Welcome to Parley");
    assert.deepEqual(await owner.shown.inspect("sign-up"), []);
    await fill(owner.page, ["Model railway club", "Ada Lovelace", "ada@example.com", PASSWORD]);
    await owner.shown.press("Sign up");
    await owner.shown.waitForText("First steps");
    assert.ok(!owner.page.url().includes("token"));

    await owner.page.goto(`${origin}/settings/members`, { waitUntil: "networkidle0" });
    await owner.shown.waitForText("ada@example.com");
    await owner.shown.press("Invite");
    await owner.page.waitForSelector("[role=dialog] input[type=email]", { visible: true });
    await owner.page.type("[role=dialog] input[type=email]", "bob@example.com");
    await owner.page.locator("[role=dialog] button[type=submit]").click();
    await owner.shown.waitForText("No e-mail was sent");
    assert.deepEqual(await owner.shown.inspect("invitation-link"), []);
    const invitation = await owner.page.$eval(
      "[role=dialog] input[readonly]",
      (input) => (input as unknown as { value: string }).value,
    );
    await owner.shown.press("Done");
    await owner.shown.waitForText("bob@example.com");
    assert.deepEqual(await owner.shown.inspect("members"), []);

    const member = await open(invitation);
    await member.shown.waitForText("Join Model railway club");
    assert.deepEqual(await member.shown.inspect("accept-invitation"), []);
    await fill(member.page, ["Bob", PASSWORD]);
    await member.shown.press("Join");
    await member.shown.waitForText("First steps");
    await member.page.goto(`${origin}/settings/members`, { waitUntil: "networkidle0" });
    await member.shown.waitForText("Ada Lovelace");
    assert.equal(await member.page.$("main ::-p-text(Invite)"), null);
    await member.page.goto(`${origin}/settings/api-keys`, { waitUntil: "networkidle0" });
    await member.shown.waitForText("Only owners and admins");

    await member.page.locator("button[aria-label=Account]").click();
    await member.page.locator("[role=menu] ::-p-text(Sign out)").click();
    await member.shown.waitForText("Forgot your password?");
    assert.deepEqual(await member.shown.inspect("sign-in"), []);
    await fill(member.page, ["bob@example.com", "a wrong password"]);
    await member.shown.press("Sign in");
    await member.shown.waitForText("The e-mail address or the password is wrong.");
    await member.page.reload({ waitUntil: "networkidle0" });
    await fill(member.page, ["bob@example.com", PASSWORD]);
    await member.shown.press("Sign in");
    await member.shown.waitForText("Only owners and admins");
    assert.deepEqual(owner.problems, []);
  });

  test("the settings and the account show what they are for, without faults", async () => {
    const { shown, page, problems } = await open(`${origin}/sign-in`);
    await fill(page, ["ada@example.com", PASSWORD]);
    await shown.press("Sign in");
    await shown.waitForText("First steps");
    for (const [path, words] of [
      ["/settings/api-keys", "New key"],
      ["/settings/audit-log", "createInvitation"],
      ["/account", "Where you are signed in"],
    ] as const) {
      await page.goto(`${origin}${path}`, { waitUntil: "networkidle0" });
      await shown.waitForText(words);
      assert.deepEqual(await shown.inspect(path.replaceAll("/", "-").slice(1)), []);
    }
    await page.goto(`${origin}/settings/api-keys`, { waitUntil: "networkidle0" });
    await shown.press("New key");
    await page.waitForSelector("[role=dialog] input[data-path=name]", { visible: true });
    await page.type("[role=dialog] input[data-path=name]", "CRM");
    await page.locator("[role=dialog] button[type=submit]").click();
    await shown.waitForText("it is not shown again");
    await shown.press("Done");
    await shown.waitForText("CRM");
    assert.deepEqual(problems, []);
  });
});

/** Types the texts into the page's fields, in their order. */
async function fill(page: Page, texts: readonly string[]): Promise<void> {
  await page.waitForSelector("main form input", { visible: true });
  const inputs = await page.$$("main form input:not([type=checkbox])");
  for (const [index, text] of texts.entries()) await inputs[index]?.type(text);
}
