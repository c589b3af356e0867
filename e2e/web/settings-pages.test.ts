import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { ToolServer } from "../support/platform/tool-server.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";
import { join, originOf, type Person, signUpOwner } from "../support/web/people.ts";

describe("the pages of the settings", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let customer: ToolServer;
  let owner: Person;
  let folder: string;

  before(async () => {
    customer = await ToolServer.start((_request, response) => void response.end("{}"));
    platform = await Platform.start({ env: { PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true" } });
    chromium = await Chromium.launch();
    owner = await signUpOwner(platform);
    folder = await mkdtemp(path.join(tmpdir(), "parley-settings-"));
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    customer.close();
    await rm(folder, { recursive: true });
  });

  async function open(address: string, person: Person = owner) {
    const { page, problems } = await chromium.open(`${originOf(platform)}${address}`, person.cookie);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  test("rename the organization and show its limits", async () => {
    const { shown, problems } = await open("/settings");
    await shown.waitForText("API requests at once per node");
    assert.deepEqual(await shown.inspect("settings-organization"), []);
    await shown.fill("name", "Tram museum");
    await shown.press("Save");
    await shown.waitForText("The organization is now called Tram museum.");
    assert.equal((await platform.api.getOrganization()).name, "Tram museum");
    assert.deepEqual(problems, []);
  });

  test("create, replace and remove the signing secret", async () => {
    const { shown, page, problems } = await open("/settings/webhooks");
    await shown.press("Create a secret");
    await shown.waitForText("it is not shown again");
    assert.deepEqual(await shown.inspect("settings-signing-secret"), []);
    const secret = await page.$eval(
      "[role=dialog] input[readonly]",
      (input) => (input as unknown as { value: string }).value,
    );
    assert.match(secret, /^whsec_/);
    await shown.press("Done");
    await shown.waitForText(`secret …${secret.slice(-4)}`);
    await shown.press("Replace the secret");
    await shown.waitForText("For 24 hours both secrets sign");
    await page.locator("[role=dialog] button ::-p-text(Replace)").click();
    await shown.waitForText("Store the secret on your server now");
    await shown.press("Done");
    await shown.press("Stop signing");
    await page.locator("[role=dialog] button ::-p-text(Stop signing)").click();
    await shown.waitForText("Create a secret");
    assert.equal((await platform.api.getWebhookSigning()).enabled, false);
    assert.deepEqual(problems, []);
  });

  test("list deliveries of webhooks, and send one again", async () => {
    const url = `${customer.url}/ended`;
    const { agentId, sipTrunkId } = await createAgent(platform, { postCallWebhookUrl: url });
    // No server listens there: the call fails at once, and its webhook is sent.
    await platform.api.updateSipTrunk(sipTrunkId, { proxyAddress: "127.0.0.1:9", transport: "tcp" });
    await platform.api.createCall({ agentId, toNumber: "+14155550123" });
    await waitFor(
      "the delivery",
      async () => (await platform.api.listWebhookDeliveries({ status: "delivered" })).total === 1,
      60_000,
    );
    const { shown, page, problems } = await open("/settings/webhooks");
    await shown.waitForText("delivered");
    assert.deepEqual(await shown.inspect("settings-webhooks"), []);
    await shown.press("call.post");
    await shown.press("Send again");
    await shown.waitForText("The webhook is sent again.");
    await page.goto(`${originOf(platform)}/settings/webhooks?status=failed`, { waitUntil: "networkidle0" });
    await shown.waitForText("No delivery matches");
    assert.deepEqual(problems, []);
  });

  test("add, import, search, export and remove numbers that are not called", async () => {
    const { shown, page, problems } = await open("/settings/do-not-call");
    await shown.waitForText("No numbers yet");
    assert.deepEqual(await shown.inspect("settings-do-not-call-empty"), []);
    await shown.press("Add a number");
    await shown.fill("phoneNumber", "+1 415 555 0199");
    await page.keyboard.press("Enter");
    await shown.waitForText("+14155550199 is no longer called.");
    const file = path.join(folder, "numbers.csv");
    await writeFile(file, "phoneNumber\n+14155550198\n+14155550199\n");
    await shown.press("Import");
    const chosen = page.waitForFileChooser();
    await page.locator("[role=dialog] [data-path=csv]").click();
    await (await chosen).accept([file]);
    await page.locator("[role=dialog] button ::-p-text(Save)").click();
    await shown.waitForText("Numbers added: 1, on the list before: 1.");
    await page.waitForFunction('document.querySelector("[role=dialog]") === null');
    assert.deepEqual(await shown.inspect("settings-do-not-call"), []);
    await page.type("input[type=search]", "+14155550198");
    await page.waitForFunction('document.querySelectorAll("main tbody tr").length === 1');
    await shown.press("Remove");
    await page.locator("[role=dialog] button ::-p-text(Remove)").click();
    await shown.waitForText("This number is not on the list");
    assert.equal((await platform.api.listDoNotCall()).total, 1);
    await shown.fill("maxDialsPerDay", "2");
    await page.locator("main form button ::-p-text(Save)").click();
    await shown.waitForText("The limit is saved.");
    assert.equal((await platform.api.getDoNotCallSettings()).maxDialsPerDay, 2);
    assert.deepEqual(problems, []);
  });

  test("choose the appearance, which stays", async () => {
    const { shown, page, problems } = await open("/settings/appearance");
    await shown.waitForText("As the system");
    assert.deepEqual(await shown.inspect("settings-appearance"), []);
    await page.locator('input[type=radio][value="dark"]').click();
    const isDark = 'document.documentElement.dataset.mantineColorScheme === "dark"';
    await page.waitForFunction(isDark);
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    await page.reload({ waitUntil: "networkidle0" });
    await page.waitForFunction(isDark);
    assert.deepEqual(problems, []);
  });

  test("a viewer sees everything but the buttons that the API would refuse them, and leaves", async () => {
    const viewer = await join(platform, owner, "Vera", "viewer");
    const [agent] = (await platform.api.listAgents()).data;
    const agentPage = `/agents/${agent?.id}`;
    for (const [address, words, buttons] of [
      ["/settings/organization", "Only owners and admins change it", ["Save"]],
      ["/settings/webhooks", "Signature", ["Create a secret", "Send again"]],
      ["/settings/do-not-call", "+14155550199", ["Add a number", "Import", "Remove", "Save"]],
      ["/phone-numbers", "+1", ["Add a number"]],
      ["/sip-trunks", "Test", ["New trunk"]],
      ["/agents", "Railway club", ["Folders", "Import", "New agent"]],
      [agentPage, "Your role may read this agent", ["Test", "Save"]],
      [`${agentPage}/tools`, "No tools yet", ["Add a tool"]],
      [`${agentPage}/environments`, "production", ["Add an environment"]],
      [`${agentPage}/versions`, "Publishing", ["Publish the draft"]],
      ["/campaigns", "No campaigns yet", ["New campaign", "Create a campaign"]],
      ["/messages", "No messages yet", []],
      ["/messaging-connections", "No connections yet", ["New connection", "Connect Twilio"]],
      ["/try", "Your role may not place test calls", []],
    ] as const) {
      const { shown, page, problems } = await open(address, viewer);
      await shown.waitForText(words);
      const names = await page.$$eval("main :is(button, a)", (all) =>
        all.map((each) => (each as unknown as { textContent: string }).textContent),
      );
      for (const button of buttons) assert.ok(!names.includes(button), `${address}: ${button}`);
      assert.deepEqual(problems, [], address);
    }
    const { shown, page } = await open("/settings/members", viewer);
    await shown.waitForText("vera@example.com");
    assert.equal(await page.$("main ::-p-text(Invite)"), null);
    await shown.press("Leave");
    await shown.waitForText("To come back you need an invitation");
    assert.deepEqual(await shown.inspect("leave-organization"), []);
    await page.locator("[role=dialog] button ::-p-text(Leave)").click();
    await shown.waitForText("belongs to no organization");
    const members = await owner.send<{ email: string }[]>("GET", "/v1/members");
    assert.ok(!members.some(({ email }) => email.startsWith("vera")));
  });

  test("an API key that only reads sees no buttons to write, and one of an admin does", async () => {
    for (const role of ["read", "admin"] as const) {
      const { key } = await platform.api.createApiKey({ name: role, role });
      const { page } = await chromium.open(`${originOf(platform)}/settings/do-not-call#key=${key}`);
      await new ParleyPage(page).waitForText("+14155550199");
      await page.waitForNetworkIdle();
      assert.equal((await page.$("main ::-p-text(Add a number)")) !== null, role === "admin", role);
    }
  });
});
