import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import { UserAgent } from "@parley/sip";
import { TestRegistrar } from "../../apps/server/src/modules/sip-trunks/testing.ts";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

describe("the pages of trunks and numbers", { skip: skipWithoutChromium }, () => {
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
    await page.locator(`[role=radio][aria-label="${name}"]`).click();
  }

  test("lead from no trunk to one whose check says what is wrong, and then that it is mended", async () => {
    const { shown, page, problems } = await open("/sip-trunks");
    await shown.waitForText("No trunks yet");
    assert.deepEqual(await shown.inspect("trunks-empty"), []);
    await page.locator("main ::-p-text(Connect a carrier or PBX)").click();
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
    await page.locator("main a ::-p-text(Old PBX)").click();
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

  test("bind a number to an agent and an environment, and place a test call from it", async (context) => {
    const dialed: string[] = [];
    const phone = await UserAgent.listen({
      bind: { address: "127.0.0.1", port: 0 },
      onInvite: (invite) => {
        dialed.push(invite.requestUri);
        invite.reject(486);
      },
    });
    context.after(async () => await phone.close());
    const proxyAddress = `127.0.0.1:${phone.address.port}`;
    const { id: sipTrunkId } = await platform.api.createSipTrunk({
      friendlyName: "Office PBX",
      proxyAddress,
    });
    const { id: agentId } = await platform.api.createAgent({ name: "Night desk", promptTemplate: "Answer." });
    await platform.api.putEnvironment(agentId, "staging", {});
    const { shown, page, problems } = await open("/phone-numbers");
    await shown.press("Add your first number");
    await shown.fill("e164", "12025550143");
    await shown.press("Save");
    await shown.waitForText("must begin with +");
    await shown.fill("e164", "+1 202 555 0143");
    await shown.choose("agentId", "Night desk");
    await shown.choose("environment", "staging");
    await shown.choose("sipTrunkId", "Office PBX");
    assert.deepEqual(await shown.inspect("number-bind"), []);
    await shown.press("Save");
    await shown.waitForText("+12025550143 is bound");
    const { data } = await platform.api.listPhoneNumbers();
    assert.deepEqual(
      data.map((each) => [each.e164, each.agentId, each.environment, each.sipTrunkId]),
      [["+12025550143", agentId, "staging", sipTrunkId]],
    );
    await shown.waitForText("Office PBX");
    assert.deepEqual(await shown.inspect("numbers"), []);
    await page.locator('[aria-label="Place a test call from +12025550143"]').click();
    await shown.fill("toNumber", "101");
    assert.deepEqual(await shown.inspect("number-test-call"), []);
    await page.keyboard.press("Enter");
    await page.waitForFunction('location.pathname.startsWith("/calls/")');
    await shown.waitForText("Busy");
    assert.match(dialed.join(" "), /^sip:101@\S+$/);
    const { data: calls } = await platform.api.listCalls({ agentId });
    assert.deepEqual(
      calls.map(({ toNumber, fromNumber, environment }) => [toNumber, fromNumber, environment]),
      [["101", "+12025550143", "staging"]],
    );
    assert.deepEqual(problems, []);
  });

  test("unbind a number, bind it again, and delete it while no agent answers it", async () => {
    const { shown, page, problems } = await open("/phone-numbers");
    const unbind = async (): Promise<void> => {
      await page.locator('[aria-label="Actions for +12025550143"]').click();
      await page.locator("[role=menu] ::-p-text(Unbind)").click();
      await shown.waitForText("Unbind +12025550143?");
      await page.locator("[role=dialog] button ::-p-text(Unbind)").click();
    };
    await unbind();
    await page.locator('[aria-label="Bind +12025550143"]').click();
    await shown.choose("agentId", "Night desk");
    await shown.press("Save");
    await shown.waitForText("+12025550143 is bound.");
    const { data } = await platform.api.listPhoneNumbers();
    assert.equal(data[0]?.environment, null);
    await unbind();
    await page.locator('[aria-label="Delete +12025550143"]').click();
    await shown.waitForText("Delete +12025550143?");
    await page.locator("[role=dialog] button ::-p-text(Delete)").click();
    await shown.waitForText("+12025550143 is deleted.");
    assert.equal((await platform.api.listPhoneNumbers()).total, 0);
    assert.deepEqual(problems, []);
  });
});
