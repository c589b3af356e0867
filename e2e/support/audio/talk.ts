import assert from "node:assert/strict";
import type { CallDetail, TranscriptItem } from "@parley/contract";
import { standardTexts } from "@parley/conversation";
import { wordOverlap } from "../../../apps/server/src/demo/word-overlap.ts";
import { waitFor } from "@parley/testing";
import { findCall, textOf } from "../platform/agents.ts";
import type { Platform } from "../platform/platform.ts";
import { GO_FORWARD, plainWords, readRecording } from "./recordings.ts";
import type { TestCaller } from "../phone/test-caller.ts";

/** Generous for busy machines. Benches measure the platform's speed. */
const DEADLINE_MS = 60_000;
const fillers: ReadonlySet<string> = new Set(standardTexts("en").fillers);

/** Reads the call's current state from the API. */
export type ReadCall = () => Promise<CallDetail | undefined>;

/** Returns a function that reads the newest call from this number. */
export function callFrom(platform: Platform, from: string): ReadCall {
  return async () => await findCall(platform, from);
}

/** Returns whether the message is filler speech during a slow answer. */
export function isFiller({ text }: TranscriptItem): boolean {
  return fillers.has(text);
}

function messagesOf(call: CallDetail): TranscriptItem[] {
  return call.transcript.filter(({ type }) => type === "message");
}

/** Returns whether the agent has said something other than fillers since the caller's last message. */
function isAnswered(messages: readonly TranscriptItem[]): boolean {
  const lastWords = messages.findLastIndex(({ role }) => role === "user");
  return lastWords >= 0 && messages.slice(lastWords + 1).some((message) => !isFiller(message));
}

async function waitInCall(
  what: string,
  read: ReadCall,
  isSo: (call: CallDetail) => boolean,
): Promise<CallDetail> {
  let call: CallDetail | undefined;
  const waiting = waitFor(
    what,
    async () => {
      call = await read();
      return call !== undefined && (isSo(call) || call.endedAt !== null) && call;
    },
    DEADLINE_MS,
  );
  const found = await waiting.catch((cause: unknown) => {
    throw new Error(`the call has not come to ${what}: ${JSON.stringify(call)}`, { cause });
  });
  if (isSo(found)) return found;
  const { endReason, endDetail, transcript } = found;
  throw new Error(`the call ended before ${what}: ${endReason} ${endDetail} ${JSON.stringify(transcript)}`);
}

/** Waits until the agent has finished its greeting, so that a caller does not interrupt it. */
export async function greetingOver(read: ReadCall): Promise<CallDetail> {
  return await waitInCall("the end of the greeting", read, (call) => textOf(call, "agent") !== "");
}

/** Waits until the agent has completely answered the caller's last message. */
export async function answerOver(read: ReadCall): Promise<CallDetail> {
  return await waitInCall("the end of the answer", read, (call) => isAnswered(messagesOf(call)));
}

/** Waits until the agent has greeted this caller. */
export async function greeted(platform: Platform, caller: TestCaller): Promise<CallDetail> {
  return await greetingOver(callFrom(platform, caller.from));
}

/** Plays the sentence of `go-forward.wav` as the caller, and waits until the agent has answered. */
export async function ask(platform: Platform, caller: TestCaller): Promise<CallDetail> {
  const read = callFrom(platform, caller.from);
  const before = await read();
  const saidBefore = before === undefined ? 0 : messagesOf(before).length;
  await caller.say(await readRecording("go-forward.wav"));
  return await waitInCall("the end of the answer", read, (call) =>
    isAnswered(messagesOf(call).slice(saidBefore)),
  );
}

/** Asserts that the transcript contains exactly the words of `go-forward.wav`. */
export function assertUnderstood(call: CallDetail): void {
  assert.equal(wordOverlap(GO_FORWARD, plainWords(textOf(call, "user"))), 1, JSON.stringify(call.transcript));
}

/**
 * Asserts the course of a talk on a machine of any speed: the agent greeted, a person said the sentence of
 * `go-forward.wav`, and was answered. Fillers may appear only between these words and the answer.
 */
export function assertTalk(call: CallDetail, greeting: string): void {
  const shown = JSON.stringify(call.transcript);
  const [first, second, ...others] = messagesOf(call);
  assert.deepEqual(
    [first?.role, first?.text, first?.interrupted ?? false],
    ["agent", greeting, false],
    shown,
  );
  assert.equal(second?.role, "user", shown);
  assertUnderstood(call);
  assert.ok(isAnswered(messagesOf(call)), shown);
  for (const [index, message] of others.entries()) {
    const previous = others[index - 1] ?? second;
    assert.ok(!isFiller(message) || isFiller(previous) || previous.role === "user", shown);
  }
  for (const { startMs, endMs } of call.transcript) assert.ok(startMs <= endMs, shown);
  const starts = messagesOf(call).map(({ startMs }) => startMs);
  assert.deepEqual(
    starts,
    starts.toSorted((a, b) => a - b),
    shown,
  );
}
