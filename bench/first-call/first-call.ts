import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@parley/conversation/error-message";
import { readWav } from "@parley/audio";
import type { CallDetail, TranscriptItem } from "@parley/contract";
import { sampleAgent } from "@parley/contract/sample-agent";
import { standardTexts } from "@parley/conversation";
import { callsFrom, createAgent, endedCall, findCall } from "../../e2e/support/platform/agents.ts";
import { Platform } from "../../e2e/support/platform/platform.ts";
import { TestCaller } from "../../e2e/support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";
import { describeGreeting, type HeardGreeting } from "./greeting.ts";

const READY_POLL_MS = 10;
const READY_TIMEOUT_MS = 180_000;
const GREETING_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 20_000;
const ANSWER_POLL_MS = 250;
/** Longer than any pause of the voice within a greeting. */
const END_OF_SPEECH_MS = 1_200;
const QUESTION = path.join(import.meta.dirname, "../../apps/server/src/demo/recordings/opening-hours.wav");

export interface FirstCall {
  /** Time from the start of the process to the first 200 of `/readyz`. */
  readyMs: number;
  /** Reason of the call's failure; `undefined` if it succeeded. */
  failure: string | undefined;
  greeting: HeardGreeting | undefined;
  /** The same greeting in a later call to the same platform without other load. */
  laterGreeting: HeardGreeting | undefined;
  /** Fillers before the caller has asked anything. */
  unowedFillers: number;
  /** Time from the end of the question to the first sound of its answer, which is no filler; `undefined` without an answer. */
  voiceToVoiceMs: number | undefined;
}

export interface StartOptions {
  dataDirectory: string;
  launcher: readonly string[];
  modelsDir: string;
}

/** Starts a platform, calls it as soon as it reports that it is ready, then calls it once more. */
export async function measureFirstCall({
  dataDirectory,
  launcher,
  modelsDir,
}: StartOptions): Promise<FirstCall> {
  const startedAtMs = performance.now();
  const platform = await Platform.start({
    dataDirectory,
    launcher,
    isReadinessAwaited: false,
    env: { PARLEY_MODELS_DIR: modelsDir },
  });
  try {
    const { number } = await createAgent(platform, { ...sampleAgent, voiceId: null });
    await becomeReady(platform);
    const readyMs = performance.now() - startedAtMs;
    const first = await call(platform, number, true);
    // Concurrent calls would share the cores.
    const later = await call(platform, number, false);
    return { readyMs, ...first, laterGreeting: later.greeting };
  } finally {
    await platform.stop();
  }
}

async function becomeReady(platform: Platform): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const response = await fetch(`${platform.url}/readyz`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await sleep(READY_POLL_MS);
  }
  throw new Error(`not ready after ${READY_TIMEOUT_MS} ms:\n${platform.output}`);
}

type OneCall = Omit<FirstCall, "readyMs" | "laterGreeting">;

async function call(platform: Platform, number: string, isQuestionAsked: boolean): Promise<OneCall> {
  const from = `+1202555${randomInt(1000, 10_000)}`;
  const nothing = { greeting: undefined, unowedFillers: 0, voiceToVoiceMs: undefined };
  const caller = await TestCaller.open({ sipPort: platform.sipPort, number, from });
  try {
    const result = await caller.dial();
    if (!result.ok) return { ...nothing, failure: `${result.status} ${result.reason}` };
    const answeredAtMs = performance.now();
    await caller.agentToFinish({ silenceMs: END_OF_SPEECH_MS, deadlineMs: GREETING_TIMEOUT_MS });
    const greeting = describeGreeting([...caller.heard], answeredAtMs);
    const askedAtMs = isQuestionAsked ? await ask(caller, platform, from) : Infinity;
    await caller.hangUp();
    const record = await endedCall(platform, from);
    const greetedAtMs = answeredAtMs + (greeting?.firstPacketMs ?? 0);
    return {
      greeting,
      failure:
        record.endReason?.startsWith("error") === true
          ? `${record.endReason} ${record.endDetail ?? ""}`
          : undefined,
      ...findSpeech(record, { greetedAtMs, askedAtMs }),
    };
  } catch (error) {
    const [record] = await callsFrom(platform, from);
    const reason = errorMessage(error);
    return { ...nothing, failure: `${reason} (${record?.endReason ?? "no end"} ${record?.endDetail ?? ""})` };
  } finally {
    await caller.close();
  }
}

/** @returns Time at which the question's last sound was sent. */
async function ask(caller: TestCaller, platform: Platform, from: string): Promise<number> {
  const { pcm } = readWav(await readFile(QUESTION));
  await caller.say(trimSilence(pcm));
  const saidAtMs = performance.now();
  await waitFor(
    "the answer",
    async () => {
      // More frequent requests would take a noticeable part of a single core.
      await sleep(ANSWER_POLL_MS);
      const call = await findCall(platform, from);
      return call !== undefined && findAnswer(call) !== undefined;
    },
    ANSWER_TIMEOUT_MS,
  );
  return saidAtMs;
}

/** Removes a recording's final silence, which is not part of the answer's delay. */
function trimSilence(pcm: Int16Array): Int16Array {
  const lastLoud = pcm.findLastIndex((sample) => Math.abs(sample) > 500);
  return pcm.subarray(0, lastLoud + 1);
}

const fillers = new Set<string>(standardTexts("en").fillers);

function findAnswer({ transcript }: CallDetail): TranscriptItem | undefined {
  const firstWords = transcript.findIndex(({ role }) => role === "user");
  if (firstWords === -1) return undefined;
  return transcript.slice(firstWords).find(({ role, text }) => role === "agent" && !fillers.has(text));
}

/** Times of the transcript, whose clock is the call's media, as times of the caller by that of the greeting. */
function findSpeech(
  call: CallDetail,
  { greetedAtMs, askedAtMs }: { greetedAtMs: number; askedAtMs: number },
): Pick<FirstCall, "unowedFillers" | "voiceToVoiceMs"> {
  const said = call.transcript.filter(({ role }) => role === "agent");
  const greeting = said.find(({ text }) => !fillers.has(text));
  const toCallerMs = (startMs: number): number => greetedAtMs + startMs - (greeting?.startMs ?? 0);
  const answer = findAnswer(call);
  return {
    unowedFillers: said.filter(({ text, startMs }) => fillers.has(text) && toCallerMs(startMs) < askedAtMs)
      .length,
    voiceToVoiceMs: answer && toCallerMs(answer.startMs) - askedAtMs,
  };
}
