import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CallDetail } from "@parley/contract";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { readRecording } from "../support/audio/recordings.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { createAgent, newestCallOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { ToolServer } from "../support/platform/tool-server.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const QUESTION = "Where do I find the parking lot?";
const ANSWER = "The parking lot is behind the old station.";
const RESULTS = {
  extraction: { topic: "parking" },
  evaluation: { polite: { reason: "It answered in a friendly way.", result: "pass" } },
};
const ASKED = {
  postCallExtraction: [{ name: "topic", type: "string" as const, description: "What the caller asks about" }],
  postCallEvaluation: [{ name: "polite", criterion: "The agent was polite." }],
};

/** Uses the tool once, then answers; analyzes in JSON. */
function reply({ responseFormat, messages, tools }: ScriptedChatRequest): ScriptedChatReply {
  if (responseFormat !== undefined) return { text: JSON.stringify(RESULTS) };
  const hasAnswer = messages.some(({ role }) => role === "tool");
  if (hasAnswer || !tools.includes("find_place")) return { text: ANSWER };
  return { toolCalls: [{ name: "find_place", input: { place: "parking lot" } }] };
}

describe("the pages of calls and the overview", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let providers: ScriptedProviders;
  let customer: ToolServer;
  let agentId: string;
  let caller: TestCaller;

  before(async () => {
    providers = await startScriptedProviders(QUESTION, reply);
    customer = await ToolServer.start((_request, response) => void response.end('{"place":"old station"}'));
    platform = await Platform.start({ env: { ...providers.env, PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true" } });
    chromium = await Chromium.launch();
  });

  after(async () => {
    await caller.close();
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

  async function call(): Promise<CallDetail> {
    const newest = await newestCallOf(platform, agentId)();
    assert.ok(newest);
    return newest;
  }

  test("offer a first call while there is none", async () => {
    const { shown, problems } = await open("/calls");
    await shown.waitForText("No calls yet");
    assert.deepEqual(await shown.inspect("calls-empty"), []);
    assert.deepEqual(problems, []);
  });

  test("show a live call with its growing transcript, instruct its agent and hang up", async () => {
    let number: string;
    ({ agentId, number } = await createAgent(platform, {
      voiceId: null,
      postCallWebhookUrl: `${customer.url}/ended`,
      ...ASKED,
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
    const { shown, page, problems } = await open("/calls");
    caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550880001" });
    await page.locator("button ::-p-text(+15550880001)").click();
    await shown.waitForText("model railway club");
    await caller.agentToFinish();
    await caller.say(await readRecording("go-forward.wav"));
    await shown.waitForText(QUESTION);
    await shown.waitForText(ANSWER);
    await caller.agentToFinish();
    await page.type("textarea", "Ask for the caller's name.");
    await shown.press("Send");
    await shown.waitForText("Ask for the caller's name.");
    assert.deepEqual(await shown.inspect("calls-live"), []);
    await shown.press("Hang up");
    await caller.ended();
    await shown.waitForText("Hung up by API");
    assert.equal((await call()).endReason, "api_hangup");
    assert.deepEqual(problems, []);
  });

  test("show one call: its sound, and the transcript that follows it by mouse and keyboard", async () => {
    const { id } = await waitFor(
      "the results of the call",
      async () => {
        const { recordingStatus, analysisStatus, ...rest } = await call();
        return recordingStatus === "ready" && analysisStatus === "ready" && rest;
      },
      120_000,
    );
    const { shown, page, problems } = await open(`/calls/${id}`);
    await page.waitForSelector(".waves div");
    await page.waitForFunction("document.querySelector('audio').duration > 1");
    assert.deepEqual(await shown.inspect("call-conversation"), []);
    const { transcript } = await call();
    const said = transcript.findIndex(({ text }) => text === QUESTION);
    const times = await page.$$("button.line-time");
    assert.equal(times.length, transcript.length);
    await times[said]?.focus();
    await page.keyboard.press("Enter");
    const startSeconds = (transcript[said]?.startMs ?? 0) / 1000;
    await page.waitForFunction(`document.querySelector('audio').currentTime >= ${startSeconds - 0.01}`);
    await page.waitForFunction(
      `document.querySelector(".line[aria-current]")?.textContent.includes(${JSON.stringify(QUESTION)})`,
    );
    assert.deepEqual(problems, []);
  });

  test("show latency that adds up, results, webhooks with another delivery, and the SIP messages", async () => {
    const { id } = await call();
    const { shown, page, problems } = await open(`/calls/${id}`);
    await shown.press("Latency");
    await shown.waitForText("Answer 1");
    assert.deepEqual(await shown.inspect("call-latency"), []);
    await shown.press("Results");
    await shown.waitForText("It answered in a friendly way.");
    assert.deepEqual(await shown.inspect("call-results"), []);
    await shown.press("Webhooks");
    await shown.press("call.post");
    await shown.press("Send again");
    const received = () => customer.requests.filter(({ path }) => path === "/ended").length;
    await waitFor("the second delivery", () => received() === 2);
    await waitFor("the attempt on the page", async () => {
      await page.reload();
      await shown.press("call.post");
      return (await shown.text("main")).includes("sent again");
    });
    assert.deepEqual(await shown.inspect("call-webhooks"), []);
    await shown.press("Network");
    await shown.press("INVITE");
    await shown.waitForText("Via: SIP/2.0/UDP");
    assert.deepEqual(await shown.inspect("call-network"), []);
    assert.equal(new URL(page.url()).searchParams.get("tab"), "signaling");
    assert.deepEqual(problems, []);
  });

  test("show an overview of calls, durations, ends and latencies, which leads to the calls", async () => {
    const { shown, page, problems } = await open("/overview?period=7d");
    await shown.waitForText("Calls per day");
    await page.waitForSelector(".chart-span > .answered");
    assert.match(await shown.text("main"), /Calls1.*Answered100 %/);
    assert.deepEqual(await shown.inspect("overview"), []);
    const link = await page.waitForSelector("main a ::-p-text(Hung up by API)");
    await link?.focus();
    await page.keyboard.press("Enter");
    await shown.waitForText("+15550880001");
    assert.equal(new URL(page.url()).searchParams.get("endReason"), "api_hangup");
    assert.deepEqual(problems, []);
  });

  test("find calls by what was said and by duration, and keep the filters in the address", async () => {
    const { shown, page, problems } = await open("/calls");
    await shown.waitForText("+15550880001");
    await page.type("input[placeholder=Words]", "aardvark");
    await shown.waitForText("No call matches");
    assert.equal(new URL(page.url()).searchParams.get("text"), "aardvark");
    await page.click("input[placeholder=Words]", { count: 3 });
    await page.keyboard.type("parking");
    await shown.waitForText("+15550880001");
    await shown.press("More filters");
    assert.deepEqual(await shown.inspect("calls-filtered"), []);
    const long = await open("/calls?minSeconds=3600");
    await long.shown.waitForText("No call matches");
    await long.shown.press("Clear filters");
    await long.shown.waitForText("+15550880001");
    assert.deepEqual([...problems, ...long.problems], []);
  });

  test("make a test case of a call, whose lines are what its caller said", async () => {
    const { id } = await call();
    const { shown, page, problems } = await open(`/calls/${id}`);
    await shown.press("Make a test case");
    await shown.press("A new one");
    await shown.fill("name", "From calls");
    await shown.press("Create test suite");
    await shown.waitForText("Say what the agent must do this time.");
    const line = await page.waitForSelector('[data-path="callerLines.0"]');
    assert.equal(await line?.evaluate((field) => (field as unknown as { value: string }).value), QUESTION);
    assert.deepEqual(problems, []);
  });

  test("delete a transcript, and then the call", async () => {
    const { id } = await call();
    const { shown, page, problems } = await open(`/calls/${id}`);
    await shown.press("Delete");
    await shown.press("Its transcript");
    await shown.waitForText("Delete the transcript?");
    assert.deepEqual(await shown.inspect("call-delete"), []);
    await page.locator("[role=dialog] button ::-p-text(Delete)").click();
    await shown.waitForText("The transcript was deleted on");
    assert.deepEqual((await call()).transcript, []);
    await shown.press("Delete");
    await shown.press("The call");
    await shown.waitForText("Delete this call?");
    await page.locator("[role=dialog] button ::-p-text(Delete)").click();
    await shown.waitForText("No calls yet");
    assert.equal(new URL(page.url()).pathname, "/calls");
    assert.deepEqual(problems, []);
  });
});
