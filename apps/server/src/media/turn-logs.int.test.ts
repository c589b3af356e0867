import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { replayTurnLog } from "@parley/conversation";
import { CallDriver } from "@parley/conversation/testing";
import { TurnLogs } from "./turn-logs.ts";

async function createFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-turn-logs-"));
  context.after(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}

const clock = { now: () => new Date("2026-11-21T10:00:00Z") };
const fail = (error: unknown): never => assert.fail(String(error));

test("the log of a call replays to the same decisions, and only its owner can read it", async (context) => {
  const folder = await createFolder(context);
  const call = new CallDriver({ agent: { firstMessage: "Hello." }, replies: ["Until six."] });
  const log = new TurnLogs({ folder, keptDays: 7, onError: fail, clock }).open(
    "call-1",
    () => call.conversation.turnSettings,
  );
  call.start();
  await call.letAgentFinish();
  await call.say("are you open", 700);
  await call.letAgentFinish();
  call.conversation.close();
  for (const { event, effects } of call.decisions) log.onDecision(event, effects);
  await log.close();
  await log.close();
  const file = path.join(folder, "2026-11-21", "call-1.jsonl");
  const steps = [...replayTurnLog((await readFile(file, "utf8")).split("\n"))];
  assert.equal(steps.length, call.decisions.length);
  assert.ok(steps.every(({ recorded }) => recorded === undefined));
  assert.equal((await stat(file)).mode & 0o077, 0);
});

test("logs are deleted after their days, and other files of the folder are not", async (context) => {
  const folder = await createFolder(context);
  for (const name of ["2026-11-13", "2026-11-14", "notes"]) await mkdir(path.join(folder, name));
  const { turnSettings } = new CallDriver().conversation;
  await new TurnLogs({ folder, keptDays: 7, onError: fail, clock })
    .open("call-1", () => turnSettings)
    .close();
  assert.deepEqual((await readdir(folder)).sort(), ["2026-11-14", "2026-11-21", "notes"]);
});

test("if a log cannot be written the call continues, and the error is reported once", async (context) => {
  const folder = path.join(await createFolder(context), "taken");
  await writeFile(folder, "a file");
  const errors: unknown[] = [];
  const { turnSettings } = new CallDriver().conversation;
  const logs = new TurnLogs({ folder, keptDays: 7, onError: (error) => errors.push(error), clock });
  const log = logs.open("call-1", () => turnSettings);
  await log.close();
  log.onDecision({ type: "start", atMs: 0 }, []);
  assert.equal(errors.length, 1);
});
