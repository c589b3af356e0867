/**
 * Turn-taking on a labeled set: `npm run bench -- turns [options]`.
 *
 * Every situation of `turns/situations.ts` is a call of its own on a driven clock: the real voice activity detector,
 * recognizer and end-of-turn model with the real conversation; the agent's lines are recorded and its language model is
 * scripted. The models' answers are stored beside the set, so that only new audio takes their time, and arrive with the
 * models' delays; a sample of them is compared with the models on this machine. A turn ends when it is answered: 370 ms
 * after that is possible, as with good providers, or at once with `--instant`. The results include those of a fixed
 * rule (800 ms of silence end a turn, 200 ms of speech interrupt) on the same calls.
 *
 * Goals: false cut-offs ≤ 3 %, missed barge-ins ≤ 2 %, median added delay ≤ 350 ms, kept words within one.
 *
 * - `--json`: prints the results as JSON.
 * - `--detail`: lists the failed situations.
 * - `--log=FOLDER`: writes turn logs for `npm run replay`.
 * - `--only=TEXT`, `--every=N`: run some of the situations.
 * - `--instant`: ends turns without the delay of providers.
 * - `--fresh`: runs the models for every answer.
 * - `--judgment=right|shuffled|inverted|sure|none`: replaces the end-of-turn model's answers (see
 * `turns/judgment.ts`).
 * - `--no-suppression`: disables noise suppression.
 * - `--word-timings`: has the agent's voice report the time of each word.
 * - `--endpointing=MS`: fixes the endpointing delay.
 * - `--make-speech`: synthesizes the texts of `turns/phrases.ts`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { ensureModels, loadRnnoise, loadSilero } from "@parley/providers";
import { readRecordings } from "./speech/recordings.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";
import { decideByFixedRule } from "./turns/fixed-rule.ts";
import { type Bench, type Outcome, runSituation } from "./turns/run-situation.ts";
import {
  decisionOf,
  falseTurnPct,
  judge,
  type Judged,
  score,
  type Score,
  wordsKeptInExcess,
} from "./turns/score.ts";
import { buildSituations } from "./turns/situations.ts";
import { SAMPLES_PER_MS } from "./turns/sounds.ts";
import { isJudgmentName } from "./turns/judgment.ts";
import { makeSpokenScripts, readSpokenScripts } from "./turns/spoken-scripts.ts";
import { StoredModels } from "./turns/stored-models.ts";

/** Number of calls at once, which the detector processes in one batch. */
const CALLS_AT_ONCE = 16;
/** Delay of a good provider, as in `bench calls`. */
const FIRST_TOKEN_MS = 250;
const SYNTHESIS_MS = 120;

const agent: Bench["agent"] = {
  firstMessage: "",
  firstMessageDelayMs: 0,
  startSpeaker: "agent",
  silenceEndCallTimeoutSeconds: 60,
  maxConversationDurationSeconds: 600,
  disableInterruptions: false,
  interruptionThresholdMs: 200,
  language: "en",
  voice: "recorded",
  voiceSpeed: 1,
  sttKeyterms: [],
};

const yardstick = new Yardstick();
const options = process.argv.slice(2);
const valueOf = (name: string): string =>
  options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
const only = valueOf("only");
const every = Number(valueOf("every") || 1);
const judgment = valueOf("judgment") || "right";
if (judgment !== "none" && !isJudgmentName(judgment)) {
  throw new Error(`--judgment=${judgment}: expected right, shuffled, inverted, sure or none`);
}
const isWhole = only === "" && every === 1;

const modelsDir = await ensureModels({ groups: ["moonshine-base", "silero", "smart-turn", "kokoro"] });
if (options.includes("--make-speech")) await makeSpokenScripts(modelsDir);

const spoken = await readSpokenScripts();
const situations = buildSituations(spoken, await readRecordings()).filter(
  ({ id }, index) => id.includes(only) && index % every === 0,
);
const agentLines = new Map(
  spoken.flatMap((line) => (line.script.startsWith("agent") ? [[line.text, line] as const] : [])),
);
const models = await StoredModels.open({
  modelsDir,
  isFresh: options.includes("--fresh"),
  judgment: judgment === "none" ? "right" : judgment,
});
const vad = await loadSilero({
  modelsDir,
  onFailure: (error) => {
    throw error;
  },
});

const isInstant = options.includes("--instant");
const bench: Bench = {
  vad,
  models,
  noiseSuppressor: options.includes("--no-suppression") ? undefined : await loadRnnoise(),
  hasTurnEndModel: judgment !== "none",
  endpointingDelayMs: Number(valueOf("endpointing")) || undefined,
  agentLines,
  hasWordTimings: options.includes("--word-timings"),
  firstTokenMs: isInstant ? 0 : FIRST_TOKEN_MS,
  synthesisMs: isInstant ? 0 : SYNTHESIS_MS,
  agent,
};
const cpuBefore = process.cpuUsage();
const outcomes: Outcome[] = [];
const waiting = situations.values();
await Promise.all(
  Array.from({ length: CALLS_AT_ONCE }, async () => {
    for (const situation of waiting) {
      outcomes.push(await runSituation(situation, bench));
    }
  }),
);
const cpu = process.cpuUsage(cpuBefore);
await vad.close();
await models.close();
await models.save(isWhole && judgment !== "none");

const agentEndMs = ({ situation }: Outcome): number =>
  (agentLines.get(situation.agentText)?.pcm.length ?? 0) / SAMPLES_PER_MS;
