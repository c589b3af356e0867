import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Resampler } from "@parley/audio";
import type { CallDetail } from "@parley/contract";
import { wordOverlap } from "../apps/server/src/demo/word-overlap.ts";
import { createAgent } from "./support/agents.ts";
import { skipWithoutChromium } from "./support/chromium-program.ts";
import { Chromium } from "./support/chromium.ts";
import { Platform } from "./support/platform.ts";
import { GO_FORWARD, plainWords, readRecording, withSilence } from "./support/recordings.ts";
import { TryPage } from "./support/try-page.ts";
import { waitFor } from "../apps/server/src/platform/testing/wait-for.ts";

/** The agent greets for about four seconds, and has a connection replaced meanwhile. */
const BEFORE_SPEECH_MS = 12_000;

describe("the page /try", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let agentId: string;

  before(async () => {
    platform = await Platform.start();
    ({ agentId } = await createAgent(platform, { defaultVariables: { customer_name: "Ada" } }));
    const speech = withSilence(await readRecording("go-forward.wav"), {
      beforeMs: BEFORE_SPEECH_MS,
      afterMs: 0,
    });
    chromium = await Chromium.launch({ microphone: new Resampler(8000, 48_000).process(speech) });
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
  });

  async function open(fragment = ""): Promise<{ tried: TryPage; problems: string[] }> {
    const { page, problems } = await chromium.open(`${platform.url}/try${fragment}`);
    return { tried: new TryPage(page), problems };
  }

  test("asks for a key, says why one does not do, and takes the right one", async () => {
    const { tried, problems } = await open();
    assert.deepEqual(await tried.inspect("key"), []);
    await tried.page.type("input", "parley_wrong");
    await tried.press("Continue");
    await tried.waitForText("A valid API key is required");
    assert.deepEqual(await tried.inspect("key-refused"), []);
    // The browser itself reports the 401.
    assert.equal(problems.splice(0).length, 1);
    await tried.page.click("input", { count: 3 });
    await tried.page.type("input", platform.apiKey);
    await tried.press("Continue");
    await tried.waitForText("Start call");
    assert.deepEqual(problems, []);
  });

  test("takes a key out of the link and leaves none in the address bar", async () => {
    const { tried, problems } = await open(`#key=${platform.apiKey}&agent=${agentId}`);
    await tried.waitForText("Start call");
    assert.equal(tried.page.url(), `${platform.url}/try`);
    assert.deepEqual(await tried.inspect("setup"), []);
    // It is remembered in this tab, and forgotten on request.
    await tried.page.reload();
    await tried.waitForText("Start call");
    await tried.press("Change key");
    await tried.waitForText("Your API key");
    await tried.page.reload();
    await tried.waitForText("Your API key");
    assert.deepEqual(problems, []);
  });

  test("says what to do where the microphone is refused", async () => {
    const { tried } = await open(`#key=${platform.apiKey}&agent=${agentId}`);
    await tried.page.evaluate(
      'navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", "NotAllowedError"); }',
    );
    await tried.press("Start call");
    await tried.waitForText("The microphone was refused.");
    assert.deepEqual(await tried.inspect("microphone-refused"), []);
  });

  test("holds a call: a cut in the greeting, words both ways, times, an instruction, the end", async () => {
    const { tried, problems } = await open(`#key=${platform.apiKey}&agent=${agentId}`);
    await tried.watchConnections();
    await tried.press("Start call");
    await waitFor("the greeting", async () => (await tried.text(".said.agent")) !== "", 20_000);
    await tried.loseConnection();
    await waitFor("another connection", async () => (await tried.connectedCount()) === 2);
    // What is understood from here on came over it.
    const understood = await waitFor(
      "the caller's words",
      async () => (await tried.text(".said.user > :last-child")) || undefined,
      40_000,
    );
    assert.equal(wordOverlap(GO_FORWARD, plainWords(understood)), 1, understood);
    await waitFor("the time of an answer", async () => /\d ms/.test(await tried.text(".latency li")), 20_000);
    await tried.instruct("Say that the shop closes now.");
    await waitFor("the instruction", async () => (await tried.text(".event")).includes("the shop closes"));
    assert.deepEqual(await tried.inspect("call"), []);
    const agentSays = async (words: string): Promise<boolean> =>
      (await tried.text(".said.agent:not(:first-child)")).includes(words);
    await waitFor(
      "what the instruction makes the agent say",
      async () => await agentSays("closes now"),
      20_000,
    );
    await tried.press("Hang up");
    await tried.waitForText("You hung up.");
    // With the last words, as much of them as was heard.
    assert.ok(await agentSays("The club"));
    assert.deepEqual(await tried.inspect("ended"), []);
    assert.deepEqual(problems, []);
    const { data: call } = await platform.api<{ data: CallDetail }>(
      "GET",
      `/calls/${await tried.text(".call-id code")}`,
    );
    assert.deepEqual(
      [call.channel, call.isTest, call.status, call.endReason],
      ["web", true, "completed", "user_hangup"],
    );
  });
});
