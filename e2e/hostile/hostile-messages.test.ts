import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Call, SipTrace } from "@parley/contract";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { RawSip, sdp } from "../support/phone/raw-sip.ts";
import { greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

/** Close to the maximum payload of UDP. */
const LENGTH = 60_000;

function filled(atom: string): string {
  return atom.repeat(Math.ceil(LENGTH / atom.length)).slice(0, LENGTH);
}

/** Lines that once took seconds each to parse. All except the folded one are malformed. */
const slowLines = [
  `Authorization: Digest ${filled("a")}`,
  `Authorization: Digest ${filled("a ")}`,
  `X: ${filled("sip:a:")}`,
  `Subject: a${filled(" ").slice(0, 16_000)}b\r\n c`,
  filled("\n"),
];

function statusOf(line: string): number {
  return line.startsWith("Subject") ? 200 : 400;
}

describe("a started platform that gets hostile messages", () => {
  let platform: Platform;
  let number: string;
  before(async () => {
    platform = await Platform.start({ env: { PARLEY_LOCAL_CALLS: "100" } });
    ({ number } = await createAgent(platform, { silenceEndCallTimeoutSeconds: 60 }));
  });
  after(async () => await platform.stop());

  /** Sends an INVITE, changed; resolves to the final response's status. The call is hung up if it was answered. */
  async function invite(from: string, change: (request: string) => string): Promise<number> {
    using raw = await RawSip.open({ sipPort: platform.sipPort, number, from });
    try {
      raw.send(change(raw.request("INVITE", { body: sdp() })));
      const status = RawSip.statusOf(await raw.response("INVITE"));
      raw.send(change(raw.request("ACK")));
      if (status !== 200) return status;
      raw.send(change(raw.request("BYE", { sequence: 2 })));
      assert.equal(RawSip.statusOf(await raw.response("BYE", 2)), 200);
      return status;
    } finally {
      raw.close();
    }
  }

  async function traceOf({ id }: Call): Promise<SipTrace["messages"]> {
    return await waitFor("the whole trace", async () => {
      const data = await platform.api.getCallTrace(id);
      return data.messages.some(({ text }) => /^CSeq: \d+ BYE/m.test(text)) && data.messages;
    });
  }

  /** How often the main process's own work kept its event loop for more than half a second. */
  async function longStalls(): Promise<number> {
    const text = await (await fetch(`${platform.url}/metrics`)).text();
    const valueOf = (suffix: string): number =>
      Number(text.split(`\nparley_event_loop_stall_seconds_${suffix} `)[1]?.split("\n", 1)[0]);
    const count = valueOf("count") - valueOf('bucket{le="0.5"}');
    assert.ok(Number.isFinite(count), "the node measures its stalls");
    return count;
  }

  test("messages that are expensive to parse cause no stall and do not affect the call in progress", async () => {
    const from = "+15550610001";
    const stallsBefore = await longStalls();
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      for (const line of slowLines) {
        using raw = await RawSip.open({ sipPort: platform.sipPort, number, from: "+15550610099" });
        // Behind what an answer repeats: reading ends with too many lines.
        raw.send(raw.request("OPTIONS").replace("Content-Length: 0", `${line}\r\nContent-Length: 0`));
        assert.equal(RawSip.statusOf(await raw.response("OPTIONS")), statusOf(line));
        raw.close();
      }
      await greeted(platform, caller);
    } finally {
      await caller.hangUp();
    }
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    assert.ok((await traceOf(call)).length >= 5);
    assert.equal(await longStalls(), stallsBefore);
  });

  test("names that the database cannot store are rejected, and the traces of later calls are kept", async () => {
    assert.equal(await invite("+15550610002", (text) => text.replace("Call-ID: ", "Call-ID: \0")), 400);
    assert.equal(await invite("%00abc", (text) => text), 400);
    assert.equal(await invite("+15550610003", (text) => text.replace(/^INVITE sip:/, "INVITE sip:%00")), 400);
    const long = "c".repeat(3_000);
    assert.equal(await invite("+15550610004", (text) => text.replace("Call-ID: ", `Call-ID: ${long}`)), 200);
    const longCall = await endedCall(platform, "+15550610004");
    assert.equal(longCall.status, "completed");
    assert.ok((await traceOf(longCall)).length >= 5);
    const from = "+15550610005";
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    await greeted(platform, caller);
    await caller.hangUp();
    assert.ok((await traceOf(await endedCall(platform, from))).length >= 5);
  });
});
