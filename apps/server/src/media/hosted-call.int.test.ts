import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { waitFor } from "@parley/testing";
import { CallScope } from "../platform/call-scope.ts";
import { HostedCall } from "./hosted-call.ts";
import type { FromMedia } from "./media-protocol.ts";
import { openPhoneLeg } from "./testing/phone-leg.ts";

const PORTS = { first: 34_700, last: 34_739 };

/** A call that is being transferred without an announcement, to a person whose port is open. */
async function transfer(context: TestContext) {
  const [caller, person] = [await openPhoneLeg({ ports: PORTS }), await openPhoneLeg({ ports: PORTS })];
  const sent: FromMedia[] = [];
  let losePerson: (silentMs: number) => void = () => assert.fail("the person's port is not open");
  const call = new HostedCall(
    "call",
    {
      scope: new CallScope((error) => assert.fail(String(error))),
      turnLog: undefined,
      conversation: caller.driver.conversation,
      spool: undefined,
      sampleRateHz: 8000,
      beginWarmTransfer: undefined,
      openNoiseSuppression: undefined,
      releaseProviders: () => {},
    },
    caller.media,
    (message) => sent.push(message),
    async ({ onTimeout }) => {
      losePerson = onTimeout;
      return person.media;
    },
  );
  context.after(async () => {
    await call.close();
    caller.close();
    person.close();
  });
  const answer = async (type: FromMedia["type"]) =>
    await waitFor(type, () => sent.find((message) => message.type === type));
  call.receive({ type: "hold", callId: "call" });
  call.receive({ type: "openPerson", callId: "call", isIPv6: false });
  await answer("personOpened");
  return { call, sent, answer, lose: () => losePerson(30_000) };
}

test("a person who sends no audio before the connection ends only the transfer", async (context) => {
  const { call, sent, answer, lose } = await transfer(context);
  lose();
  call.receive({ type: "bridge", callId: "call", keys: "" });
  assert.deepEqual(await answer("bridged"), { type: "bridged", callId: "call", isBridged: false });
  assert.ok(!sent.some(({ type }) => type === "personTimeout"));
});

test("a person who sends no audio after the connection ends the call", async (context) => {
  const { call, answer, lose } = await transfer(context);
  call.receive({ type: "bridge", callId: "call", keys: "" });
  assert.deepEqual(await answer("bridged"), { type: "bridged", callId: "call", isBridged: true });
  lose();
  assert.deepEqual(await answer("personTimeout"), {
    type: "personTimeout",
    callId: "call",
    silentMs: 30_000,
  });
});
