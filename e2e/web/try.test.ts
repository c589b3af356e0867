import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { createAgent, newestCallOf } from "../support/platform/agents.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { Platform } from "../support/platform/platform.ts";
import { GO_FORWARD, plainWords, readRecording } from "../support/audio/recordings.ts";
import { ScriptedMicrophone } from "../support/web/scripted-microphone.ts";
import { answerOver, assertUnderstood, greetingOver } from "../support/audio/talk.ts";
import { TryPage } from "../support/web/try-page.ts";
import { waitFor } from "@parley/testing";

describe("the page /try", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let agentId: string;

  before(async () => {
    platform = await Platform.start();
    chromium = await Chromium.launch();
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
  });

  async function open(fragment = ""): Promise<{ tried: TryPage; problems: string[] }> {
    const { page, problems } = await chromium.open(`${platform.url}/try${fragment}`);
    return { tried: new TryPage(page), problems };
  }

  test("asks for a key, explains why a wrong one is rejected, and accepts the right one", async () => {
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
    await tried.waitForText("No agents yet");
    assert.deepEqual(problems, []);
  });

  test("offers a sample agent if there is none, and explains where to get a key", async () => {
    const { tried, problems } = await open();
    await tried.page.locator("summary").click();
    await tried.waitForText("PARLEY_BOOTSTRAP_API_KEY");
    await tried.page.type("input", platform.apiKey);
    await tried.press("Continue");
    await tried.waitForText("No agents yet");
    assert.deepEqual(await tried.inspect("no-agent"), []);
    await tried.press("Create a sample agent");
    await tried.waitForText("Start call");
    assert.match(await tried.text(".conversation"), /Harbour Dental reception/);
    assert.deepEqual(problems, []);
    const { data } = await platform.api.listAgents();
    assert.equal(data.length, 1);
  });

  test("reports that a link's agent does not exist, and distinguishes agents with the same name", async () => {
    ({ agentId } = await createAgent(platform, { defaultVariables: { customer_name: "Ada" } }));
    const other = await createAgent(platform);
    const { tried, problems } = await open(
      `#key=${platform.apiKey}&agent=00000000-0000-4000-8000-000000000000`,
    );
    await tried.waitForText("was not found");
    assert.deepEqual(await tried.inspect("unknown-agent"), []);
    assert.equal(await tried.page.$("button ::-p-text(Start call)"), null);
    const labels = await tried.text("option");
    for (const id of [agentId, other.agentId])
      assert.ok(labels.includes(`Railway club (${id.slice(0, 8)})`), labels);
    await tried.page.select("select", agentId);
    await tried.waitForText("Start call");
    assert.doesNotMatch(await tried.text("main"), /was not found/);
    assert.deepEqual(problems, []);
  });

  test("reloads the agents on request, and asks for another key when its own is rejected", async () => {
    const { tried } = await open(`#key=${platform.apiKey}&agent=${agentId}`);
    await tried.waitForText("Start call");
    await tried.page.setRequestInterception(true);
    let isAway = true;
    tried.page.on("request", (request) => {
      void (isAway && request.url().includes("/v1/") ? request.abort() : request.continue());
    });
    await tried.page.reload();
    await tried.waitForText("The server could not be reached.");
    assert.deepEqual(await tried.inspect("server-away"), []);
    isAway = false;
    await tried.press("Try again");
    await tried.waitForText("Start call");
    const refused = await open("#key=parley_revoked");
    await refused.tried.waitForText("A valid API key is required");
    await refused.tried.waitForText("Your API key");
  });

  test("reads a key from the link and removes it from the address bar", async () => {
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

  test("explains what to do if the microphone is blocked", async () => {
    const { tried } = await open(`#key=${platform.apiKey}&agent=${agentId}`);
    await tried.page.evaluate(
      'navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", "NotAllowedError"); }',
    );
    await tried.press("Start call");
    await tried.waitForText("Access to the microphone was denied.");
    assert.deepEqual(await tried.inspect("microphone-refused"), []);
  });

  test("runs a call: an interrupted greeting, speech in both directions, times, an instruction, the end", async () => {
    const { tried, problems } = await open(`#key=${platform.apiKey}&agent=${agentId}`);
    await tried.watchConnections();
    const microphone = await ScriptedMicrophone.install(tried.page);
    await tried.waitForText("The call is recorded");
    await tried.press("Start call");
    await waitFor("the greeting", async () => (await tried.text(".said.agent")) !== "", 20_000);
    await tried.loseConnection();
    await waitFor("another connection", async () => (await tried.connectedCount()) === 2);
    const read = newestCallOf(platform, agentId);
    await greetingOver(read);
    // What is understood from here on came over it.
    await microphone.say(await readRecording("go-forward.wav"));
    assertUnderstood(await answerOver(read));
    assert.equal(wordOverlap(GO_FORWARD, plainWords(await tried.text(".said.user > :last-child"))), 1);
    await waitFor("the time of an answer", async () => /\d ms/.test(await tried.text(".latency li")), 20_000);
    await tried.instruct("Say that the shop closes now.");
    await waitFor("the instruction", async () => (await tried.text(".event")).includes("the shop closes"));
    assert.equal(await tried.text(".recorded"), "Recording");
    assert.deepEqual(await tried.inspect("call"), []);
    assert.deepEqual(await tried.hiddenOnPhone([".transcript", ".write-form", ".danger"]), []);
    const agentSays = async (words: string): Promise<boolean> =>
      (await tried.text(".said.agent:not(:first-child)")).includes(words);
    await waitFor(
      "what the instruction makes the agent say",
      async () => await agentSays("closes now"),
      20_000,
    );
    assert.ok(await agentSays("The club house"));
    await tried.press("Hang up");
    await tried.waitForText("You hung up.");
    const recordedMs = await waitFor(
      "the recording",
      async () => (await tried.recordedMs()) || undefined,
      120_000,
    );
    const { transcript } = (await read()) ?? assert.fail();
    assert.ok(recordedMs > (transcript.at(-1)?.startMs ?? Infinity), `${recordedMs} ms`);
    assert.match(await tried.text(".call-record dl"), /Duration0:\d\d.*Recognitionlocal/);
    assert.match(
      await tried.downloadText("Download the transcript"),
      /^0:\d\d Agent: Hello, .*\n0:\d\d You: /,
    );
    assert.deepEqual(await tried.inspect("ended"), []);
    assert.deepEqual(problems, []);
    const call = await platform.api.getCall(await tried.text(".call-id code"));
    assert.deepEqual(
      [call.channel, call.isTest, call.status, call.endReason],
      ["web", true, "completed", "user_hangup"],
    );
  });
});
