import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
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
    await page.locator("main ::-p-text(Connect Twilio)").click();
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
    await page.locator(`main a ::-p-text(${from})`).click();
    await shown.waitForText("When are you open?");
    await shown.waitForText("the provider reports undelivered");
    assert.deepEqual(await shown.inspect("messages-conversation"), []);
    assert.deepEqual(problems, []);
  });

  /** A visitor writes in the widget of an agent. */
  async function visit(widgetKey: string, text: string): Promise<void> {
    const send = async (path: string, body: object, token = ""): Promise<{ sessionToken: string }> => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const url = `${platform.url}/widget/${widgetKey}${path}`;
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      assert.equal(response.status, 201);
      return ((await response.json()) as { data: { sessionToken: string } }).data;
    };
    const { sessionToken } = await send("/sessions", {});
    await send("/chat/messages", { id: randomUUID(), text }, sessionToken);
  }

  test("show a customer with everything that was said, and erase both, if the role allows it", async () => {
    const { shown, page, problems } = await open("/customers");
    await shown.waitForText("No customers yet");
    assert.deepEqual(await shown.inspect("customers-empty"), []);
    const { widgetKey } = await platform.api.createAgent({
      name: "Grace",
      widgetConfig: { enabled: true, continuity: { sharedMemory: true } },
    });
    const words = "Is <b>tea</b> served?";
    await visit(widgetKey, words);
    await page.reload();
    await shown.waitForText("Visitor");
    assert.deepEqual(await shown.inspect("customers"), []);
    await page.type('input[aria-label="Number"]', "+14155550199");
    await shown.waitForText("No customer matches");
    const path = `/customers/${(await platform.api.listCustomers()).data[0]?.id}`;
    const { key } = await platform.api.createApiKey({ name: "reader", role: "read" });
    const reader = await chromium.open(`${platform.url}${path}#key=${key}`);
    await new ParleyPage(reader.page).waitForText("Chat on a page");
    await reader.page.waitForFunction("!document.body.innerText.includes('Erase')");
    const whole = await open(path);
    await whole.shown.waitForText("knows the latest messages");
    await whole.shown.press("Chat on a page");
    await whole.shown.waitForText(words);
    assert.deepEqual(await whole.shown.inspect("customer"), []);
    await whole.shown.press("Erase");
    await whole.shown.waitForText("This cannot be taken back");
    await whole.page.locator(".mantine-Modal-content button ::-p-text(Erase)").click();
    await whole.shown.waitForText("No customers yet");
    assert.equal((await platform.api.listConversations({ channel: "web_chat" })).total, 0);
    assert.deepEqual([...problems, ...reader.problems, ...whole.problems], []);
  });
});
