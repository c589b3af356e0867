import { setTimeout as sleep } from "node:timers/promises";
import { MediaWheel, PortPool } from "../../packages/rtp/src/index.ts";
import { UserAgent } from "../../packages/sip/src/index.ts";
import { seededRandom } from "@parley/testing";
import { serve } from "../support/peer.ts";
import { type Arrivals, ArrivalRecorder, mergeArrivals } from "./arrivals.ts";
import { Caller, type CallerOutcome } from "./caller.ts";
import { lineNoise, loadUtterances } from "./speech.ts";

/** Calls placed per second. */
const CALLS_PER_SECOND = 10;
const PORTS = { first: 31_000, last: 32_599 };
const POLL_INTERVAL_MS = 100;
const FINISH_DEADLINE_MS = 30_000;

export interface PlaceOrder {
  calls: number;
  to: { number: string; sipPort: number };
}

export type CallersMethods = {
  /** Places calls one after the other; resolves when the last one is answered or rejected. */
  place: (order: PlaceOrder) => Promise<void>;
  startRecording: (argument: undefined) => Promise<void>;
  /** Arrivals since the start of the recording; `wheelLagP99Ms` is the callers' own lateness in the last 10 s. */
  endRecording: (argument: undefined) => Promise<{ arrivals: Arrivals; wheelLagP99Ms: number }>;
  /** Lets every caller finish its sentence and hear the answer, then hangs up. */
  finish: (argument: undefined) => Promise<CallerOutcome[]>;
};

const wheel = new MediaWheel({
  onError: (error) => {
    throw error;
  },
});
const ports = new PortPool(PORTS);
const userAgent = await UserAgent.listen({
  bind: { address: "127.0.0.1", port: 0 },
  onInvite: (invite) => invite.reject(486),
});
const utterances = await loadUtterances();
const noise = lineNoise();
let callers: Caller[] = [];
let recorders: ArrivalRecorder[] = [];

async function place({ calls, to }: PlaceOrder): Promise<void> {
  const placed: Promise<Caller>[] = [];
  for (let index = 0; index < calls; index++) {
    const fromNumber = `+1555${String(calls).padStart(3, "0")}${String(index).padStart(4, "0")}`;
    const random = seededRandom(index);
    placed.push(Caller.place({ userAgent, ports, wheel, utterances, noise, random, fromNumber, to }));
    await sleep(1000 / CALLS_PER_SECOND);
  }
  callers = await Promise.all(placed);
}

async function finish(): Promise<CallerOutcome[]> {
  for (const caller of callers) caller.finish();
  const deadline = performance.now() + FINISH_DEADLINE_MS;
  while (!callers.every(({ isDone }) => isDone) && performance.now() < deadline)
    await sleep(POLL_INTERVAL_MS);
  const outcomes = callers.map(({ outcome }) => outcome);
  await Promise.all(callers.map((caller) => caller.hangUp()));
  callers = [];
  recorders = [];
  return outcomes;
}

const methods: CallersMethods = {
  place,
  startRecording: () => {
    recorders = callers.map((caller) => {
      const recorder = new ArrivalRecorder(8);
      caller.recordTo(recorder);
      return recorder;
    });
    return Promise.resolve();
  },
  endRecording: () => {
    for (const caller of callers) caller.recordTo(undefined);
    const arrivals = mergeArrivals(recorders.map((recorder) => recorder.arrivals));
    return Promise.resolve({ arrivals, wheelLagP99Ms: wheel.lagP99Ms });
  },
  finish,
};
serve(methods);
