/**
 * First call to a platform that has just started: `npm run bench -- first-call [--starts N] [--detail] [--json]`.
 *
 * For each condition, N starts (default 3) with a new data directory and N with a used one; each platform is called as
 * soon as `/readyz` answers 200. Figures: time to ready; from the answer to the greeting's first packet; the longest
 * pause in the greeting beyond the pauses of the same greeting in a later call; greetings of which every word was
 * recognized; fillers that were not owed; from the end of the first question, and of two later ones, to the first sound of
 * its answer. `--detail` prints the parts of each answer's latency. `--json` ends with `{ conditions: […] }` on the last
 * line.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultModelsDir, ensureModels } from "@parley/providers";
import { wordOverlap } from "../apps/server/src/demo/word-overlap.ts";
import { recognize } from "../e2e/support/audio/recognize.ts";
import { type Condition, conditions, copyUnprepared, occupy } from "./first-call/conditions.ts";
import { type FirstCall, measureFirstCall } from "./first-call/first-call.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const DEFAULT_STARTS = 3;
/** Less than 1, because the recognizer may err in a word at the edge even if it hears the same sound twice. */
const WHOLE_OVERLAP = 0.95;

const startsFlag = process.argv.indexOf("--starts");
const starts = startsFlag === -1 ? DEFAULT_STARTS : Number(process.argv[startsFlag + 1]);
const onlyFlag = process.argv.indexOf("--only");
const only = onlyFlag === -1 ? undefined : process.argv[onlyFlag + 1];
await ensureModels();

const yardstick = new Yardstick();
const figures = [];
for (const condition of conditions) {
  if (only !== undefined && condition.name !== only) continue;
  const calls = await measure(condition);
  const row = await summarize(condition.name, calls);
  figures.push(row);
  console.log(JSON.stringify(row));
  if (process.argv.includes("--detail")) for (const each of calls) console.log(describe(each));
  for (const { failure } of calls) if (failure !== undefined) console.log(`  failed: ${failure}`);
}
console.table(figures);
const report = yardstick.finish(
  Object.fromEntries(
    figures.flatMap(({ name, readyP50Ms, firstPacketP90Ms, voiceToVoiceP50Ms }) => [
      [`${name}: ready p50`, readyP50Ms],
      [`${name}: first packet p90`, firstPacketP90Ms],
      [`${name}: voice to voice p50`, voiceToVoiceP50Ms],
    ]),
  ),
);
if (process.argv.includes("--json")) console.log(JSON.stringify({ conditions: figures, ...report }));

async function measure({ launcher, busyCores, arePrepared }: Condition): Promise<FirstCall[]> {
  const calls: FirstCall[] = [];
  const free = occupy(busyCores);
  try {
    for (let start = 0; start < starts; start += 1) {
      const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-first-call-"));
      try {
        // First with a new data directory, then with the used one.
        for (let use = 0; use < 2; use += 1) {
          await using unprepared = arePrepared ? undefined : await copyUnprepared(defaultModelsDir());
          const modelsDir = unprepared?.folder ?? defaultModelsDir();
          calls.push(await measureFirstCall({ dataDirectory, launcher, modelsDir }));
        }
      } finally {
        await rm(dataDirectory, { recursive: true, force: true });
      }
    }
  } finally {
    await free();
  }
  return calls;
}

async function summarize(name: string, calls: readonly FirstCall[]) {
  const good = calls.filter(({ failure }) => failure === undefined);
  const heard = good.flatMap(({ greeting, laterGreeting }) =>
    greeting === undefined || laterGreeting === undefined ? [] : [{ greeting, laterGreeting }],
  );
  let whole = 0;
  for (const { greeting, laterGreeting } of heard) {
    const overlap = wordOverlap(await recognize([laterGreeting.pcm]), await recognize([greeting.pcm]));
    if (overlap >= WHOLE_OVERLAP) whole += 1;
  }
  const gaps = heard.map(({ greeting, laterGreeting }) =>
    Math.max(0, greeting.longestPauseMs - laterGreeting.longestPauseMs),
  );
  return {
    name,
    calls: calls.length,
    failed: calls.length - good.length,
    readyP50Ms: rounded(
      percentile(
        calls.map(({ readyMs }) => readyMs),
        0.5,
      ),
      0,
    ),
    firstPacketP90Ms: rounded(
      percentile(
        heard.map(({ greeting }) => greeting.firstPacketMs),
        0.9,
      ),
      0,
    ),
    maxGapMs: rounded(Math.max(...gaps), 0),
    greetingWholePct: rounded((whole / calls.length) * 100, 0),
    unowedFillers: good.reduce((sum, { unowedFillers }) => sum + unowedFillers, 0),
    voiceToVoiceP50Ms: medianOf(good.map(({ voiceToVoiceMs }) => voiceToVoiceMs.slice(0, 1))),
    laterVoiceToVoiceP50Ms: medianOf(good.map(({ voiceToVoiceMs }) => voiceToVoiceMs.slice(1))),
  };
}

function medianOf(delays: readonly (readonly number[])[]): number | null {
  return rounded(percentile(delays.flat(), 0.5), 0);
}

/** Time to ready and, of each answer, voice to voice and its parts in the order of the API, in milliseconds. */
function describe({ readyMs, voiceToVoiceMs, turns }: FirstCall): string {
  const answers = turns.map(({ id: _id, ...parts }, index) => {
    const shown = Object.values(parts).map((part) => (part === null ? "-" : String(Math.round(part))));
    return `${Math.round(voiceToVoiceMs[index] ?? Number.NaN)} (${shown.join(" ")})`;
  });
  return `  ready ${Math.round(readyMs)}; answers ${answers.join(", ")}`;
}
