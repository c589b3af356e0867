import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import type { AgentCreate } from "@parley/client/api";
import type { CallDetail } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { readRecording } from "../support/audio/recordings.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { shareAt, TestPerson } from "../support/phone/test-person.ts";
import { createAgent, endedCall, findCall, textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";

const PERSON_HZ = 1_000;
/** What the scripted voice sounds like. */
const VOICE_HZ = 300;
/** Frames until the question: the voice speaks 60 ms for each character. */
const QUESTION_FRAMES = 280;
const TO = "+15550740001";
const BACK = "Nobody takes it.";
const SUMMARY = "Ada returns a lamp.";
const SUMMARY_PROMPT = "Name the product.";
const HOLD_MESSAGE = "One moment.";
const INTRODUCTION = "You are connected.";

type WarmConfig = NonNullable<AgentCreate["warmTransferConfig"]>;

describe("warm transfers", { concurrency: true }, () => {
  let providers: ScriptedProviders;
  let platform: Platform;
  let speech: Int16Array;
  /** What the persons say now, by the term that the recognizer of their agent expects. */
  const words = new Map<string, string>();
  const callerConnections = new Map<string, number>();

  before(async () => {
    speech = await readRecording("go-forward.wav");
    const hear = (connection: number, _index: number, [term = ""]: readonly string[]): string => {
      // The caller speaks before the person does.
      if (!callerConnections.has(term)) callerConnections.set(term, connection);
      const isCaller = callerConnections.get(term) === connection;
      return isCaller ? "I want to return a lamp" : (words.get(term) ?? "");
    };
    providers = await startScriptedProviders(hear, ({ messages }) => {
      if (messages[0]?.content.includes(SUMMARY_PROMPT) === true) return { text: SUMMARY };
      if (messages.at(-1)?.role === "tool") return { text: BACK };
      return { text: "I connect you.", toolCalls: [{ name: "transfer_call", input: { destination: 1 } }] };
    });
    platform = await Platform.start({ env: providers.env });
  });
  after(async () => {
    await platform.stop();
    await providers.close();
  });

  let nextCaller = 15_550_730_001;

  /** A caller who has asked to be transferred, and the person. */
  async function askForTransfer(config: Partial<WarmConfig> = {}) {
    const person = await TestPerson.open({ toneHz: 0 });
    const from = `+${nextCaller++}`;
    const { number, sipTrunkId } = await createAgent(platform, {
      voiceId: null,
      firstMessage: "Hello.",
      sttKeyterms: [from],
      transferEnabled: true,
      transferMode: "warm",
      transferRoutes: [{ to_number: TO, condition: "The caller wants sales." }],
      warmTransferConfig: { summaryPrompt: SUMMARY_PROMPT, ...config },
    });
    await platform.api.updateSipTrunk(sipTrunkId, { proxyAddress: `127.0.0.1:${person.sipPort}` });
    const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    await caller.agentToFinish({ silenceMs: 300 });
    await caller.say(speech);
    return {
      caller,
      person,
      from,
      personSays: async (text: string) => {
        words.set(from, text);
        await person.say(speech);
      },
      [Symbol.asyncDispose]: async () => {
        await person[Symbol.asyncDispose]();
        await caller.close();
      },
    };
  }

  const lastHeard = ({ heard }: TestCaller): Int16Array[] => heard.slice(-15).map(({ pcm }) => pcm);
  const peakOf = (frames: readonly Int16Array[]): number =>
    Math.max(...frames.map((frame) => Math.max(...frame)));

  const isVoice = (frame: Int16Array): boolean => shareAt(VOICE_HZ, [frame]) > 0.9;

  const stepsOf = ({ transcript }: CallDetail): string[] =>
    transcript.filter(({ type }) => type === "transfer").map(({ text }) => text);

  async function stepIn(from: string, step: RegExp): Promise<void> {
    await waitFor(`the step ${step}`, async () => {
      const call = await findCall(platform, from);
      return call !== undefined && stepsOf(call).some((text) => step.test(text));
    });
  }

  /** The transcript once the caller is back with the agent. */
  async function failureOf(from: string): Promise<string> {
    const call = await waitFor("the agent to speak again", async () => {
      const found = await findCall(platform, from);
      return found !== undefined && textOf(found, "agent").includes(BACK) && found;
    });
    return stepsOf(call).at(-1) ?? "";
  }

  /** Whether the person's voice is on the agent's channel of the call's recording. */
  async function isPersonRecorded(from: string): Promise<boolean> {
    const url = await waitFor(
      "the recording",
      async () => (await findCall(platform, from))?.recordingUrl ?? undefined,
    );
    const input = Buffer.from(await (await fetch(url)).arrayBuffer());
    const args = ["-v", "error", "-i", "-", "-af", "pan=mono|c0=c1", "-f", "s16le", "-ar", "8000", "-"];
    const { stdout } = spawnSync("ffmpeg", args, { input, maxBuffer: 2 ** 28 });
    const samples = new Int16Array(new Uint8Array(stdout).buffer);
    assert.ok(samples.length > 16_000, `${samples.length} samples`);
    const frames = Array.from({ length: Math.floor(samples.length / 800) }, (_, index) =>
      samples.subarray(index * 800, (index + 1) * 800),
    );
    return frames.some((frame) => shareAt(PERSON_HZ, [frame]) > 0.9);
  }

  test("the caller waits with music, the person is told and takes it by key, and both are introduced", async () => {
    await using call = await askForTransfer({
      holdMessage: HOLD_MESSAGE,
      introMessage: INTRODUCTION,
      callerIdMode: "caller",
      continueRecordingAfterTransfer: true,
    });
    const { caller, person, from } = call;
    const invite = await person.rings();
    assert.ok(invite.from.uri.includes(from), invite.from.uri);
    person.ringing.push(invite);
    await waitFor("the music", () => {
      const frames = lastHeard(caller);
      return peakOf(frames) > 300 && shareAt(VOICE_HZ, frames) < 0.3;
    });
    await person.answer();
    await call.personSays("Hello?");
    await waitFor("the briefing", () => shareAt(VOICE_HZ, person.heard.slice(-60)) > 0.9);
    const isOnHold = shareAt(VOICE_HZ, lastHeard(caller)) < 0.3;
    person.press("1");
    await waitFor("the introduction for the caller", () => shareAt(VOICE_HZ, lastHeard(caller)) > 0.9);
    person.toneHz = PERSON_HZ;
    await waitFor("the person's voice", () => shareAt(PERSON_HZ, lastHeard(caller)) > 0.9);
    await caller.say(speech);
    await waitFor("the caller's voice", () => peakOf(person.heard.slice(-100)) > 2_000);
    await person.session.bye();
    assert.equal(await caller.ended(), "remote_bye");
    const record = await endedCall(platform, from);
    assert.ok(isOnHold);
    assert.deepEqual([record.status, record.endReason], ["completed", "transferred"]);
    const steps = stepsOf(record);
    assert.ok(steps.includes(`The caller hears: “${HOLD_MESSAGE}”`));
    assert.match(steps.find((step) => step.startsWith("The person heard")) ?? "", /Hello, a/);
    assert.deepEqual(
      steps.filter((step) => !/^The (caller hears|person heard|person said)/.test(step)),
      [
        `Transfer to ${TO}.`,
        `${TO} rings.`,
        `${TO} answered.`,
        "The person accepted by pressing 1.",
        `Both hear: “${INTRODUCTION}”`,
        "Both are connected.",
      ],
    );
    assert.equal(record.transcript.filter(({ role }) => role === "user").length, 1);
    assert.equal(await isPersonRecorded(from), true);
  });

  test("the person hears the summary and takes the call by voice", async () => {
    await using call = await askForTransfer();
    const { caller, person, from } = call;
    await person.answer();
    await call.personSays("Hello?");
    const sinceFrame = person.heard.length;
    await waitFor(
      "the question",
      () => person.heard.slice(sinceFrame).filter(isVoice).length > QUESTION_FRAMES,
    );
    await call.personSays("Certainly.");
    await stepIn(from, /accepted with “Certainly/);
    person.toneHz = PERSON_HZ;
    await waitFor("the person's voice", () => shareAt(PERSON_HZ, lastHeard(caller)) > 0.9);
    await caller.hangUp();
    assert.equal((await person.session.ended).cause, "remote_bye");
    const record = await endedCall(platform, from);
    assert.equal(record.endReason, "transferred");
    const told = stepsOf(record).find((step) => step.startsWith("The person heard")) ?? "";
    assert.match(told, new RegExp(`Hello, a caller.*${SUMMARY} Do you take`));
    assert.equal(await isPersonRecorded(from), false);
  });

  test("a person who declines leaves the caller with the agent, who may try again", async () => {
    await using call = await askForTransfer();
    const { caller, person, from } = call;
    await person.answer();
    person.press("2");
    assert.equal((await person.session.ended).cause, "remote_bye");
    assert.match(await failureOf(from), /failed: refused \(by pressing 2\)/);
    await caller.hangUp();
    assert.equal((await endedCall(platform, from)).endReason, "user_hangup");
  });

  test("a mailbox is told nothing", async () => {
    await using call = await askForTransfer();
    const { caller, person, from } = call;
    await person.answer();
    await call.personSays("Hi, please leave a message after the tone.");
    assert.match(await failureOf(from), /failed: voicemail/);
    assert.ok(peakOf(person.heard) < 1_000);
    await caller.hangUp();
  });

  test("a person who hangs up in the introduction leaves the caller with the agent", async () => {
    await using call = await askForTransfer({ introMessage: INTRODUCTION });
    const { caller, person, from } = call;
    await person.answer();
    person.press("1");
    await stepIn(from, /^Both hear/);
    await person.session.bye();
    assert.match(await failureOf(from), /failed: hung up/);
    await caller.hangUp();
    assert.equal((await endedCall(platform, from)).endReason, "user_hangup");
  });

  test("a caller who hangs up on hold is gone for the person too", async () => {
    await using call = await askForTransfer();
    const { caller, person, from } = call;
    await person.answer();
    await caller.hangUp();
    assert.equal((await person.session.ended).cause, "remote_bye");
    assert.equal((await endedCall(platform, from)).endReason, "user_hangup");
  });
});
