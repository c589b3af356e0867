import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { medianPitch, readWav, Resampler, trackPitch, writeWav } from "@parley/audio";
import type { Page } from "puppeteer-core";
import { greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const SUBMIT = "[role=dialog] button[type=submit]";

/** A man who reads for 12 seconds, 16 kHz. */
async function readMan(): Promise<Int16Array> {
  const files = ["0870", "0890"].map((part) => `bench/recordings/sense-and-sensibility-${part}.wav`);
  const parts = await Promise.all(files.map(async (file) => readWav(await readFile(file)).pcm));
  return Int16Array.from(parts.flatMap((pcm) => [...pcm]));
}

describe("the page of voices", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let folder: string;
  let file: string;

  before(async () => {
    const man = await readMan();
    folder = await mkdtemp(path.join(tmpdir(), "parley-voices-page-"));
    file = path.join(folder, "man.wav");
    await writeFile(file, writeWav({ sampleRateHz: 16_000, channels: 1, pcm: man }));
    // The fast voice, so that the test does not depend on the machine.
    platform = await Platform.start({ env: { PARLEY_LOCAL_VOICE: "dittli/male" } });
    chromium = await Chromium.launch({ microphone: new Resampler(16_000, 48_000).process(man) });
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(address: string) {
    const { page, problems } = await chromium.open(`${platform.url}${address}#key=${platform.apiKey}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  /** Chooses from the menu of a voice. */
  async function choose(page: Page, voice: string, action: string): Promise<void> {
    await page.locator(`button[aria-label="Actions for ${voice}"]`).click();
    await page.locator(`[role=menu] ::-p-text(${action})`).click();
  }

  async function chooseFile(page: Page, name: string): Promise<void> {
    await page.locator("::-p-text(File)").click();
    const input = await page.waitForSelector("input[type=file]");
    await input?.uploadFile(name);
  }

  test("lists voices with filters, and makes one from a file, with which calls speak", async () => {
    const { shown, page, problems } = await open("/voices");
    await shown.waitForText("Heart");
    assert.deepEqual(await shown.inspect("voices"), []);
    await shown.press("Create a voice");
    await shown.waitForText("read this aloud");
    assert.deepEqual(await shown.inspect("voices-create"), []);
    await shown.fill("displayName", "Reader");
    await chooseFile(page, file);
    await shown.waitForText("Recording of 12 seconds");
    await page.locator(SUBMIT).click();
    await shown.waitForText("is required");
    await page.locator('[data-path="hasConsent"]').click();
    await page.locator(SUBMIT).click();
    await shown.waitForText("The voice Reader is ready.");
    await page.goto(`${platform.url}/voices?source=custom`);
    await shown.waitForText("approximation");
    const [voice] = await platform.api.listVoices({ search: "reader" });
    assert.ok(voice !== undefined);
    const { number, agentId } = await createAgent(platform, { voiceId: voice.id });
    await page.reload();
    await page.waitForSelector(`a[href="/agents/${agentId}"]`);
    assert.deepEqual(await shown.inspect("voices-own"), []);
    await assertSpeaksLike(voice.id, number);
    assert.deepEqual(problems, []);
  });

  /** The reader's pitch is 100 Hz, and the voice's own 155 Hz, which is lowered by at most 30 %. */
  async function assertSpeaksLike(voiceId: string, number: string): Promise<void> {
    const preview = readWav(new Uint8Array(await (await platform.api.previewVoice(voiceId)).arrayBuffer()));
    const previewHz = medianPitch(trackPitch(preview.pcm, 16_000)) ?? 0;
    assert.ok(previewHz > 95 && previewHz < 122, `preview: ${previewHz} Hz`);
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550720077" });
    await greeted(platform, caller);
    const heard = Int16Array.from(caller.heard.flatMap(({ pcm }) => [...pcm]));
    const heardHz = medianPitch(trackPitch(heard, 8_000)) ?? 0;
    assert.ok(heardHz > 95 && heardHz < 122, `call: ${heardHz} Hz`);
    await caller.hangUp();
  }

  test("a short recording by microphone is decoded, heard again and refused by its length", async () => {
    const { shown, page, problems } = await open("/voices");
    await shown.press("Create a voice");
    await shown.press("Record");
    await shown.waitForText("Read on without long pauses");
    assert.deepEqual(await shown.inspect("voices-recording"), []);
    await shown.press("Stop");
    await shown.waitForText("seconds are needed");
    await shown.press("Listen");
    await page.waitForSelector("button ::-p-text(Stop)");
    await shown.press("Replace");
    await shown.waitForText("Record");
    assert.deepEqual(problems, []);
  });

  test("a voice is renamed and deleted, and a bad recording is refused with its reason", async () => {
    const { shown, page } = await open("/voices?source=custom");
    await choose(page, "Reader", "Rename");
    await shown.fill("displayName", "Storyteller");
    await shown.press("Save");
    await choose(page, "Storyteller", "Delete");
    await shown.waitForText("will speak with the fallback voice");
    await page.locator("[role=dialog] button ::-p-text(Delete)").click();
    await shown.waitForText("No voice matches");
    const silent = path.join(folder, "silent.wav");
    await writeFile(silent, writeWav({ sampleRateHz: 16_000, channels: 1, pcm: new Int16Array(160_000) }));
    await shown.press("Create a voice");
    await shown.fill("displayName", "Silence");
    await chooseFile(page, silent);
    // Until it is decoded, the button is disabled.
    await shown.waitForText("Recording of 10 seconds");
    await page.locator('[data-path="hasConsent"]').click();
    await page.locator(SUBMIT).click();
    await shown.waitForText("contains no speech");
    assert.deepEqual(await shown.inspect("voices-refused"), []);
  });
});
