/**
 * Who or what answered an outbound call: `npm run bench -- voicemail [options]`.
 *
 * Every answer is a call of its own on a driven clock: the real voice activity detector, recognizer, end-of-turn model and
 * conversation, without a language model. All speech is synthesized (`voicemail/texts.ts`, by Kokoro and Dittli), varied in pitch,
 * pace, level, noise, codec (G.711 µ-law or A-law) and beep, and cached in `~/.cache/parley/voicemail-bench` together with the
 * recognizer's answers. Figures are those of the held-out set; rules were tuned on the other one. No text and no voice of Kokoro is
 * in both.
 *
 * Goals: machines taken for people ≤ 5 %, people taken for machines ≤ 1 %, verdict p90 ≤ 3 s after the answer. A verdict that is
 * corrected counts by its correction, in result and in time.
 *
 * - `--json`: ends with the figures as JSON.
 * - `--detail`: lists wrong and late verdicts.
 * - `--set=tuning|held-out`, `--only=TEXT`, `--every=N`: run some of the answers.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { ToneDetector } from "@parley/audio";
import { ensureModels, loadSilero } from "@parley/providers";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";
import { StoredModels } from "./turns/stored-models.ts";
import { type AnswerKind, buildAnswers } from "./voicemail/answers.ts";
import { cacheFolder, readCorpus } from "./voicemail/corpus.ts";
import { type Outcome, runAnswer } from "./voicemail/run-answer.ts";
import type { SetName } from "./voicemail/texts.ts";

/** Number of calls at once, which the detector processes in one batch. */
const CALLS_AT_ONCE = 16;
const LATE_MS = 3_000;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    detail: { type: "boolean", default: false },
    set: { type: "string", default: "" },
    only: { type: "string", default: "" },
    every: { type: "string", default: "1" },
  },
});

const yardstick = new Yardstick();
const modelsDir = await ensureModels({
  groups: ["moonshine-base", "silero", "smart-turn", "kokoro", "dittli"],
});
const sets = (["tuning", "held-out"] as const).filter((set) => options.set === "" || options.set === set);
const clips = await readCorpus(modelsDir, sets);
const answers = sets
  .flatMap((set) => buildAnswers(set, clips))
  .filter(({ id }, index) => id.includes(options.only) && index % Number(options.every) === 0);
const models = await StoredModels.open({
  modelsDir,
  isFresh: false,
  judgment: "right",
  cacheFile: path.join(cacheFolder, "heard.jsonl"),
});
const vad = await loadSilero({
  modelsDir,
  onFailure: (error) => {
    throw error;
  },
});
const outcomes: Outcome[] = [];
const waiting = answers.values();
await Promise.all(
  Array.from({ length: CALLS_AT_ONCE }, async () => {
    for (const answer of waiting) {
      outcomes.push(await runAnswer(answer, { vad, models }));
      if (outcomes.length % 100 === 0) console.error(`${outcomes.length} of ${answers.length} calls`);
    }
  }),
);
await vad.close();
await models.close();

const isVoicemail = ({ verdicts }: Outcome): boolean =>
  ["machine", "fax"].includes(verdicts.at(-1)?.by ?? "");

function scoreOf(set: SetName) {
  const own = outcomes.filter(({ answer }) => answer.set === set);
  const of = (...kinds: AnswerKind[]): Outcome[] => own.filter(({ answer }) => kinds.includes(answer.kind));
  const share = (part: readonly Outcome[], whole: readonly Outcome[]): number | null =>
    rounded((100 * part.length) / whole.length, 2);
  const [people, machines] = [of("human"), of("machine")];
  const decided = [...people, ...machines].map(({ verdicts }) => verdicts.at(-1)?.atMs ?? Infinity);
  const waits = people.flatMap(({ answer, agentAtMs }) =>
    agentAtMs === undefined ? [] : agentAtMs - answer.toMs,
  );
  const ms = (values: readonly number[], at: number): number | null => rounded(percentile(values, at), 0);
  return {
    humans: people.length,
    machines: machines.length,
    missedMachinePct: share(
      machines.filter((each) => !isVoicemail(each)),
      machines,
    ),
    missedAtFirstPct: share(
      machines.filter(({ verdicts }) => verdicts[0]?.by !== "machine"),
      machines,
    ),
    falseMachinePct: share(people.filter(isVoicemail), people),
    verdictP50Ms: ms(decided, 0.5),
    verdictP90Ms: ms(decided, 0.9),
    humanVerdictP90Ms: ms(
      people.map(({ verdicts }) => verdicts.at(-1)?.atMs ?? Infinity),
      0.9,
    ),
    /** From the end of a person's first words to the agent's first audio. */
    agentAfterHelloP50Ms: ms(waits, 0.5),
    agentAfterHelloP90Ms: ms(waits, 0.9),
    spokeOverHelloPct: share(
      people.filter(({ overMs }) => overMs > 0),
      people,
    ),
    faxRightPct: share(
      of("fax").filter(({ verdicts }) => verdicts.at(-1)?.by === "fax"),
      of("fax"),
    ),
    silenceRightPct: share(
      of("silence").filter(({ verdicts }) => verdicts.at(-1)?.by === "silence"),
      of("silence"),
    ),
    screeningNotMachinePct: share(
      of("screening").filter((each) => !isVoicemail(each)),
      of("screening"),
    ),
  };
}

/** Processor time of the tone detector per frame of 20 ms, on speech and tones. */
function measureTones(): number {
  const detector = new ToneDetector(8000, () => {});
  let frames = 0;
  const before = process.cpuUsage();
  for (const { pcm } of answers.slice(0, 200))
    for (let at = 0; at + 160 <= pcm.length; at += 160) {
      detector.write(pcm.subarray(at, at + 160));
      frames += 1;
    }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / frames;
}

const heldOut = scoreOf("held-out");
const tuning = scoreOf("tuning");
for (const key of Object.keys(heldOut) as (keyof typeof heldOut)[])
  console.log(
    `${key.padEnd(26)}${String(heldOut[key]).padStart(9)}${String(tuning[key]).padStart(9)} (tuning)`,
  );
const tonesUs = rounded(measureTones(), 1);
console.log(
  `${clips.length} clips; the recognizer ran ${models.runs} times anew; tones: ${tonesUs} µs per 20 ms`,
);
if (options.detail) printDetail();
const report = yardstick.finish({});
if (options.json) {
  const { missedMachinePct, falseMachinePct, verdictP90Ms } = heldOut;
  console.log(
    JSON.stringify({ missedMachinePct, falseMachinePct, verdictP90Ms, heldOut, tuning, tonesUs, ...report }),
  );
}

function printDetail(): void {
  for (const outcome of outcomes) {
    const { answer, verdicts, text, overMs } = outcome;
    const isWrong =
      answer.kind === "human" || answer.kind === "screening" || answer.kind === "silence"
        ? isVoicemail(outcome)
        : !isVoicemail(outcome);
    const isLate = (verdicts.at(-1)?.atMs ?? Infinity) > LATE_MS && answer.kind !== "screening";
    if (!isWrong && !isLate && overMs === 0) continue;
    const marks = `${isWrong ? "WRONG " : ""}${isLate ? "late " : ""}${overMs > 0 ? `over ${overMs} ` : ""}`;
    const decided = verdicts.map(({ by, atMs }) => `${by} ${Math.round(atMs)}`).join(", ");
    const span = `${Math.round(answer.fromMs)}–${Math.round(answer.toMs)}`;
    console.log(`${marks.padEnd(14)} ${decided.padEnd(28)} ${span} ${answer.id} | "${text}"`);
  }
}
