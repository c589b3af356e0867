import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import { TestRegistrar } from "../../apps/server/src/modules/sip-trunks/testing.ts";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

describe("the pages of trunks", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let registrar: TestRegistrar;

  before(async () => {
    registrar = await TestRegistrar.listen({ accounts: { line7: "secret" } });
    platform = await Platform.start({ env: { PARLEY_ALLOW_PRIVATE_TRUNK_CHECKS: "true" } });
    chromium = await Chromium.launch();
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    registrar.close();
  });

  async function open(path: string) {
    const { page, problems } = await chromium.open(`${platform.url}${path}#key=${platform.apiKey}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  async function choosePreset({ page }: ParleyPage, name: string): Promise<void> {
    const card = await page.waitForSelector(`[role=radio][aria-label="${name}"]`);
    await card?.click();
  }

  test("lead from no trunk to one whose check says what is wrong, and then that it is mended", async () => {
    const { shown, page, problems } = await open("/sip-trunks");
    await shown.waitForText("No trunks yet");
    assert.deepEqual(await shown.inspect("trunks-empty"), []);
    await page.click("main ::-p-text(Connect a carrier or PBX)");
    await choosePreset(shown, "Telnyx");
    await shown.waitForText("Create an outbound voice profile");
    const preset = await page.$eval('[data-path="proxyAddress"]', (field) => field.getAttribute("value"));
    assert.equal(preset, "sip.telnyx.com");
    await shown.press("Create and check");
    await shown.waitForText("is required for the registration");
    assert.deepEqual(await shown.inspect("trunk-new"), []);
    await shown.fill("friendlyName", "Main carrier");
    await shown.fill("proxyAddress", registrar.address);
    await shown.fill("username", "line7");
    await shown.fill("password", "wrong");
    await shown.press("Create and check");
    await shown.waitForText("The check found a problem");
    await shown.waitForText("Enter the user name and the password again");
    await shown.waitForText("registration failed");
    assert.deepEqual(await shown.inspect("trunk-check-failed"), []);
    await shown.fill("password", "secret");
    await shown.press("Save");
    await shown.waitForText("Main carrier is saved");
    await shown.press("Check again");
    await shown.waitForText("Calls can go this way");
    await page.waitForSelector("main ::-p-text(the credentials of line7 are accepted)");
    await waitFor("the registration on the page", async () =>
      /^Stateanswers.*registeredsince/.test(await shown.text("[aria-label=State]")),
    );
    assert.deepEqual(await shown.inspect("trunk"), []);
    assert.equal(registrar.bindings.size, 1);
    assert.deepEqual(problems, []);
  });

  test("show who uses a trunk, and delete it with its numbers", async () => {
    const { sipTrunkId, number, agentId } = await createAgent(platform);
    await platform.api.updateSipTrunk(sipTrunkId, { friendlyName: "Old PBX" });
    const { shown, page, problems } = await open("/sip-trunks");
    await shown.waitForText("Old PBX");
    await shown.waitForText("inbound only");
    assert.deepEqual(await shown.inspect("trunks"), []);
    await page.click("main a ::-p-text(Old PBX)");
    await shown.waitForText(number);
    await shown.waitForText("Railway club");
    await shown.press("Delete");
    await shown.waitForText("It is in use");
    assert.deepEqual(await shown.inspect("trunk-delete"), []);
    await shown.press("Delete with its numbers");
    await page.waitForFunction('location.pathname === "/sip-trunks"');
    assert.equal((await platform.api.getAgent(agentId)).sipTrunkId, null);
    assert.equal((await platform.api.listPhoneNumbers()).total, 0);
    assert.deepEqual(problems, []);
  });

  test("show a refused address at its field", async () => {
    const { shown, page } = await open("/sip-trunks/new");
    await choosePreset(shown, "Asterisk");
    await shown.fill("allowedAddresses", "not-an-address");
    await page.keyboard.press("Enter");
    await shown.press("Create and check");
    await shown.waitForText("not-an-address must be an IP address or a CIDR block");
  });
});
