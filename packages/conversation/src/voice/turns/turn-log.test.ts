import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../../testing/call-driver.ts";
import { formatTurnDecision, formatTurnSettings, replayTurnLog } from "./turn-log.ts";

async function loggedCall(): Promise<string[]> {
  const call = new CallDriver({ agent: { firstMessage: "Hello." }, replies: ["We are open until six."] });
  call.start();
  await call.letAgentFinish();
  await call.say("are you open", 700);
  await call.waitUntil(() => call.isSpeaking);
  await call.say("stop", 500);
  await call.waitUntil(() => call.end !== undefined, 60_000);
  return [
    formatTurnSettings(call.conversation.turnSettings),
    ...call.decisions.map(({ event, effects }) => formatTurnDecision(event, effects)),
  ];
}

test("a log of a call's events replays to the same decisions", async () => {
  const steps = [...replayTurnLog(await loggedCall())];
  assert.ok(steps.length > 100);
  assert.deepEqual(
    steps.filter(({ recorded }) => recorded !== undefined),
    [],
  );
  assert.equal(steps.at(-1)?.state.phase, "ended");
});

test("with other settings the replay shows what would have been decided instead", async () => {
  const [header = "", ...decisions] = await loggedCall();
  const patient = header.replace('"endpointingDelayMs":600', '"endpointingDelayMs":900');
  assert.notEqual(patient, header);
  assert.ok([...replayTurnLog([patient, ...decisions])].some(({ recorded }) => recorded !== undefined));
});

test("a file that is not a turn log is refused", () => {
  assert.throws(() => [...replayTurnLog(['{"event":{}}'])], SyntaxError);
  assert.throws(() => [...replayTurnLog(["hello"])], SyntaxError);
});
