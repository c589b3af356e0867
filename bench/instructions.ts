/**
 * Delay of an agent's speech after an instruction with `speak: true`: from the API's 202 to the first packet of speech
 * at the caller. Also the API's time until its 202, by which the conversation has the instruction.
 *
 *     npm run bench -- instructions [--json] [--calls 1,100] [--count 100]
 *
 * Callers of instructed calls stay silent, so that the agent does not wait for them; the other calls talk as in `bench
 * -- calls`. The providers are the scripted ones of that bench; their delays are part of the first figure.
 */
import { availableParallelism, cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { callsFrom } from "../e2e/support/platform/agents.ts";
import type { Platform } from "../e2e/support/platform/platform.ts";
import { TestCaller } from "../e2e/support/phone/test-caller.ts";
import { createAgent, NUMBER } from "./calls/api.ts";
import type { CallersMethods } from "./calls/callers-process.ts";
import type { ProvidersMethods } from "./calls/providers-process.ts";
import { FIRST_CLAUSE_TOKENS, providerDelays } from "./calls/script.ts";
import { startScriptedPlatform } from "./calls/scripted-platform.ts";
import { Peer } from "./support/peer.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

/** Number of calls that are instructed at the same time, each repeatedly. */
const MAX_INSTRUCTED = 10;
const FIRST_NUMBER = 15_550_700_000;
/** Shortest pause between two instructions to a call: lets the agent finish, and keeps calls out of step. */
const MIN_PAUSE_MS = 300;
const PAUSE_SPREAD_MS = 400;
const SETTLING_MS = 5_000;
const WARM_UP_COUNT = 3;
const INSTRUCTION = "Tell the caller that the shop closes in ten minutes.";

interface Delays {
  /** Time from the sent request to its 202. */
  acceptedMs: number;
  /** Time from the 202 to the first packet with speech. */
  heardMs: number;
}

interface Row {
  calls: number;
  instructions: number;
  heardP50Ms: number | null;
  heardP99Ms: number | null;
  acceptedP50Ms: number | null;
  acceptedP99Ms: number | null;
  callsFailed: number;
}

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "1,100" },
    count: { type: "string", default: "100" },
  },
});

/** Providers' part of the time to the first sound of an answer. */
const providersMs =
  providerDelays.llmFirstTokenMs +
  (FIRST_CLAUSE_TOKENS - 1) * providerDelays.llmBetweenChunksMs +
  providerDelays.ttsMs;

async function instruct(platform: Platform, caller: TestCaller, callId: string): Promise<Delays> {
  await caller.agentToFinish({ silenceMs: MIN_PAUSE_MS });
  await sleep(Math.random() * PAUSE_SPREAD_MS);
  const sentAtMs = performance.now();
  await platform.api.instructCall(callId, { instruction: INSTRUCTION, speak: true });
  const acceptedAtMs = performance.now();
  await caller.agentToSpeak({ sinceMs: acceptedAtMs });
  const first = caller.heard.find(({ atMs, isSpeech }) => isSpeech && atMs > sentAtMs);
  const heardAtMs = first?.atMs ?? Number.NaN;
  return { acceptedMs: acceptedAtMs - sentAtMs, heardMs: heardAtMs - acceptedAtMs };
}

async function measureOne(platform: Platform, index: number, count: number): Promise<Delays[]> {
  const from = `+${FIRST_NUMBER + index}`;
  const caller = await TestCaller.call({ sipPort: platform.sipPort, number: NUMBER, from });
  try {
    await sleep(SETTLING_MS);
    const [call] = await callsFrom(platform, from);
    if (call === undefined) throw new Error(`the API knows no call from ${from}`);
    const delays: Delays[] = [];
    for (let done = 0; done < count; done++) delays.push(await instruct(platform, caller, call.id));
    return delays;
  } finally {
    await caller.hangUp();
  }
}

async function measure(
  platform: Platform,
  callers: Peer<CallersMethods>,
  calls: number,
  count: number,
): Promise<Row> {
  const instructed = Math.min(calls, MAX_INSTRUCTED);
  const others = calls - instructed;
  if (others > 0)
    await callers.ask("place", { calls: others, to: { number: NUMBER, sipPort: platform.sipPort } });
  const each = Math.ceil(count / instructed);
  const measuring = Array.from({ length: instructed }, (_, index) => measureOne(platform, index, each));
  const delays = (await Promise.all(measuring)).flat();
  const outcomes = others > 0 ? await callers.ask("finish", undefined) : [];
  const figure = (of: (delay: Delays) => number, share: number): number | null =>
    rounded(percentile(delays.map(of), share), 1);
  return {
    calls,
    instructions: delays.length,
    heardP50Ms: figure(({ heardMs }) => heardMs, 0.5),
    heardP99Ms: figure(({ heardMs }) => heardMs, 0.99),
    acceptedP50Ms: figure(({ acceptedMs }) => acceptedMs, 0.5),
    acceptedP99Ms: figure(({ acceptedMs }) => acceptedMs, 0.99),
    callsFailed: outcomes.filter(({ failure }) => failure !== undefined).length,
  };
}

const providers = new Peer<ProvidersMethods>(new URL("calls/providers-process.ts", import.meta.url));
const callers = new Peer<CallersMethods>(new URL("calls/callers-process.ts", import.meta.url));
let platform: Platform | undefined;
const yardstick = new Yardstick();
try {
  platform = await startScriptedPlatform(await providers.ask("start", undefined));
  await createAgent(platform);
  await measure(platform, callers, 1, WARM_UP_COUNT);
  const rows: Row[] = [];
  for (const calls of options.calls.split(",").map(Number))
    rows.push(await measure(platform, callers, calls, Number(options.count)));
  console.table(rows);
  console.log(`Of the time until the first packet the providers take ${providersMs} ms.`);
  const report = yardstick.finish(
    Object.fromEntries(
      rows.flatMap(({ calls, heardP50Ms, acceptedP50Ms, acceptedP99Ms }) => [
        [`${calls} calls: heard p50`, heardP50Ms],
        [`${calls} calls: accepted p50`, acceptedP50Ms],
        [`${calls} calls: accepted p99`, acceptedP99Ms],
      ]),
    ),
  );
  if (options.json) {
    const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
    console.log(JSON.stringify({ rows, providersMs, machine, ...report }));
  }
  process.exitCode = rows.every(({ callsFailed }) => callsFailed === 0) ? 0 : 1;
} finally {
  await platform?.stop();
  await Promise.all([callers.close(), providers.close()]);
}
