import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Agent, AgentUpdate } from "@parley/client/api";
import type { CallDetail } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { mailbox } from "../support/audio/mailbox.ts";
import { plainWords, readRecording, toPackets, withSilence } from "../support/audio/recordings.ts";
import { recognize } from "../support/audio/recognize.ts";
import { speechSegments } from "../support/audio/speech-segments.ts";
import { confirm, cue, hangUp, receive, receiveInvite, startCarrier } from "../support/phone/carrier.ts";
import { answered, assertEnd, GREETING, OutboundCalls, ringing } from "../support/phone/outbound-calls.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";

const MESSAGE = "Hello Sam, this is the railway club. The club house opens at nine. Please call us back.";
const RATE_HZ = 8_000;
const MARGIN_MS = 100;

describe(
  "outbound calls that find out who answers",
  { skip: skipWithout("sipp", "ffmpeg"), concurrency: true },
  () => {
    let folder: string;
    let platform: Platform;
    let calls: OutboundCalls;
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "parley-e2e-voicemail-"));
      platform = await Platform.start({ dataDirectory: folder, env: { PARLEY_LOCAL_CALLS: "40" } });
      calls = new OutboundCalls(platform);
    });
    after(async () => {
      await platform.stop();
      await rm(folder, { recursive: true, force: true });
    });

    /** An agent that detects voicemail, and a carrier that plays this audio from the answer on. */
    async function call(
      context: TestContext,
      pcm: Int16Array,
      { settings = {}, steps }: { settings?: AgentUpdate; steps: readonly string[] },
    ) {
      const carrier = await startCarrier(
        context,
        [receiveInvite(), ringing, ...steps],
        toPackets(pcm, "PCMU"),
      );
      const agent: Agent = await calls.createAgent(carrier.port);
      await platform.api.updateAgent(agent.id, { voicemailEnabled: true, ...settings });
      const { id } = await calls.placeFrom(agent);
      return { carrier, id };
    }

    /** The callee's side of the recording, and the agent's, at 8 kHz. */
    async function sidesOf(id: string): Promise<{ callee: Int16Array; agent: Int16Array }> {
      const { recordingUrl } = await waitFor(
        "the recording",
        async () => {
          const detail = await calls.read(id);
          assert.notEqual(detail.recordingStatus, "failed");
          return detail.recordingStatus === "ready" && detail;
        },
        120_000,
      );
      const response = await fetch(recordingUrl ?? "");
      const file = path.join(folder, `${id}.opus`);
      await writeFile(file, Buffer.from(await response.arrayBuffer()));
      const args = ["-v", "error", "-i", file, "-f", "s16le", "-ar", String(RATE_HZ), "-"];
      const { stdout } = spawnSync("ffmpeg", args, { maxBuffer: 2 ** 28 });
      const samples = new Int16Array(new Uint8Array(stdout).buffer);
      const side = (channel: number) => samples.filter((_, index) => index % 2 === channel);
      return { callee: side(0), agent: side(1) };
    }

    const played = [
      answered,
      receive("ACK"),
      `<nop><action><exec play_pcap_audio="{{pcap}}" /></action></nop>`,
    ];
    const hungUpByUs = [...played, receive("BYE"), confirm()];
    const messageOf = ({ transcript }: CallDetail) =>
      transcript.filter(({ type, role }) => type === "message" && role === "agent");

    test("a mailbox gets the whole message after its beep", async (context) => {
      const { pcm, beepEndsMs } = await mailbox();
      const settings = { voicemailAction: "leave_message", voicemailMessage: MESSAGE } as const;
      const { carrier, id } = await call(context, pcm, { settings, steps: hungUpByUs });
      const detail = await calls.ended(id, 60_000);
      await carrier.done;
      assertEnd(detail, "completed", "voicemail", /^a message was left$/);
      const [first] = detail.transcript;
      assert.equal(first?.type, "system", JSON.stringify(detail.transcript));
      assert.match(first.text, /^Voicemail answered/);
      const said = messageOf(detail);
      assert.deepEqual(
        said.map(({ text, interrupted = false }) => [text, interrupted]),
        [[MESSAGE, false]],
      );
      assert.ok(
        (said[0]?.startMs ?? 0) >= beepEndsMs - MARGIN_MS,
        `${said[0]?.startMs} ms, beep until ${beepEndsMs}`,
      );
      const { callee, agent } = await sidesOf(id);
      // Opus codes both sides together, and lets a little of a loud one into the other.
      const isLoud = (sample: number): boolean => Math.abs(sample) > 2_500;
      const beepEndedMs = (callee.findLastIndex(isLoud) * 1_000) / RATE_HZ;
      const heardMs = (agent.findIndex(isLoud) * 1_000) / RATE_HZ;
      assert.ok(heardMs >= beepEndedMs - MARGIN_MS, `heard at ${heardMs} ms, beep until ${beepEndedMs} ms`);
      const words = plainWords(await recognize(speechSegments(agent)));
      // Of this small voice on the telephone the recognizer hears two words in three, but some of each sentence.
      for (const sentence of MESSAGE.split(". "))
        assert.ok(wordOverlap(plainWords(sentence), words) >= 0.25, `${sentence}: ${words}`);
    });

    test("a mailbox that is to get nothing is hung up on in silence", async (context) => {
      const { pcm } = await mailbox();
      const { carrier, id } = await call(context, pcm, { steps: hungUpByUs });
      const detail = await calls.ended(id, 60_000);
      await carrier.done;
      assertEnd(detail, "completed", "voicemail");
      assert.deepEqual(messageOf(detail), []);
    });

    test("a person who says something is not talked over, and is greeted", async (context) => {
      const hello = withSilence(await readRecording("go-forward.wav"), { beforeMs: 300, afterMs: 30_000 });
      const { carrier, id } = await call(context, hello, { steps: [...played, cue(), hangUp()] });
      const detail = await waitFor(
        "the words of both sides",
        async () => {
          const read = await calls.read(id);
          assert.equal(read.endedAt, null, `${read.endReason} ${JSON.stringify(read.transcript)}`);
          return textOf(read, "user") !== "" && textOf(read, "agent") !== "" && read;
        },
        60_000,
      );
      const [greeting] = messageOf(detail);
      const words = detail.transcript.find(({ role }) => role === "user");
      assert.equal(greeting?.text, GREETING);
      // On a machine so busy that the words come late, the silence before them is greeted.
      const isGreetedFirst = greeting.startMs < (words?.startMs ?? 0);
      assert.ok(isGreetedFirst || greeting.startMs >= (words?.endMs ?? 0), JSON.stringify(detail.transcript));
      carrier.cue();
      await carrier.done;
      assertEnd(await calls.ended(id), "completed", "user_hangup");
    });

    test("a callee who says nothing is greeted", async (context) => {
      const { id } = await call(context, new Int16Array(20 * RATE_HZ), { steps: hungUpByUs });
      await calls.greetingOver(id);
      const detail = await calls.read(id);
      assert.equal(textOf(detail, "agent"), GREETING);
      const [greeting] = messageOf(detail);
      assert.ok((greeting?.startMs ?? 0) >= 2_200, String(greeting?.startMs));
      await calls.hangUp(id);
      assertEnd(await calls.ended(id), "completed", "api_hangup");
    });
  },
);
