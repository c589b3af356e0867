import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallDetail } from "@parley/contract";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { createAgent, endedCall, findCall, textOf } from "../support/platform/agents.ts";
import { Baresip } from "../support/phone/baresip.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { descendantsOf } from "../support/platform/processes.ts";
import { recognize } from "../support/audio/recognize.ts";
import { GO_FORWARD, plainWords, readRecording, withSilence } from "../support/audio/recordings.ts";
import { speechSegments } from "../support/audio/speech-segments.ts";
import { greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

/** Energies are compared in steps of so many samples: 10 ms. */
const STEP = 80;
const MAX_SHIFT_STEPS = 300;
const MIN_OVERLAP = 0.75;

interface Sides {
  left: Int16Array;
  right: Int16Array;
}

describe("a call's recording", { skip: skipWithout("baresip", "ffmpeg") }, () => {
  let folder: string;
  let platform: Platform;
  let number: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "parley-e2e-recording-"));
    platform = await Platform.start({ dataDirectory: folder });
    ({ number } = await createAgent(platform));
  });
  after(async () => {
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A recording is made with what processor time the machine has to spare. */
  async function recordedCall(from: string, deadlineMs = 120_000): Promise<CallDetail> {
    return await waitFor(
      `the recording of the call from ${from}`,
      async () => {
        const call = await findCall(platform, from);
        assert.notEqual(call?.recordingStatus, "failed");
        return call?.recordingStatus === "ready" && call;
      },
      deadlineMs,
    );
  }

  /** Left and right at 8 kHz. */
  async function fetchSides(url: string): Promise<Sides> {
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "audio/ogg; codecs=opus");
    const file = path.join(folder, "fetched.opus");
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    const args = ["-v", "warning", "-i", file, "-f", "s16le", "-ar", "8000", "-"];
    const { stdout, stderr } = spawnSync("ffmpeg", args, { maxBuffer: 2 ** 28 });
    assert.equal(String(stderr), "");
    const samples = new Int16Array(new Uint8Array(stdout).buffer);
    const side = (channel: number) => samples.filter((_, index) => index % 2 === channel);
    return { left: side(0), right: side(1) };
  }

  test("has the caller on its left and the agent on its right, as they came one after the other", async () => {
    const from = "+15550900001";
    const said = withSilence(await readRecording("go-forward.wav"), { beforeMs: 6_000, afterMs: 30_000 });
    const baresip = await Baresip.start({ from, pcm: said });
    let heard: Int16Array = new Int16Array(0);
    try {
      await baresip.dial(`sip:${number}@127.0.0.1:${platform.sipPort}`);
      await waitFor(
        "the caller's words",
        async () =>
          (await findCall(platform, from))?.transcript.some(
            ({ role, text }) => role === "user" && text !== "",
          ),
        30_000,
      );
      await sleep(500);
      assert.equal((await findCall(platform, from))?.recordingStatus, "pending");
      await baresip.hangUp();
    } finally {
      heard = await baresip.close();
    }
    const call = await recordedCall(from);
    const { left, right } = await fetchSides(call.recordingUrl ?? "");
    const [caller, agent] = [alignment(said, left), alignment(heard, right)];
    console.log(
      `the caller's side is like what was said to ${caller.likeness.toFixed(2)}, the agent's like what was heard to ` +
        `${agent.likeness.toFixed(2)}; they are ${Math.abs(caller.shiftMs - agent.shiftMs)} ms apart from how baresip had them`,
    );
    assert.ok(caller.likeness > 0.9 && agent.likeness > 0.9);
    assert.ok(Math.abs(caller.shiftMs - agent.shiftMs) <= 300);
    const onLeft = plainWords(await recognize(speechSegments(left)));
    const onRight = plainWords(await recognize(speechSegments(right)));
    // The small recognizer mistakes a word now and then.
    assert.ok(wordOverlap(GO_FORWARD, onLeft) >= 0.5, onLeft);
    const agentSaid = plainWords(textOf(call, "agent"));
    assert.ok(wordOverlap(agentSaid, onRight) >= MIN_OVERLAP, `${onRight} of ${agentSaid}`);
    assert.ok(wordOverlap(agentSaid, onLeft) < MIN_OVERLAP, onLeft);
    const lengthMs = left.length / 8;
    const talkedMs = Date.parse(call.endedAt ?? "") - Date.parse(call.answeredAt ?? "");
    assert.ok(Math.abs(lengthMs - talkedMs) < 1_000, `${lengthMs} ms of ${talkedMs}`);
  });

  test("is served whole and in parts to clients with the link only", async () => {
    const { id } = await recordedCall("+15550900001");
    const data = await platform.api.getCallRecording(id);
    const whole = Buffer.from(await (await fetch(data.url)).arrayBuffer());
    assert.equal(whole.length, data.sizeBytes);
    const part = await fetch(data.url, { headers: { range: `bytes=${data.sizeBytes - 100}-` } });
    assert.equal(part.status, 206);
    assert.ok(whole.subarray(-100).equals(Buffer.from(await part.arrayBuffer())));
    const stranger = await fetch(data.url.replace(/signature=.*/, "signature=x"));
    assert.equal(stranger.status, 404);
    await stranger.body?.cancel();
    assert.deepEqual(await readdir(path.join(folder, "recordings")), [], "no spool is left");
  });

  test("plays in a browser, from any point to its end", { skip: skipWithoutChromium }, async () => {
    const { recordingUrl } = await recordedCall("+15550900001");
    const chromium = await Chromium.launch();
    try {
      const { page } = await chromium.open(`${platform.url}/healthz`);
      const durationSeconds = await page.evaluate(playEnd(recordingUrl ?? ""));
      assert.ok(typeof durationSeconds === "number" && durationSeconds > 5, String(durationSeconds));
    } finally {
      await chromium.close();
    }
  });

  test("is not made if the agent's recording is disabled", async () => {
    const { number: unrecorded } = await createAgent(platform, { recordingEnabled: false });
    const from = "+15550900002";
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number: unrecorded, from });
    await caller.agentToSpeak();
    await caller.hangUp();
    await caller.close();
    const call = await endedCall(platform, from);
    assert.deepEqual([call.recordingStatus, call.recordingUrl], [null, null]);
    assert.deepEqual(await readdir(path.join(folder, "recordings")), []);
  });

  test("reaches up to the moment in which its media process was killed", async () => {
    const from = "+15550900003";
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      await greeted(platform, caller);
      await caller.say(await readRecording("go-forward.wav"));
      const media = descendantsOf(platform.process.pid ?? 0).find(({ command }) =>
        command.includes("media-process"),
      );
      // What a killed process has not written is lost: less than a second.
      await sleep(1_500);
      process.kill(media?.pid ?? 0, "SIGKILL");
      await caller.ended();
    } finally {
      await caller.close();
    }
    const call = await recordedCall(from);
    assert.equal(call.endReason, "error_internal");
    const { left } = await fetchSides(call.recordingUrl ?? "");
    assert.equal(wordOverlap(GO_FORWARD, plainWords(await recognize(speechSegments(left)))), 1);
  });

  test("is made after the next start if the whole node was killed", async () => {
    await waitFor("readiness", async () => (await fetch(`${platform.url}/readyz`)).status === 200, 30_000);
    const from = "+15550900004";
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      await greeted(platform, caller);
      await caller.say(await readRecording("go-forward.wav"));
      await sleep(500);
      platform.process.kill("SIGKILL");
      await platform.exited;
    } finally {
      await caller.close();
    }
    platform = await Platform.start({ dataDirectory: folder });
    const call = await recordedCall(from);
    assert.deepEqual([call.status, call.endReason], ["failed", "node_lost"]);
    const { left } = await fetchSides(call.recordingUrl ?? "");
    assert.equal(wordOverlap(GO_FORWARD, plainWords(await recognize(speechSegments(left)))), 1);
    assert.deepEqual(await readdir(path.join(folder, "recordings")), []);
  });
});

