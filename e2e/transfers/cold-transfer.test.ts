import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AgentCreate } from "@parley/client/api";
import type { CallDetail } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { readRecording } from "../support/audio/recordings.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { shareAt, TestPerson } from "../support/phone/test-person.ts";
import { createAgent, endedCall, findCall, textOf } from "../support/platform/agents.ts";
import { whenThereIsRoom } from "../support/platform/when-there-is-room.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";

const TONE_HZ = 700;
const RINGBACK_HZ = 425;
const TO = "+15550720001";
const BACK = "Nobody is there.";

/** The scripted recognizer spreads its words over all that it heard since the last answer, so that the first ones can be cut off. */
const WHOM = {
  name: "whom",
  type: "enum" as const,
  options: [
    { value: "sales", phrases: ["to sales", "speak to sales", "me speak to sales", "let me speak to sales"] },
  ],
};

/** Asks, transfers, and after a busy person asks once more. */
const FLOW: NonNullable<AgentCreate["flowDefinition"]> = {
  start: "whom",
  nodes: [
    {
      id: "whom",
      type: "ask",
      prompt: "Whom would you like to speak to?",
      slot: WHOM,
      next: "hand",
      onExhausted: "bye",
    },
    { id: "hand", type: "transfer", route: TO, saveFailure: "why", onFailure: "check" },
    {
      id: "check",
      type: "condition",
      branches: [{ tests: [{ name: "why", is: "equal", value: "busy" }], next: "again" }],
      otherwise: "bye",
    },
    {
      id: "again",
      type: "ask",
      prompt: "Their line is {{why}}. Whom else?",
      slot: WHOM,
      next: "second",
      onExhausted: "bye",
    },
    { id: "second", type: "transfer", route: TO, onFailure: "bye" },
    { id: "bye", type: "end", text: "Goodbye." },
  ],
};

type Route = NonNullable<AgentCreate["transferRoutes"]>[number];

