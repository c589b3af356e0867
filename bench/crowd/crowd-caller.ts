import { errorMessage } from "@parley/conversation/error-message";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readWav } from "@parley/audio";
import { createAgent } from "../../e2e/support/platform/agents.ts";
import type { Platform } from "../../e2e/support/platform/platform.ts";
import type { TestCaller } from "../../e2e/support/phone/test-caller.ts";
import { describeGreeting, type HeardGreeting } from "../first-call/greeting.ts";

const QUESTION = path.join(import.meta.dirname, "../../apps/server/src/demo/recordings/opening-hours.wav");
const ROUNDS = 2;
const MIN_THINKING_MS = 500;
const MAX_THINKING_MS = 6_000;
/** Longer than any pause between two sentences. */
const END_OF_SPEECH_MS = 1_500;
const ANSWER_TIMEOUT_MS = 30_000;
/** Level below which a recording's end is silent. */
const SILENT_SAMPLE = 500;

/** Texts of one caller's own agent: no other caller hears the same words, so that none of them are cached. */
export interface CrowdAgent {
  number: string;
  greeting: string;
  answer: string;
}

/** One utterance of the agent as heard by the caller. */
interface CrowdSpeech extends Pick<HeardGreeting, "longestPauseMs" | "pcm"> {
  expected: string;
}

export interface CrowdCall {
  /** Time from the INVITE to the final answer. */
  decidedMs: number;
  /** Status of the rejection; `undefined` if the call was accepted. */
  refusal: number | undefined;
  speeches: CrowdSpeech[];
  /** Times from the end of each question to the first sound of its answer. */
  voiceToVoiceMs: number[];
  failure: string | undefined;
}

/** No numbers: recognizers write them as digits. */
const COLORS = ["green", "silver", "golden", "yellow", "purple", "orange"];
const TRAINS = ["express", "engine", "wagon", "carriage"];

export async function createCrowdAgent(
  platform: Platform,
  index: number,
  voiceId: string | null,
): Promise<CrowdAgent> {
  const color = COLORS[index % COLORS.length] ?? "";
  const train = TRAINS[Math.floor(index / COLORS.length) % TRAINS.length] ?? "";
  const answer = `On Saturday we are open all day, in the house with the ${color} ${train}.`;
  const greeting = `Hello, this is the model railway club with the ${color} ${train}. How can I help you?`;
  const { number } = await createAgent(platform, {
    voiceId,
    // Text with a variable is not synthesized ahead of the call.
    firstMessage: `{{nothing}}${greeting}`,
    promptTemplate: `You answer the telephone of a model railway club.\n\n# Opening hours\n${answer}`,
  });
  return { number, greeting, answer };
}

/** Calls, hears the greeting, and asks the same question several times, after pauses of its own. */
export async function callInCrowd(
  caller: TestCaller,
  { greeting, answer }: CrowdAgent,
  random: () => number,
): Promise<CrowdCall> {
  const startedAtMs = performance.now();
  const result = await caller.dial();
  const decidedMs = performance.now() - startedAtMs;
  const call: CrowdCall = {
    decidedMs,
    refusal: undefined,
    speeches: [],
    voiceToVoiceMs: [],
    failure: undefined,
  };
  if (!result.ok) return { ...call, refusal: result.status };
  try {
    await hear(caller, greeting, 0, call);
    const question = trimSilence(readWav(await readFile(QUESTION)).pcm);
    for (let round = 0; round < ROUNDS; round += 1) {
      await sleep(MIN_THINKING_MS + random() * (MAX_THINKING_MS - MIN_THINKING_MS));
      await caller.say(question);
      const askedAtMs = performance.now();
      await hear(caller, answer, askedAtMs, call);
      const first = caller.heard.find(({ atMs, isSpeech }) => isSpeech && atMs > askedAtMs);
      if (first !== undefined) call.voiceToVoiceMs.push(first.atMs - askedAtMs);
    }
  } catch (error) {
    call.failure = errorMessage(error);
  }
  return call;
}

async function hear(caller: TestCaller, expected: string, sinceMs: number, call: CrowdCall): Promise<void> {
  await caller.agentToFinish({ sinceMs, silenceMs: END_OF_SPEECH_MS, deadlineMs: ANSWER_TIMEOUT_MS });
  const heard = describeGreeting(
    caller.heard.filter(({ atMs }) => atMs > sinceMs),
    sinceMs,
  );
  if (heard !== undefined)
    call.speeches.push({ expected, longestPauseMs: heard.longestPauseMs, pcm: heard.pcm });
}

function trimSilence(pcm: Int16Array): Int16Array {
  return pcm.subarray(0, pcm.findLastIndex((sample) => Math.abs(sample) > SILENT_SAMPLE) + 1);
}