/** For a page: plays the last second, and gives the length in seconds. */
function playEnd(url: string): string {
  return `(async () => {
    const audio = new Audio(${JSON.stringify(url)});
    const happens = (name) => new Promise((resolve, reject) => {
      audio.addEventListener(name, resolve, { once: true });
      audio.addEventListener("error", () => reject(new Error(audio.error?.message)), { once: true });
    });
    await happens("loadedmetadata");
    const { duration } = audio;
    audio.currentTime = duration - 1;
    await happens("seeked");
    const ended = happens("ended");
    await audio.play();
    await ended;
    return duration;
  })()`;
}

/** How alike two sounds are in their loudness over time, and how much later the second is. */
function alignment(one: Int16Array, other: Int16Array): { likeness: number; shiftMs: number } {
  const [a, b] = [loudness(one), loudness(other)];
  let best = { likeness: -1, shiftMs: 0 };
  for (let shift = -MAX_SHIFT_STEPS; shift <= MAX_SHIFT_STEPS; shift++) {
    let [product, aa, bb] = [0, 0, 0];
    for (let index = 0; index < b.length; index++) {
      const [x, y] = [a[index - shift] ?? 0, b[index] ?? 0];
      product += x * y;
      aa += x * x;
      bb += y * y;
    }
    const likeness = product / Math.sqrt(aa * bb);
    if (likeness > best.likeness) best = { likeness, shiftMs: shift * 10 };
  }
  return best;
}

function loudness(pcm: Int16Array): number[] {
  return Array.from({ length: Math.floor(pcm.length / STEP) }, (_, step) => {
    let sum = 0;
    for (let index = step * STEP; index < (step + 1) * STEP; index++) sum += (pcm[index] ?? 0) ** 2;
    return Math.sqrt(sum / STEP);
  });
}