// More at once than a small machine can hold would be refused.
describe("cold transfers", { concurrency: 4 }, () => {
  let providers: ScriptedProviders;
  let platform: Platform;
  before(async () => {
    providers = await startScriptedProviders("Let me speak to sales", ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: BACK }
        : {
            text: "I connect you.",
            toolCalls: [{ name: "transfer_call", input: { destination: 1 } }],
          },
    );
    platform = await Platform.start({ env: providers.env });
  });
  after(async () => {
    await platform.stop();
    await providers.close();
  });

  let nextCaller = 15_550_710_001;

  /** A caller who has asked to be transferred by an agent whose trunk leads to this person. */
  async function askForTransfer(
    person: TestPerson,
    route: Partial<Route> = {},
    more: Partial<AgentCreate> = {},
  ) {
    const from = `+${nextCaller++}`;
    const { number, sipTrunkId } = await createAgent(platform, {
      voiceId: null,
      firstMessage: "Hello.",
      transferEnabled: true,
      transferRoutes: [{ to_number: TO, condition: "The caller wants sales.", ...route }],
      ...more,
    });
    await platform.api.updateSipTrunk(sipTrunkId, { proxyAddress: `127.0.0.1:${person.sipPort}` });
    const caller = await whenThereIsRoom(
      async () => await TestCaller.call({ sipPort: platform.sipPort, number, from }),
    );
    await caller.agentToFinish();
    await caller.say(await readRecording("go-forward.wav"));
    return { caller, from };
  }

  const lastHeard = ({ heard }: TestCaller): Int16Array[] => heard.slice(-20).map(({ pcm }) => pcm);

  const stepsOf = ({ transcript }: CallDetail): string[] =>
    transcript.filter(({ type }) => type === "transfer").map(({ text }) => text);

  async function backWithAgent(from: string): Promise<CallDetail> {
    return await waitFor("the agent to speak again", async () => {
      const call = await findCall(platform, from);
      return call !== undefined && textOf(call, "agent").includes(BACK) && call;
    });
  }

  test("the trunk connects the caller by itself, and the call ends as transferred", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person);
    await using _caller = caller;
    const referred = await new Promise<string>((resolve) => {
      caller.session.onRefer = (refer) => {
        resolve(refer.target);
        refer.accept();
        refer.report(180);
        refer.report(200);
      };
    });
    assert.equal(referred, `sip:${TO}@127.0.0.1:${person.sipPort}`);
    assert.equal(await caller.ended(), "remote_bye");
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "transferred"]);
    assert.deepEqual(stepsOf(call), [
      `Transfer to ${TO}.`,
      `${TO} answered. The trunk connected the caller.`,
    ]);
    assert.match(textOf(call, "agent"), /I connect you/);
    assert.equal(person.ringing.length, 0);
  });

  test("a trunk that takes the call over and hangs up without a report has transferred it", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person);
    await using _caller = caller;
    await new Promise<void>((resolve) => {
      caller.session.onRefer = (refer) => {
        refer.accept();
        resolve();
      };
    });
    await caller.hangUp();
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "transferred"]);
    assert.match(call.endDetail ?? "", /did not report the outcome$/);
    assert.match(stepsOf(call).at(-1) ?? "", /^The trunk took the call over/);
  });

  test("a REFER that the trunk does not allow leads to a call from here", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person);
    await using _caller = caller;
    caller.session.onRefer = (refer) => refer.reject(405);
    await person.answer();
    await waitFor("the person's voice", () => shareAt(TONE_HZ, lastHeard(caller)) > 0.9);
    await person.session.bye();
    assert.equal((await endedCall(platform, from)).endReason, "transferred");
  });

  test("a person whom the trunk does not reach is reported, and the caller is back with the agent", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person);
    await using _caller = caller;
    await new Promise<void>((resolve) => {
      caller.session.onRefer = (refer) => {
        refer.accept();
        refer.report(486, `Busy Here ${"x".repeat(900)}`);
        resolve();
      };
    });
    const call = await backWithAgent(from);
    assert.match(stepsOf(call).at(-1) ?? "", /failed: busy \(486 Busy Here x{86}…\)\.$/);
    await caller.hangUp();
    assert.equal((await endedCall(platform, from)).endReason, "user_hangup");
  });

  test("if the trunk declines, both are connected here: voices, keys, and the end by the person", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person, { extension: "12,3" });
    await using _caller = caller;
    const invite = await person.rings();
    const ringing = await waitFor("the ringing tone", () => {
      const frames = lastHeard(caller);
      return shareAt(RINGBACK_HZ, frames) > 0.8;
    });
    assert.ok(ringing);
    person.ringing.push(invite);
    await person.answer();
    await waitFor("the extension", () => person.keys === "123");
    await waitFor("the person's voice", () => shareAt(TONE_HZ, lastHeard(caller)) > 0.9);
    caller.press("7");
    await waitFor("the caller's key", () => person.keys === "1237");
    const sinceFrame = person.heard.length;
    await caller.say(await readRecording("go-forward.wav"));
    const loudest = Math.max(...person.heard.slice(sinceFrame).map((frame) => Math.max(...frame)));
    assert.ok(loudest > 2_000, `loudest ${loudest}`);
    await person.session.bye();
    assert.equal(await caller.ended(), "remote_bye");
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "transferred"]);
    assert.deepEqual(stepsOf(call), [`Transfer to ${TO}.`, `${TO} rings.`, `${TO} answered.`]);
    // What two people say is neither recognized nor recorded.
    assert.equal(call.transcript.filter(({ role }) => role === "user").length, 1);
  });

  test("a REFER that is refused leads to a call from here, which ends with the caller", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person);
    await using _caller = caller;
    await person.answer();
    await waitFor("the person's voice", () => shareAt(TONE_HZ, lastHeard(caller)) > 0.9);
    await caller.hangUp();
    assert.equal((await person.session.ended).cause, "remote_bye");
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "transferred"]);
  });

  test("a bridge passes keys by events and INFO while either side holds and resumes, and the person changes the codec", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person);
    await using _caller = caller;
    const hearsPerson = async (isExpected: boolean): Promise<void> => {
      await waitFor(`the person's voice to be ${isExpected ? "heard" : "gone"}`, () => {
        return shareAt(TONE_HZ, lastHeard(caller)) > 0.9 === isExpected;
      });
    };
    await person.answer();
    await hearsPerson(true);
    const keys = [caller.session.sendDtmf("4"), person.session.sendDtmf("5")];
    assert.deepEqual(
      (await Promise.all(keys)).map(({ ok }) => ok),
      [true, true],
    );
    await waitFor("the keys by INFO", () => person.keys === "4" && caller.heardKeys === "5");
    caller.press("6");
    person.press("7");
    await waitFor("the keys by events", () => person.keys === "46" && caller.heardKeys === "57");
    await Promise.all([person.session.hold(), caller.session.hold()]);
    await hearsPerson(false);
    await Promise.all([person.session.resume(), caller.session.resume()]);
    await hearsPerson(true);
    const { localSdp } = person.session;
    const changed = localSdp.replace("RTP/AVP 0", "RTP/AVP 8").replace("rtpmap:0 PCMU", "rtpmap:8 PCMA");
    assert.ok((await person.session.offer(changed)).ok);
    await waitFor("the other codec", () => person.heardPayloadType === 8);
    await hearsPerson(true);
    assert.ok((await person.session.offer(localSdp)).ok);
    await waitFor("the first codec", () => person.heardPayloadType === 0);
    await caller.hangUp();
    assert.equal((await person.session.ended).cause, "remote_bye");
    assert.equal((await endedCall(platform, from)).endReason, "transferred");
  });

  test("a busy person, and a destination that may not be called, leave the caller with the agent", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const busy = await askForTransfer(person);
    await using _busy = busy.caller;
    (await person.rings()).reject(486);
    assert.match(stepsOf(await backWithAgent(busy.from)).at(-1) ?? "", /failed: busy/);
    const forbidden = await askForTransfer(person, { to_number: "+882161234567" });
    await using _forbidden = forbidden.caller;
    assert.match(stepsOf(await backWithAgent(forbidden.from)).at(-1) ?? "", /failed: not allowed/);
    assert.equal(person.ringing.length, 0);
  });

  test("a person who hangs up while keys are pressed is not connected, and a second transfer works", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person, { extension: "1,,,,,,,,,,,,,,,,,,,,2" });
    await using _caller = caller;
    await person.answer();
    await waitFor("the first key", () => person.keys === "1");
    await person.session.bye();
    const call = await backWithAgent(from);
    assert.match(stepsOf(call).at(-1) ?? "", /failed: hung up/);
    await caller.agentToFinish({ sinceMs: performance.now() - 2_000 });
    await caller.say(await readRecording("go-forward.wav"));
    await person.answer();
    await waitFor("all keys of the second attempt", () => person.keys.endsWith("12"), 30_000);
    await waitFor("the person's voice", () => shareAt(TONE_HZ, lastHeard(caller)) > 0.9);
    await person.session.bye();
    assert.equal(await caller.ended(), "remote_bye");
    assert.equal((await endedCall(platform, from)).endReason, "transferred");
  });

  test("a flow transfers the call, goes on after a busy person, and transfers it again", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person, {}, { mode: "flow", flowDefinition: FLOW });
    await using _caller = caller;
    (await person.rings()).reject(486);
    await waitFor("the second question", async () => {
      const call = await findCall(platform, from);
      return call !== undefined && textOf(call, "agent").includes("Their line is busy. Whom else?");
    });
    await caller.agentToFinish({ sinceMs: performance.now() - 2_000 });
    await caller.say(await readRecording("go-forward.wav"));
    await person.answer();
    await waitFor("the person's voice", () => shareAt(TONE_HZ, lastHeard(caller)) > 0.9);
    await person.session.bye();
    assert.equal(await caller.ended(), "remote_bye");
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "transferred"]);
    const path = call.transcript.flatMap(({ type, nodeId, text }) =>
      type === "flow" ? [`${nodeId} ${text}`] : [],
    );
    assert.deepEqual(path, [
      "whom asked (1)",
      "whom whom: sales",
      "hand transfer",
      "hand failed: busy",
      "check branch 1",
      "again asked (1)",
      "again whom: sales",
      "second transfer",
    ]);
  });

  test("a caller who hangs up while it rings is gone for the person too", async () => {
    await using person = await TestPerson.open({ toneHz: TONE_HZ });
    const { caller, from } = await askForTransfer(person);
    await using _caller = caller;
    const invite = await person.rings();
    await caller.hangUp();
    await waitFor("the CANCEL", () => invite.signal.aborted);
    const call = await endedCall(platform, from);
    assert.equal(call.endReason, "user_hangup");
  });
});
