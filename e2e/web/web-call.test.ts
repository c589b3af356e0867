import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Resampler } from "@parley/audio";
import { readIceServers } from "../../packages/client/src/calls/link-header.ts";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { createAgent } from "../support/platform/agents.ts";
import {
  BrowserCaller,
  endedTestCall,
  HEARD_RATE_HZ,
  startTestCall,
  testCall,
} from "../support/web/browser-caller.ts";
import { Chromium } from "../support/web/chromium.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { recognize } from "../support/audio/recognize.ts";
import { plainWords, readRecording } from "../support/audio/recordings.ts";
import { speechSegments } from "../support/audio/speech-segments.ts";
import { answerOver, assertTalk, greetingOver } from "../support/audio/talk.ts";
import { TurnServer } from "../support/web/turn-server.ts";
import { waitFor } from "@parley/testing";

const GREETING = "Hello, this is the model railway club. How can I help you?";
const LONG_GREETING =
  "Welcome to the model railway club. Our club house stands behind the old station, ten meters to the left. " +
  "We are open on Saturday from nine to one, and children are always welcome to drive the trains. " +
  "Every first Saturday of the month we run the great steam engine in the yard, whatever the weather may be.";

/** A browser of a test, ended with it, whose microphone hears nothing. */
async function launch(context: TestContext): Promise<Chromium> {
  const chromium = await Chromium.launch({ microphone: new Int16Array(48_000) });
  context.after(async () => await chromium.close());
  return chromium;
}

function loudness(pcm: Int16Array): number {
  return Math.sqrt(pcm.reduce((sum, sample) => sum + sample ** 2, 0) / Math.max(1, pcm.length));
}

describe("a call in a browser", () => {
  let platform: Platform;
  before(async () => void (platform = await Platform.start()));
  after(async () => await platform.stop());

  test("hears the agent, is understood and receives live events, and the record is complete", async (context) => {
    const chromium = await launch(context);
    const { agentId } = await createAgent(platform, { firstMessage: GREETING });
    const call = await startTestCall(platform, agentId);
    const caller = await BrowserCaller.open(chromium, platform, { isSpeaking: true });
    const read = testCall(platform, call.callId);
    assert.equal(await caller.join(call), 201);
    await greetingOver(read);
    await caller.say(await readRecording("go-forward.wav"));
    const answer = (await answerOver(read)).transcript.at(-1)?.text ?? "";
    // What was sent last is still on its way to the ear.
    await sleep(1500);
    const heard = new Resampler(HEARD_RATE_HZ, 8000).process(await caller.heard());
    assert.equal(await caller.hangUp(), 200);
    const answerHeard = speechSegments(heard).at(-1) ?? assert.fail("nothing was heard");
    assert.ok(loudness(answerHeard) > 300, "the answer is heard");
    const words = await recognize([answerHeard]);
    assert.ok(wordOverlap(plainWords(answer), plainWords(words)) >= 0.5, `${answer} / ${words}`);

    await waitFor("the end on the data channel", async () =>
      (await caller.events()).some(({ type }) => type === "ended"),
    );
    const types = new Set((await caller.events()).map(({ type }) => type));
    for (const type of ["state", "itemStarted", "item", "turn"] as const) assert.ok(types.has(type), type);

    const record = await endedTestCall(platform, call.callId);
    assert.deepEqual(
      [record.channel, record.isTest, record.status, record.endReason],
      ["web", true, "completed", "user_hangup"],
    );
    assertTalk(record, GREETING);
    assert.deepEqual(
      (await caller.events()).flatMap((event) => (event.type === "item" ? [event.item] : [])),
      record.transcript,
    );
    assert.equal(record.quality?.codec, "opus");
    assert.ok((record.quality?.received.packets ?? 0) > 100);
    assert.ok(record.turns.length >= 1);
    assert.ok(record.billableSeconds > 5);
    assert.ok(!platform.output.includes(call.token), "no token in the log");
  });

  test("a caller who speaks over the agent stops it", async (context) => {
    const chromium = await launch(context);
    const { agentId } = await createAgent(platform, { firstMessage: LONG_GREETING });
    const call = await startTestCall(platform, agentId);
    const caller = await BrowserCaller.open(chromium, platform, { isSpeaking: true });
    await caller.join(call);
    await agentToBeHeard(caller);
    await caller.say(await readRecording("go-forward.wav"));
    const greeting = await caller.said("agent");
    assert.ok(greeting.length < LONG_GREETING.length / 2, greeting);
    await caller.said("user");
    await caller.hangUp();
    const { transcript } = await endedTestCall(platform, call.callId);
    assert.ok(LONG_GREETING.startsWith(greeting.slice(0, 20)), JSON.stringify(transcript));
    assert.equal(transcript.find(({ role }) => role === "agent")?.interrupted, true);
  });

  test("a caller who hangs up during speech receives how much was heard, and then the end", async (context) => {
    const chromium = await launch(context);
    const { agentId } = await createAgent(platform, { firstMessage: LONG_GREETING });
    const call = await startTestCall(platform, agentId);
    const caller = await BrowserCaller.open(chromium, platform);
    assert.equal(await caller.join(call), 201);
    await agentToBeHeard(caller);
    await caller.hangUp();
    const isOver = async () => (await caller.events()).at(-1)?.type === "ended";
    await waitFor("the end on the data channel", isOver);
    const lastItem = (await caller.events()).findLast((event) => event.type === "item");
    const { transcript } = await endedTestCall(platform, call.callId);
    assert.deepEqual(lastItem?.item, transcript.at(-1));
    assert.equal(lastItem?.item.interrupted, true);
  });

  test("a new browser replaces one that crashed, and the conversation continues", async (context) => {
    const { agentId } = await createAgent(platform, { firstMessage: GREETING });
    const call = await startTestCall(platform, agentId);
    const first = await Chromium.launch({ microphone: new Int16Array(48_000) });
    context.after(async () => await first.close().catch(() => {}));
    const lost = await BrowserCaller.open(first, platform);
    // Ready beforehand: a call waits for its browser for some seconds only.
    const second = await launch(context);
    const caller = await BrowserCaller.open(second, platform, { isSpeaking: true });
    await lost.join(call);
    const greeting = await lost.said("agent");
    const session = await lost.session();
    // Nothing says goodbye.
    first.browser.process()?.kill("SIGKILL");
    await first.close().catch(() => {});
    await sleep(4000);

    assert.equal(await caller.join(call), 409, "the token joins once");
    assert.equal(await caller.rejoin(session), 200);
    assert.equal(await caller.said("agent"), greeting, "what was said before is told again");
    await waitFor("the connection", async () => (await caller.connectionState()) === "connected");
    await caller.say(await readRecording("go-forward.wav"));
    await answerOver(testCall(platform, call.callId));
    await caller.hangUp();
    const record = await endedTestCall(platform, call.callId);
    assert.equal(record.endReason, "user_hangup");
    assertTalk(record, GREETING);
  });

  test("a browser that does not return ends the call", async () => {
    const { agentId } = await createAgent(platform);
    const call = await startTestCall(platform, agentId);
    const chromium = await Chromium.launch({ microphone: new Int16Array(48_000) });
    const caller = await BrowserCaller.open(chromium, platform);
    await caller.join(call);
    await caller.said("agent");
    await chromium.close();
    const record = await endedTestCall(platform, call.callId, 30_000);
    assert.deepEqual([record.status, record.endReason], ["completed", "user_hangup"]);
    assert.match(record.endDetail ?? "", /15 s/);
  });
});

