/** The images of the page /try in docs/images: a call whose microphone plays recorded questions. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readWav, Resampler } from "@parley/audio";
import { FAST_LOCAL_VOICE } from "@parley/providers";
import { sampleAgent } from "@parley/contract/sample-agent";
import { Chromium } from "../../e2e/support/web/chromium.ts";
import { Platform } from "../../e2e/support/platform/platform.ts";
import { withSilence } from "../../e2e/support/audio/recordings.ts";
import { TryPage } from "../../e2e/support/web/try-page.ts";
import { waitFor } from "@parley/testing";

const DESKTOP = { width: 1120, height: 700 };
const PHONE = { width: 390, height: 844 };
const ANSWER_DEADLINE_MS = 60_000;
/** The fast voice is opened after the node is ready, and takes some seconds of a busy machine. */
const VOICE_OPENING_MS = 20_000;

/** The questions, each with the time before it in which the agent speaks. */
async function readMicrophone(): Promise<Int16Array> {
  const said: Int16Array[] = [];
  for (const [file, beforeMs] of [
    ["parking.wav", 11_000],
    ["weather.wav", 8_000],
  ] as const) {
    const url = new URL(`../../apps/server/src/demo/recordings/${file}`, import.meta.url);
    said.push(withSilence(readWav(await readFile(url)).pcm, { beforeMs, afterMs: 0 }));
  }
  const pcm = Int16Array.from(said.flatMap((each) => [...each]));
  return new Resampler(8000, 48_000).process(pcm);
}

/** Starts a Parley with its local models on an empty folder, and saves the images to a folder. */
export async function photographTry(folder: string): Promise<void> {
  const platform = await Platform.start();
  const chromium = await Chromium.launch({ microphone: await readMicrophone() });
  try {
    const agent = await platform.api.createAgent({ ...sampleAgent, voiceId: FAST_LOCAL_VOICE });
    const { page } = await chromium.open(`${platform.url}/try#key=${platform.apiKey}&agent=${agent.id}`);
    const tried = new TryPage(page);
    await page.setViewport(DESKTOP);
    await sleep(VOICE_OPENING_MS);
    await tried.press("Start call");
    const hasAnswered = async (times: number): Promise<boolean> =>
      (await page.$$(".latency li")).length >= times && (await page.$$(".said.agent")).length > times;
    await waitFor("two answers", async () => await hasAnswered(2), ANSWER_DEADLINE_MS);
    await page.screenshot({ path: `${folder}/try-call.png` });
    await tried.press("Hang up");
    await waitFor("the recording", async () => (await tried.recordedMs()) || undefined, ANSWER_DEADLINE_MS);
    await page.setViewport(PHONE);
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await page.screenshot({ path: `${folder}/try-ended-phone.png` });
  } finally {
    await chromium.close();
    await platform.stop();
  }
}