const judged = outcomes.map((outcome) => judge(outcome, decisionOf(outcome)));
const judgedByRule = outcomes.map((outcome) =>
  judge(outcome, decideByFixedRule(outcome, agentEndMs(outcome))),
);
const figures = score(judged);
const heldOut = score(judged.filter(({ outcome }) => outcome.situation.set === "held-out"));
const fixedRule = score(judgedByRule);
const excess = judged.flatMap(({ outcome, verdict }) =>
  outcome.situation.expects === "interruption" && verdict === "right" ? [wordsKeptInExcess(outcome)] : [],
);
const words = {
  wordsInExcessMax: Math.max(0, ...excess),
  wordsLostMax: Math.max(0, ...excess.map((count) => -count)),
  wordsWithinOnePct: rounded(
    (100 * excess.filter((count) => Math.abs(count) <= 1).length) / excess.length,
    1,
  ),
};

const labels: readonly (readonly [keyof Score, string])[] = [
  ["falseCutoffPct", "false cut-offs, %"],
  ["missedTurnPct", "turns not seen, %"],
  ["addedDelayP50Ms", "delay after the true end of turn, p50, ms"],
  ["addedDelayP95Ms", "                                  p95, ms"],
  ["answerP50Ms", "the answer is heard after it, p50, ms"],
  ["answerP95Ms", "                              p95, ms"],
  ["missedBargeInPct", "missed barge-ins, %"],
  ["falseBargeInPct", "false barge-ins, %"],
  ["falsePausePct", "paused for nothing and went on, %"],
  ["stopP50Ms", "barge-in to the agent's silence, p50, ms"],
  ["stopP95Ms", "                                 p95, ms"],
];
console.log(
  `${situations.length} situations; the models ran ${models.runs} times anew; judgments: ${judgment}`,
);
const { check } = models;
console.log(
  `stored answers compared with the models on this machine: ${check.differingJudgments} of ${check.judgments} judgments ` +
    `and ${check.differingTexts} of ${check.texts} texts differ`,
);
if (check.differingJudgments + check.differingTexts > 0) {
  console.log(
    "  The figures below are partly those of another machine; --fresh asks the models here for every answer.",
  );
}
console.log(
  `${"".padEnd(44)}${"parley".padStart(8)}${"held-out".padStart(10)}${"fixed 800 ms".padStart(14)}`,
);
for (const [key, label] of labels) {
  const columns = [
    String(figures[key]).padStart(8),
    String(heldOut[key]).padStart(10),
    String(fixedRule[key]).padStart(14),
  ];
  console.log(`${label.padEnd(44)}${columns.join("")}`);
}
console.log(`turns made of noise before the caller spoke: ${falseTurnPct(judged)} % of the calls`);
console.log(
  `words kept of an interrupted line: ${words.wordsWithinOnePct} % within one of those heard, at most ` +
    `${words.wordsInExcessMax} too many, ${words.wordsLostMax} lost`,
);
printKinds(judged, judgedByRule);
if (options.includes("--detail")) printFailures(judged);
const logFolder = valueOf("log");
if (logFolder !== "") await writeLogs(logFolder, judged);
const report = yardstick.finish({
  "processor time per situation": (cpu.user + cpu.system) / 1000 / outcomes.length,
});
if (options.includes("--json"))
  console.log(
    JSON.stringify({
      ...figures,
      judgment,
      storedAnswers: check,
      falseTurnPct: falseTurnPct(judged),
      ...words,
      heldOut,
      fixedRule,
      ...report,
    }),
  );

function printKinds(ours: readonly Judged[], theirs: readonly Judged[]): void {
  const right = (among: readonly Judged[], kind: string): Judged[] =>
    among.filter(({ outcome, verdict }) => outcome.situation.kind === kind && verdict === "right");
  for (const kind of new Set(situations.map((situation) => situation.kind))) {
    const all = ours.filter(({ outcome }) => outcome.situation.kind === kind).length;
    const delays = right(ours, kind).flatMap(({ delayMs }) => delayMs ?? []);
    const delay = delays.length === 0 ? "" : `p50 ${rounded(percentile(delays, 0.5), 0)} ms`;
    console.log(
      `  ${kind.padEnd(26)} right: ${right(ours, kind).length} of ${all}, ${delay}; fixed ${right(theirs, kind).length}`,
    );
  }
}

function printFailures(ours: readonly Judged[]): void {
  for (const { outcome, verdict } of ours) {
    if (outcome.situation.expects === "interruption" && Math.abs(wordsKeptInExcess(outcome)) > 1) {
      console.log(
        `words            ${outcome.situation.id}\n  kept  "${outcome.keptText}" heard ${outcome.heardWords} words`,
      );
    }
    if (verdict === "right") continue;
    const { situation, callerFromMs, callerToMs, turns } = outcome;
    const heard = turns.map(({ atMs, text }) => `${Math.round(atMs - callerToMs)} ms: "${text}"`).join(", ");
    const lengthMs = Math.round(callerToMs - callerFromMs);
    console.log(`${verdict.padEnd(16)} ${situation.id} (${lengthMs} ms) ${heard}`);
  }
}

async function writeLogs(folder: string, ours: readonly Judged[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { outcome, verdict } of ours) {
    if (verdict === "right") continue;
    const name = `${verdict} - ${outcome.situation.id}.jsonl`.replaceAll(/[^\w.,+ -]/g, "_");
    await writeFile(path.join(folder, name), `${outcome.log.join("\n")}\n`);
  }
}
