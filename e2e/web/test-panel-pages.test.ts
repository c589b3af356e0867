import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { readRecording } from "../support/audio/recordings.ts";
import { answerOver, greetingOver } from "../support/audio/talk.ts";
import { createAgent, newestCallOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { ToolServer } from "../support/platform/tool-server.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";
import { ScriptedMicrophone } from "../support/web/scripted-microphone.ts";

const QUESTION = "Where do I find the parking lot?";
const ANSWER = "The parking lot is behind the old station.";
const KEYS_ANSWER = "Thank you for the keys.";
const TOOL_MS = 400;

/** Uses the tool once, then answers. */
function reply({ messages, tools, lastUserText }: ScriptedChatRequest): ScriptedChatReply {
  if (!lastUserText.includes(QUESTION)) return { text: KEYS_ANSWER };
  const hasAnswer = messages.some(({ role }) => role === "tool");
  if (hasAnswer || !tools.includes("find_place")) return { text: ANSWER };
  return { toolCalls: [{ name: "find_place", input: { place: "parking lot" } }] };
}

describe("the test beside an agent's settings", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let providers: ScriptedProviders;
  let customer: ToolServer;
  let agentId: string;

  before(async () => {
    providers = await startScriptedProviders(QUESTION, reply);
    customer = await ToolServer.start((_request, response) => {
      setTimeout(() => response.end('{"place":"old station"}'), TOOL_MS);
    });
    platform = await Platform.start({ env: { ...providers.env, PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true" } });
    chromium = await Chromium.launch();
    ({ agentId } = await createAgent(platform, {
      voiceId: null,
      firstMessage: "Hello {{customer}}.",
      defaultVariables: { customer: "Ada" },
    }));
    const parameters = { type: "object", properties: { place: { type: "string" } } };
    await platform.api.createCustomTool(agentId, {
      name: "find_place",
      webhookUrl: `${customer.url}/tool`,
      schema: {
        type: "function",
        function: { name: "find_place", description: "Finds a place.", parameters },
      },
    });
    await platform.api.putEnvironment(agentId, "staging", {});
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    customer.close();
    await providers.close();
  });

  async function open(path: string) {
    const { page, problems } = await chromium.open(`${platform.url}${path}#key=${platform.apiKey}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  test("talks to the agent while it is changed: variables, tools, latency, keys, instructions", async () => {
    const { shown, page, problems } = await open(`/agents/${agentId}`);
    const microphone = await ScriptedMicrophone.install(page);
    await shown.press("Test");
    await page.waitForFunction('document.activeElement.id === "test-panel-title"');
    await page.waitForSelector('option[value="staging"]');
    assert.deepEqual(await shown.inspect("test-panel"), []);
    await page.select(".test-panel select", "staging");
    await page.type('input[aria-label="Value of customer"]', "Grace");
    await shown.press("Start call");
    await shown.waitForText("Hello Grace.");

    // A change of the agent neither ends the call nor belongs to it.
    await shown.fill("name", "Night desk");
    await shown.press("Save");
    await page.waitForFunction('document.title === "Night desk · Parley"');

    const read = newestCallOf(platform, agentId);
    await greetingOver(read);
    await microphone.say(await readRecording("go-forward.wav"));
    await answerOver(read);
    await shown.waitForText("find_place called with");
    await shown.waitForText("find_place answered");
    await shown.waitForText(ANSWER);
    const latency = await waitFor("the time of the answer", async () => {
      const text = await shown.text(".latency li");
      return text.includes("Tools") && text;
    });
    const [totalMs = 0, ...parts] = [...latency.matchAll(/([\d,]+) ms/g)].map(([, digits = ""]) =>
      Number(digits.replaceAll(",", "")),
    );
    const sumMs = parts.reduce((sum, ms) => sum + ms, 0);
    // Each is shown in whole milliseconds.
    assert.ok(Math.abs(totalMs - sumMs) <= parts.length, latency);

    await shown.page.locator(".call-controls summary ::-p-text(Keypad)").click();
    await page.focus('.keypad button[aria-label="1"]');
    await page.keyboard.type("12#");
    await shown.waitForText("Pressed 12#");
    await waitFor("the keys", async () => /Keypad 12#/.test(await shown.text(".event")));
    await shown.waitForText(KEYS_ANSWER);
    assert.deepEqual(await shown.inspect("test-panel-call"), []);

    await page.type(".write-form textarea", "Say goodbye.");
    await page.keyboard.press("Enter");
    await waitFor("the instruction", async () => (await shown.text(".event")).includes("Say goodbye."));
    await shown.press("Mute");
    await page.waitForSelector("button[aria-pressed=true] ::-p-text(Muted)");
    await shown.press("Hang up");
    await shown.waitForText("You hung up.");
    assert.deepEqual(await shown.inspect("test-panel-ended"), []);
    const call = (await read()) ?? assert.fail();
    assert.deepEqual(
      [call.environment, call.variables, call.isTest],
      ["staging", { customer: "Grace" }, true],
    );
    assert.ok((call.turns[0]?.toolMs ?? 0) >= TOOL_MS, JSON.stringify(call.turns));
    assert.deepEqual(problems, []);
  });

  test("writes with the agent: environment, tool, reply, instruction, another chat", async () => {
    const { shown, page, problems } = await open(`/agents/${agentId}`);
    await shown.press("Test");
    await page.locator(".test-panel label ::-p-text(Write)").click();
    await page.waitForSelector('option[value="staging"]');
    assert.deepEqual(await shown.inspect("test-chat-setup"), []);
    await page.select(".test-panel select", "staging");
    await shown.press("Start chat");
    const field = 'textarea[placeholder="Write to the agent…"]';
    await page.waitForSelector(field);
    await page.type(field, QUESTION);
    await page.keyboard.press("Enter");
    await shown.waitForText("find_place called with");
    await shown.waitForText(ANSWER);
    await page.locator(".test-chat summary").click();
    await page.type('textarea[placeholder="Tell the agent…"]', "Thank them.");
    await page.keyboard.press("Enter");
    await shown.waitForText("The agent will say it.");
    await page.waitForFunction('document.querySelectorAll(".said.agent:not(.now)").length === 2');
    assert.deepEqual(await shown.inspect("test-chat"), []);
    const [chat] = (await platform.api.listConversations({ agentId, channel: "web_chat" })).data;
    assert.deepEqual([chat?.isTest, chat?.environment], [true, "staging"]);
    await shown.press("New chat");
    await shown.waitForText("Start chat");
    assert.deepEqual(problems, []);
  });

  test("repeats a past call with its environment and variables, whose parts of the time its page shows alike", async () => {
    const call = (await newestCallOf(platform, agentId)()) ?? assert.fail();
    const { shown, page, problems } = await open(`/calls/${call.id}?tab=latency`);
    await page.waitForSelector(".turn-bars ::-p-text(Tools)");
    assert.match(await shown.text(".turn-bars li"), /Language model \d+ ms \+ Tools \d+ ms/);
    await page.locator("a ::-p-text(Test again)").click();
    await shown.waitForText("With the environment and the variables of the call");
    await page.waitForSelector('option[value="staging"]');
    const chosen = await page.evaluate('document.querySelector(".test-panel select").value');
    const value = await page.evaluate(
      'document.querySelector(".test-panel input[aria-label=\\"Value of customer\\"]").value',
    );
    assert.deepEqual([chosen, value], ["staging", "Grace"]);
    await page.locator('button[aria-label="Close the test"]').click();
    await page.waitForSelector(".test-panel", { hidden: true });
    assert.deepEqual(problems, []);
  });
});
