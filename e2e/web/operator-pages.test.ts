import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";
import { join, originOf, type Person, signUpOwner } from "../support/web/people.ts";

interface Organization {
  id: string;
  name: string;
  isBillingActive: boolean;
  allowedCountries: string[] | null;
  limitOverrides: Record<string, number>;
}

describe("the operator's pages", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let operator: Person;

  before(async () => {
    platform = await Platform.start();
    chromium = await Chromium.launch();
    operator = await signUpOwner(platform);
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
  });

  async function open(path: string, person: Person = operator) {
    const { page, problems } = await chromium.open(`${originOf(platform)}${path}`, person.cookie);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  const organizations = async () => await operator.send<Organization[]>("GET", "/operator/v1/organizations");

  test("are shown to operators only", async () => {
    const member = await join(platform, operator, "Bob", "admin");
    const { shown, page, problems } = await open("/operator/organizations", member);
    await shown.waitForText("These pages are for operators");
    assert.equal(await page.$('nav a[href="/operator"]'), null);
    const own = await open("/overview");
    await own.page.waitForSelector('nav a[href="/operator"]');
    assert.deepEqual([...problems, ...own.problems], []);
  });

  test("create an organization, invite its owner, and set its billing, countries and limits", async () => {
    const { shown, page, problems } = await open("/operator");
    await shown.waitForText("Model railway club");
    assert.deepEqual(await shown.inspect("operator-organizations"), []);
    await shown.press("New organization");
    await shown.fill("name", "Tram museum");
    await page.keyboard.press("Enter");
    await shown.waitForText("it is not shown again");
    await page.locator("[role=dialog] ::-p-text(Open Tram museum)").click();
    await shown.waitForText("Billing and countries");
    await page.waitForFunction('document.querySelector("[role=dialog]") === null');
    assert.deepEqual(await shown.inspect("operator-organization"), []);

    await page.locator("[data-path=isBillingActive]").click();
    await shown.fill("allowedCountries", "XX");
    await page.keyboard.press("Enter");
    await shown.fill("limits.agents", "7");
    await shown.press("Save");
    await shown.waitForText("must be an ISO 3166 country code");
    await page.focus('[data-path="allowedCountries"]');
    await page.keyboard.press("Backspace");
    await page.keyboard.type("AT");
    await page.keyboard.press("Enter");
    await shown.press("Save");
    await shown.waitForText("Tram museum is saved.");
    const museum = (await organizations()).find(({ name }) => name === "Tram museum");
    assert.partialDeepStrictEqual(museum, { isBillingActive: false, allowedCountries: ["AT"] });
    assert.deepEqual(museum?.limitOverrides, { agents: 7 });

    await shown.press("Invite");
    await page.waitForSelector("[role=dialog] input[type=email]", { visible: true });
    await page.type("[role=dialog] input[type=email]", "eve@example.com");
    await page.locator("[role=dialog] button[type=submit]").click();
    await shown.waitForText("No e-mail was sent");
    assert.ok(
      problems.every((each) => each.includes("400")),
      problems.join(),
    );
  });

  test("release a phone number", async () => {
    const { number } = await createAgent(platform);
    const { shown, page, problems } = await open("/operator/phone-numbers");
    await shown.waitForText(number);
    assert.deepEqual(await shown.inspect("operator-numbers"), []);
    await shown.press("Release");
    await shown.waitForText("loses the number");
    await page.locator("[role=dialog] button ::-p-text(Release)").click();
    await shown.waitForText("No phone numbers");
    await waitFor("the number to be gone", async () => (await platform.api.listPhoneNumbers()).total === 0);
    assert.deepEqual(problems, []);
  });

  test("show the nodes, the versions, the checks, and what operators did", async () => {
    const { shown, page, problems } = await open("/operator/nodes");
    await shown.waitForText("takes calls");
    await shown.waitForText(process.versions.node);
    assert.deepEqual(await shown.inspect("operator-nodes"), []);
    await page.locator("nav[aria-label=Operator] ::-p-text(Checks)").click();
    await shown.press("Run the checks");
    await page.waitForSelector("main ::-p-text(Check again)", { timeout: 120_000 });
    await shown.waitForText("The database user can create tables.");
    assert.deepEqual(await shown.inspect("operator-checks"), []);
    await page.locator("nav[aria-label=Operator] ::-p-text(Audit log)").click();
    await shown.waitForText("updateOperatedOrganization");
    await shown.waitForText("Ada Lovelace");
    assert.deepEqual(await shown.inspect("operator-audit-log"), []);
    assert.deepEqual(problems, []);
  });
});
