import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CallDetail } from "@parley/contract";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { createAgent, textOf } from "../support/platform/agents.ts";
import { type CapturedPacket, impair } from "../support/audio/pcap.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { seededRandom } from "@parley/testing";
import {
  GO_FORWARD,
  plainWords,
  readRecording,
  toPackets,
  withSilence,
} from "../support/audio/recordings.ts";
import { talkBySipp } from "../support/phone/sipp-person.ts";
import { assertTalk } from "../support/audio/talk.ts";

const GREETING = "Hello, you may speak now.";
const MIN_OVERLAP = 0.75;

describe("a call from SIPp", { skip: skipWithout("sipp"), concurrency: true }, () => {
  let platform: Platform;
  let number: string;
  let recording: Int16Array;

  before(async () => {
    platform = await Platform.start();
    ({ number } = await createAgent(platform, { firstMessage: GREETING }));
    recording = withSilence(await readRecording("go-forward.wav"), { beforeMs: 300, afterMs: 1500 });
  });
  after(async () => await platform.stop());

  function understoodShare(call: CallDetail): number {
    return wordOverlap(GO_FORWARD, plainWords(textOf(call, "user")));
  }

  for (const [index, codec] of (["PCMU", "PCMA"] as const).entries()) {
    test(`a person's words over ${codec} stand in the transcript between the greeting and the answer`, async () => {
      const audio = toPackets(recording, codec);
      const result = await talkBySipp(platform, { from: `+1555020000${index}`, number, codec, audio });
      assertTalk(result, GREETING);
      assertRecordIsComplete(result, number);
    });
  }

  for (const seed of [1, 2, 3]) {
    test(`the words get through 5 % loss, reordering and jitter (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const sent = toPackets(recording, "PCMU");
      const audio = impair(sent, { loss: 0.05, jitterMs: 60, random });
      assert.ok(audio.length < sent.length && !isInOrder(audio), "the path is bad");
      const result = await talkBySipp(platform, { from: `+1555020010${seed}`, number, audio });
      assert.ok(understoodShare(result) >= MIN_OVERLAP, JSON.stringify(result.transcript));
      assert.equal(result.endReason, "user_hangup");
    });
  }
});

function assertRecordIsComplete(call: CallDetail, number: string): void {
  assert.deepEqual(
    [call.status, call.endReason, call.direction, call.channel, call.toNumber],
    ["completed", "user_hangup", "inbound", "phone", number],
  );
  const times = [call.startedAt, call.answeredAt, call.endedAt].map((time) => Date.parse(time ?? ""));
  assert.deepEqual(
    [...times].sort((a, b) => a - b),
    times,
  );
  const [, answeredAtMs = Number.NaN, endedAtMs = Number.NaN] = times;
  assert.equal(call.billableSeconds, Math.ceil((endedAtMs - answeredAtMs) / 1000));
  assert.deepEqual(
    [call.llmName, call.sttName, call.ttsName],
    ["parley/builtin-responder", "local/moonshine-base", "local"],
  );
  assert.ok(call.turns.length >= 1);
  for (const part of [
    "endpointingMs",
    "sttMs",
    "llmFirstTokenMs",
    "toolMs",
    "llmFirstClauseMs",
    "ttsFirstByteMs",
    "waitMs",
    "overheadMs",
    "totalMs",
  ] as const) {
    assert.equal(typeof call.turns[0]?.[part], "number", part);
    assert.equal(typeof call.latency?.[part]?.p50, "number", part);
  }
  for (const { id: _id, totalMs, ...parts } of call.turns) {
    const sumMs = Object.values(parts).reduce((sum: number, ms) => sum + (ms ?? 0), 0);
    assert.ok(Math.abs(sumMs - (totalMs ?? 0)) < 1, `parts of ${totalMs} ms: ${JSON.stringify(parts)}`);
  }
}

function isInOrder(packets: readonly CapturedPacket[]): boolean {
  const sequence = packets.map(({ rtp }) => (rtp[2] ?? 0) * 256 + (rtp[3] ?? 0));
  return sequence.every((each, index) => index === 0 || each > (sequence[index - 1] ?? 0));
}
