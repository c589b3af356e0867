import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Resampler } from "@parley/audio";
import { createAgent, newestCallOf } from "../support/platform/agents.ts";
import {
  BrowserCaller,
  endedTestCall,
  HEARD_RATE_HZ,
  startTestCall,
  testCall,
} from "../support/web/browser-caller.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { Platform } from "../support/platform/platform.ts";
import { readRecording } from "../support/audio/recordings.ts";
import { ScriptedMicrophone } from "../support/web/scripted-microphone.ts";
import { speechSegments } from "../support/audio/speech-segments.ts";
import { answerOver, assertTalk, assertUnderstood, greetingOver } from "../support/audio/talk.ts";
import { TryPage } from "../support/web/try-page.ts";
import { UdpPath } from "../support/phone/udp-path.ts";
import { waitFor } from "@parley/testing";

const GREETING = "Hello, this is the model railway club. How can I help you?";

describe("a browser whose network changes during a call", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  before(async () => void (platform = await Platform.start()));
  after(async () => await platform.stop());

  test("restarts ICE by WHIP, and the call continues over the same DTLS connection", async () => {
    const chromium = await Chromium.launch();
    const paths: UdpPath[] = [];
    try {
      const { agentId } = await createAgent(platform, { firstMessage: GREETING });
      const call = await startTestCall(platform, agentId);
      const caller = await BrowserCaller.open(chromium, platform, { isSpeaking: true });
      const read = testCall(platform, call.callId);
      const move = async (): Promise<UdpPath> => {
        const path = await UdpPath.open();
        paths.push(path);
        await path.route(caller.page);
        return path;
      };
      const home = await move();
      assert.equal(await caller.join(call), 201);
      await waitFor("the agent to speak", async () =>
        (await caller.events()).some(({ type }) => type === "itemStarted"),
      );
      const atHome = await caller.transport();

      home.cut();
      await sleep(1000);
      const train = await move();
      assert.equal(await caller.restartIce(), 200);
      await greetingOver(read);
      await caller.say(await readRecording("go-forward.wav"));
      await caller.said("user");
      const onTrain = await caller.transport();
      assert.ok(train.passed > 100);
      assert.deepEqual([onTrain.dtls, onTrain.dtlsStates], [atHome.dtls, atHome.dtlsStates]);
      assert.notEqual(onTrain.ufrag, atHome.ufrag);
      assert.notEqual(onTrain.pairId, atHome.pairId);

      // Once more, and the network before is left only after the next is there.
      const office = await move();
      assert.equal(await caller.restartIce(), 200);
      await waitFor("the other path", async () => office.passed > 50);
      train.cut();
      await answerOver(read);
      const inOffice = await caller.transport();
      assert.deepEqual([inOffice.dtls, inOffice.dtlsStates], [atHome.dtls, atHome.dtlsStates]);
      assert.notEqual(inOffice.pairId, onTrain.pairId);
      await sleep(1500);
      const heard = new Resampler(HEARD_RATE_HZ, 8000).process(await caller.heard());
      // Greeting and answer.
      assert.ok(speechSegments(heard).length >= 2);
      assert.equal(await caller.connectionState(), "connected");
      await caller.hangUp();
      const record = await endedTestCall(platform, call.callId);
      assert.equal(record.endReason, "user_hangup");
      assertTalk(record, GREETING);
    } finally {
      await chromium.close();
      for (const path of paths) path.cut();
    }
  });

  test("reconnects by itself with the client library", async () => {
    const chromium = await Chromium.launch();
    const [home, train] = [await UdpPath.open(), await UdpPath.open()];
    try {
      const { agentId } = await createAgent(platform, { firstMessage: GREETING });
      const { page } = await chromium.open(`${platform.url}/try#key=${platform.apiKey}&agent=${agentId}`);
      const tried = new TryPage(page);
      const microphone = await ScriptedMicrophone.install(page);
      await tried.watchConnections();
      await home.route(page);
      await tried.press("Start call");
      await waitFor("the greeting", async () => (await tried.text(".said.agent")) !== "", 20_000);
      await train.route(page);
      home.cut();
      await waitFor("another path", async () => train.passed > 100, 20_000);
      const read = newestCallOf(platform, agentId);
      await greetingOver(read);
      await microphone.say(await readRecording("go-forward.wav"));
      assertUnderstood(await answerOver(read));
      // A network that comes is used at once, without waiting for the one before to fail.
      const ufrag = await tried.iceUfrag();
      await page.evaluate('dispatchEvent(new Event("online"))');
      await waitFor("a restart", async () => (await tried.iceUfrag()) !== ufrag);
      const { passed } = train;
      await waitFor("audio after it", () => train.passed > passed + 100);
      assert.equal(await tried.connectionCount(), 1);
      await tried.press("Hang up");
      await tried.waitForText("You hung up.");
    } finally {
      await chromium.close();
      for (const path of [home, train]) path.cut();
    }
  });
});
