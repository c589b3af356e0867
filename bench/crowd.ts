/**
 * Callers who all call at once, with local speech: `npm run bench -- crowd [--callers 20] [--json]`.
 *
 * Each caller has an agent of its own, so that no word is synthesized ahead or heard by two callers: a greeting, then
 * two questions after pauses for thought. Prints a row for the default voice and one for the fast voice with: calls
 * accepted and rejected; longest time to a rejection; and, of the accepted calls, failed calls, utterances of which at
 * least 80 % of the words were recognized, the longest pause in an utterance beyond those that a single caller hears
 * between its sentences, and the time from the end of a question to its answer. `--json` ends with `{ rows: […] }` on
 * the last line.
 */
import { ensureModels, FAST_LOCAL_VOICE } from "@parley/providers";
import { seededRandom } from "@parley/testing";
import { wordOverlap } from "../apps/server/src/demo/word-overlap.ts";
import { Platform } from "../e2e/support/platform/platform.ts";
import { recognize } from "../e2e/support/audio/recognize.ts";
import { TestCaller } from "../e2e/support/phone/test-caller.ts";
import { callInCrowd, type CrowdAgent, type CrowdCall, createCrowdAgent } from "./crowd/crowd-caller.ts";
import { percentile, rounded } from "./support/statistics.ts";

const UNDERSTOOD = 0.8;
const callersFlag = process.argv.indexOf("--callers");
const callers = callersFlag === -1 ? 20 : Number(process.argv[callersFlag + 1]);

await ensureModels();
const rows = [];
for (const [voice, voiceId] of [
  ["default", null],
  ["fast", FAST_LOCAL_VOICE],
] as const) {
  const platform = await Platform.start();
  try {
    rows.push(await measure(platform, voice, voiceId));
  } finally {
    await platform.stop();
  }
}
console.table(rows);
if (process.argv.includes("--json")) console.log(JSON.stringify({ rows }));

async function measure(platform: Platform, voice: string, voiceId: string | null) {
  console.log(/"fit":"([^"]*)"|speech models chosen.*/.exec(platform.output)?.[0] ?? "no fit in the log");
  const agents: CrowdAgent[] = [];
  for (let index = 0; index < callers; index += 1)
    agents.push(await createCrowdAgent(platform, index, voiceId));
  // Fillers are synthesized when an agent is saved.
  const [lone] = await callTogether(platform, agents.slice(0, 1));
  const calls = await callTogether(
    platform,
    agents.slice(1).concat(await createCrowdAgent(platform, callers, voiceId)),
  );
  return { voice, callers, ...(await summarize(calls, lone)) };
}

async function callTogether(platform: Platform, agents: readonly CrowdAgent[]): Promise<CrowdCall[]> {
  const { sipPort } = platform;
  const opened = await Promise.all(
    agents.map(async (agent, index) => {
      const from = `+1555080${String(index).padStart(4, "0")}`;
      return { agent, caller: await TestCaller.open({ sipPort, number: agent.number, from }) };
    }),
  );
  try {
    return await Promise.all(
      opened.map(async ({ agent, caller }, index) => await callInCrowd(caller, agent, seededRandom(index))),
    );
  } finally {
    await Promise.all(opened.map(async ({ caller }) => await caller.hangUp()));
  }
}

async function summarize(calls: readonly CrowdCall[], lone: CrowdCall | undefined) {
  const refused = calls.filter(({ refusal }) => refusal !== undefined);
  const taken = calls.filter(({ refusal }) => refusal === undefined);
  const speeches = taken.flatMap((call) => call.speeches);
  let understood = 0;
  for (const { pcm, expected } of speeches)
    if (wordOverlap(expected, await recognize([pcm])) >= UNDERSTOOD) understood += 1;
  const lonePauseMs = Math.max(0, ...(lone?.speeches ?? []).map(({ longestPauseMs }) => longestPauseMs));
  const gaps = speeches.map(({ longestPauseMs }) => Math.max(0, longestPauseMs - lonePauseMs));
  const delays = taken.flatMap(({ voiceToVoiceMs }) => voiceToVoiceMs);
  for (const { failure } of taken) if (failure !== undefined) console.log(`  failed: ${failure}`);
  return {
    taken: taken.length,
    refused: refused.length,
    statuses: [...new Set(refused.map(({ refusal }) => refusal))].join(" "),
    refusalMaxMs: rounded(Math.max(...refused.map(({ decidedMs }) => decidedMs)), 0),
    failed: taken.filter(({ failure }) => failure !== undefined).length,
    speeches: speeches.length,
    understoodPct: rounded((understood / speeches.length) * 100, 0),
    maxGapMs: rounded(Math.max(...gaps), 0),
    voiceToVoiceP50Ms: rounded(percentile(delays, 0.5), 0),
    voiceToVoiceP90Ms: rounded(percentile(delays, 0.9), 0),
    loneVoiceToVoiceMs: rounded(percentile(lone?.voiceToVoiceMs ?? [], 0.5), 0),
  };
}
