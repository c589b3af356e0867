import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SCRIPTED_ACCOUNT, ScriptedTwilio } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const PUBLIC_URL = "http://parley.example";

describe("the pages of messages", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let twilio: ScriptedTwilio;

  before(async () => {
    twilio = await ScriptedTwilio.start();
    const env = { PARLEY_TWILIO_BASE_URL: twilio.url, PARLEY_PUBLIC_URL: PUBLIC_URL };
    platform = await Platform.start({ env });
    twilio.locate = (url) => url.replace(PUBLIC_URL, platform.url);
    chromium = await Chromium.launch();
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    await twilio.close();
  });

  async function open(path: string) {
    const { page, problems } = await chromium.open(`${platform.url}${path}#key=${platform.apiKey}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  test("lead from no connection to one that Twilio has verified, with the URL to enter there", async () => {
    const { shown, page, problems } = await open("/messaging-connections");
    await shown.waitForText("No connections yet");
    assert.deepEqual(await shown.inspect("messaging-connections-empty"), []);
    await page.click("main ::-p-text(Connect Twilio)");
    await shown.waitForText("first page of Twilio");
    await shown.fill("accountSid", SCRIPTED_ACCOUNT.accountSid);
    await shown.fill("authToken", "wrong");
    await shown.press("Verify and create");
    await shown.waitForText("was refused by Twilio");
    assert.deepEqual(await shown.inspect("messaging-connection-new"), []);
    await shown.fill("authToken", SCRIPTED_ACCOUNT.authToken);
    await shown.press("Verify and create");
    await shown.waitForText("/hooks/twilio/");
    await shown.press("Check now");
    await shown.waitForText("Twilio accepts the credentials");
    assert.deepEqual(await shown.inspect("messaging-connection"), []);
    // The browser reports the refused token.
    assert.equal(problems.length, 1);
  });

  test("show what was received and sent, one conversation at a time", async () => {
    const connection = await platform.api.createMessagingConnection(SCRIPTED_ACCOUNT);
    const agent = await platform.api.createAgent({
      name: "Ada",
      messagingConnectionId: connection.id,
      messagingConfig: { fromNumber: "+14155550100", inboundMode: "off" },
    });
    const { inboundMessageUrl } = connection.config;
    assert.ok(inboundMessageUrl !== null);
    const { shown, page, problems } = await open("/messages");
    await shown.waitForText("No messages yet");
    assert.deepEqual(await shown.inspect("messages-empty"), []);
    const from = "+14155550123";
    await twilio.deliver(inboundMessageUrl, { from, to: "+14155550100", body: "When are you open?" });
    const { id } = await platform.api.sendMessage({
      agentId: agent.id,
      toNumber: from,
      body: "From nine to one.",
    });
    await waitFor("the message at Twilio", () => twilio.messages.length === 1);
    const [sent] = twilio.messages;
    assert.ok(sent !== undefined);
    await twilio.report(sent, "undelivered", 30007);
    await waitFor("the report", async () => (await platform.api.getMessage(id)).status === "failed");
    await page.reload();
    await shown.waitForText("From nine to one.");
    assert.deepEqual(await shown.inspect("messages"), []);
    await page.click(`main a ::-p-text(${from})`);
    await shown.waitForText("When are you open?");
    await shown.waitForText("the provider reports undelivered");
    assert.deepEqual(await shown.inspect("messages-conversation"), []);
    assert.deepEqual(problems, []);
  });
});
