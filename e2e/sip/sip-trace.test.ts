import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { SipTrace } from "@parley/contract";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

const skip =
  spawnSync("which", ["tshark"]).status === 0
    ? false
    : "tshark is not installed (Debian: tshark): NOT opened by a real reader";

const FROM = "+15550800001";
const WHOLE_CALL = ["INVITE", "100", "180", "200", "ACK", "BYE", "200"];

/** The method or status of each. */
function startsOf(messages: SipTrace["messages"]): string[] {
  return messages.map(({ text }) => /^(?:SIP\/2\.0 )?(\S+)/.exec(text)?.[1] ?? "");
}

describe("the trace of a call", () => {
  let platform: Platform;
  let callId: string;
  let trace: SipTrace;

  before(async () => {
    platform = await Platform.start();
    const { number } = await createAgent(platform);
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: FROM });
    try {
      await caller.agentToSpeak();
      await caller.hangUp();
    } finally {
      await caller.close();
    }
    ({ id: callId } = await endedCall(platform, FROM));
    trace = await waitFor("the whole trace", async () => {
      const data = await platform.api.getCallTrace(callId);
      return data.messages.length >= WHOLE_CALL.length && data;
    });
  });
  after(async () => await platform.stop());

  test("contains its messages in order, and statistics of its audio", () => {
    const starts = startsOf(trace.messages);
    // Retransmissions of a slow machine.
    const once = starts.filter((start, index) => start !== starts[index - 1] || start === "200");
    assert.deepEqual(once.slice(0, 5), WHOLE_CALL.slice(0, 5));
    assert.deepEqual(once.slice(-2), WHOLE_CALL.slice(-2));
    const [invite] = trace.messages;
    assert.deepEqual(
      [invite?.direction, invite?.transport, invite?.local],
      ["received", "UDP", { address: "127.0.0.1", port: platform.sipPort }],
    );
    assert.ok((trace.media?.received.packets ?? 0) > 0);
  });

  test("opens in tshark as the same messages", { skip }, async () => {
    const pcap = await platform.api.getCallTracePcap(callId);
    const file = path.join(platform.dataDirectory, "trace.pcap");
    await writeFile(file, Buffer.from(await pcap.arrayBuffer()));
    const fields = ["-T", "fields", "-E", "separator=,", "-e", "sip.Method", "-e", "sip.Status-Code"];
    const { stdout } = spawnSync("tshark", ["-r", file, ...fields], { encoding: "utf8" });
    const read = stdout
      .trim()
      .split("\n")
      .map((line) => line.replace(",", ""));
    assert.deepEqual(read, startsOf(trace.messages));
  });
});