/** Waits until some words of the agent have come out of the browser. */
async function agentToBeHeard(caller: BrowserCaller): Promise<void> {
  await waitFor(
    "the agent to be heard",
    async () => (await caller.loudSamples()) > HEARD_RATE_HZ / 2,
    40_000,
  );
}

test(
  "a browser that has no direct way reaches the agent through a TURN server",
  { skip: skipWithout("turnserver") },
  async (context) => {
    const turn = await TurnServer.start();
    context.after(async () => await turn.close());
    const platform = await Platform.start({
      env: {
        PARLEY_TURN_URLS: `turn:127.0.0.1:${turn.port}?transport=udp`,
        PARLEY_TURN_SECRET: turn.secret,
      },
    });
    context.after(async () => await platform.stop());
    const chromium = await launch(context);
    const { agentId } = await createAgent(platform, { firstMessage: GREETING });
    const call = await startTestCall(platform, agentId);
    const options = await fetch(call.url, {
      method: "OPTIONS",
      headers: { authorization: `Bearer ${call.token}` },
    });
    const iceServers = readIceServers(options.headers.get("link")).map(
      ({ urls, username = "", credential = "" }) => ({ urls, username, credential }),
    );
    assert.equal(iceServers.length, 1);
    const caller = await BrowserCaller.open(chromium, platform, { isSpeaking: true });
    const read = testCall(platform, call.callId);
    assert.equal(await caller.join(call, { iceServers, relayOnly: true }), 201);
    await greetingOver(read);
    await caller.say(await readRecording("go-forward.wav"));
    assertTalk(await answerOver(read), GREETING);
    assert.equal(await caller.localCandidateType(), "relay");
    assert.ok(loudness(await caller.heard()) > 100);
    await caller.hangUp();
  },
);
