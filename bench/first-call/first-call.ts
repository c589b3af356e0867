import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@parley/conversation/error-message";
import { readWav } from "@parley/audio";
import type { CallDetail, Turn } from "@parley/contract";
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
const RECORDINGS = path.join(import.meta.dirname, "../../apps/server/src/demo/recordings");
const QUESTIONS = ["opening-hours.wav", "parking.wav", "price.wav"];

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
  /** Time from the end of each question to the first sound of its answer, which is no filler; up to the first question without an answer. */
  voiceToVoiceMs: readonly number[];
  /** Latency of the answers by part, as the API reports it. */
  turns: readonly Turn[];
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

async function call(platform: Platform, number: string, areQuestionsAsked: boolean): Promise<OneCall> {
  const from = `+1202555${randomInt(1000, 10_000)}`;
  const nothing = { greeting: undefined, unowedFillers: 0, voiceToVoiceMs: [], turns: [] };
  const caller = await TestCaller.open({ sipPort: platform.sipPort, number, from });
  try {
    const result = await caller.dial();
    if (!result.ok) return { ...nothing, failure: `${result.status} ${result.reason}` };
    const answeredAtMs = performance.now();
    await caller.agentToFinish({ silenceMs: END_OF_SPEECH_MS, deadlineMs: GREETING_TIMEOUT_MS });
    const greeting = describeGreeting([...caller.heard], answeredAtMs);
    const greetedAtMs = answeredAtMs + (greeting?.firstPacketMs ?? 0);
    const askedAtMs: number[] = [];
    for (const recording of areQuestionsAsked ? QUESTIONS : [])
      askedAtMs.push(await ask(recording, { caller, platform, greetedAtMs }));
    await caller.hangUp();
    const record = await endedCall(platform, from);
    const said = listAgentSpeech(record, greetedAtMs);
    return {
      greeting,
      failure:
        record.endReason?.startsWith("error") === true
          ? `${record.endReason} ${record.endDetail ?? ""}`
          : undefined,
      unowedFillers: said.filter(({ isFiller, atMs }) => isFiller && atMs < (askedAtMs[0] ?? Infinity))
        .length,
      voiceToVoiceMs: askedAtMs.flatMap((sinceMs) => {
        const answer = findAnswer(said, sinceMs);
        return answer === undefined ? [] : [answer.atMs - sinceMs];
      }),
      turns: record.turns,
    };
  } catch (error) {
    const [record] = await callsFrom(platform, from);
    const reason = errorMessage(error);
    return { ...nothing, failure: `${reason} (${record?.endReason ?? "no end"} ${record?.endDetail ?? ""})` };
  } finally {
    await caller.close();
  }
}

interface Asking {
  caller: TestCaller;
  platform: Platform;
  greetedAtMs: number;
}

/** @returns Time at which the question's last sound was sent. Its answer has been spoken then. */
async function ask(recording: string, { caller, platform, greetedAtMs }: Asking): Promise<number> {
  const { pcm } = readWav(await readFile(path.join(RECORDINGS, recording)));
  await caller.say(trimSilence(pcm));
  const saidAtMs = performance.now();
  await waitFor(
    `the answer to ${recording}`,
    async () => {
      // More frequent requests would take a noticeable part of a single core.
      await sleep(ANSWER_POLL_MS);
      const call = await findCall(platform, caller.from);
      return call !== undefined && findAnswer(listAgentSpeech(call, greetedAtMs), saidAtMs) !== undefined;
    },
    ANSWER_TIMEOUT_MS,
  );
  await caller.agentToFinish({ sinceMs: saidAtMs, silenceMs: END_OF_SPEECH_MS });
  return saidAtMs;
}

/** Removes a recording's final silence, which is not part of the answer's delay. */
function trimSilence(pcm: Int16Array): Int16Array {
  const lastLoud = pcm.findLastIndex((sample) => Math.abs(sample) > 500);
  return pcm.subarray(0, lastLoud + 1);
}

const fillers = new Set<string>(standardTexts("en").fillers);

interface AgentSpeech {
  /** Time of its first sound on the caller's clock. */
  atMs: number;
  isFiller: boolean;
}

/** What the agent said. The transcript's times, whose clock is the call's media, become the caller's by that of the greeting. */
function listAgentSpeech({ transcript }: CallDetail, greetedAtMs: number): AgentSpeech[] {
  const said = transcript.flatMap(({ role, text, startMs }) =>
    role === "agent" ? [{ startMs, isFiller: fillers.has(text) }] : [],
  );
  const greetingMs = said.find(({ isFiller }) => !isFiller)?.startMs ?? 0;
  return said.map(({ startMs, isFiller }) => ({ atMs: greetedAtMs + startMs - greetingMs, isFiller }));
}

function findAnswer(said: readonly AgentSpeech[], sinceMs: number): AgentSpeech | undefined {
  return said.find(({ atMs, isFiller }) => !isFiller && atMs > sinceMs);
}
