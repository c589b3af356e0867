import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@parley/conversation/error-message";
import { seededRandom } from "@parley/testing";
import { MediaWheel } from "../../packages/rtp/src/index.ts";
import { ArrivalRecorder, type Arrivals, mergeArrivals } from "../calls/arrivals.ts";
import { serve } from "../support/peer.ts";
import { BenchBrowser } from "./browser.ts";
import { loadOpusSpeech } from "./opus-speech.ts";

const OPUS_UNITS_PER_MS = 48;
const POLL_INTERVAL_MS = 100;
const FINISH_DEADLINE_MS = 30_000;

export type BrowsersMethods = {
  /** Joins a call; resolves with the error, if any. */
  join: (call: { url: string; token: string }) => Promise<string | undefined>;
  startRecording: (argument: undefined) => Promise<void>;
  /** Arrivals since the start of the recording; `wheelLagP99Ms` is the browsers' own lateness in the last 10 s. */
  endRecording: (argument: undefined) => Promise<{
    arrivals: Arrivals;
    wheelLagP99Ms: number;
    connected: number;
    utterances: number;
    events: number;
  }>;
  /** Lets every browser finish its sentence and hear the answer. */
  finish: (argument: undefined) => Promise<void>;
};

const wheel = new MediaWheel({
  onError: (error) => {
    throw error;
  },
});
const speech = await loadOpusSpeech();
const browsers: BenchBrowser[] = [];
let recorders: ArrivalRecorder[] = [];

const methods: BrowsersMethods = {
  join: async ({ url, token }) => {
    const index = browsers.length;
    const browser = new BenchBrowser({ wheel, speech, random: seededRandom(index), ssrc: 5000 + index });
    try {
      await browser.join(url, token);
      browsers.push(browser);
      return undefined;
    } catch (error) {
      browser.close();
      return errorMessage(error);
    }
  },
  startRecording: async () => {
    recorders = browsers.map((browser) => {
      const recorder = new ArrivalRecorder(OPUS_UNITS_PER_MS);
      browser.recordTo(recorder);
      return recorder;
    });
  },
  endRecording: async () => {
    for (const browser of browsers) browser.recordTo(undefined);
    return {
      arrivals: mergeArrivals(recorders.map((recorder) => recorder.arrivals)),
      wheelLagP99Ms: wheel.lagP99Ms,
      connected: browsers.filter(({ isConnected }) => isConnected).length,
      utterances: browsers.reduce((sum, browser) => sum + browser.utterances, 0),
      events: browsers.reduce((sum, browser) => sum + browser.events, 0),
    };
  },
  finish: async () => {
    for (const browser of browsers) browser.finish();
    const deadline = performance.now() + FINISH_DEADLINE_MS;
    while (!browsers.every(({ isDone }) => isDone) && performance.now() < deadline)
      await sleep(POLL_INTERVAL_MS);
    for (const browser of browsers) browser.close();
  },
};
serve(methods);
