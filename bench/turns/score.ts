import { percentile, rounded } from "../support/statistics.ts";
import { normalizeWords } from "../speech/word-errors.ts";
import type { Outcome } from "./run-situation.ts";

/** Result of a rule for a situation. */
export interface Decision {
  /** Time at which the caller's first turn ended, just before the agent became audible. */
  turnAtMs: number | undefined;
  /** Time at which the end of the turn was decided; the rest is the time of the answer. */
  decidedAtMs: number | undefined;
  /** Time at which the answer became audible. */
  answeredAtMs?: number | undefined;
  /** Time at which the agent stopped or paused for the caller. */
  stopMs: number | undefined;
  isStoppedForGood: boolean;
}

/** The agent must be silent within this time after the caller begins to interrupt it. */
const STOP_DEADLINE_MS = 1000;
const TICK_MS = 20;

export interface Score {
  situations: number;
  /** Share of the expected turns that ended before the caller's last word. */
  falseCutoffPct: number | null;
  /** Share of the expected turns that were not detected. */
  missedTurnPct: number | null;
  /** Time from the caller's last sample to the end of the turn, for turns that were not cut off. */
  addedDelayP50Ms: number | null;
  addedDelayP95Ms: number | null;
  /** Time from the caller's last sample until the answer was audible. */
  answerP50Ms: number | null;
  answerP95Ms: number | null;
  /** Share of the interruptions that did not silence the agent within a second, or did not become a turn. */
  missedBargeInPct: number | null;
  /** Share of the situations without an interruption that ended the agent's speech. */
  falseBargeInPct: number | null;
  /** Share of those situations in which the agent paused and continued by itself. */
  falsePausePct: number | null;
  /** Time from the first sample of an interruption to the agent's last frame. */
  stopP50Ms: number | null;
  stopP95Ms: number | null;
}

export interface Judged {
  outcome: Outcome;
  verdict: "right" | "cut off" | "turn missed" | "barge-in missed" | "false barge-in" | "false pause";
  delayMs: number | undefined;
  answerMs?: number | undefined;
}

export function decisionOf(outcome: Outcome): Decision {
  const { isAgentHeard, callerFromMs, situation } = outcome;
  const from = Math.ceil(callerFromMs / TICK_MS);
  const silentAt = isAgentHeard.findIndex((isHeard, tick) => tick >= from && !isHeard);
  const isOverAgent = situation.expects !== "turn" && (outcome.isInterrupted || hasGap(isAgentHeard));
  const turn = outcome.turns.find(({ atMs }) => atMs > callerFromMs);
  const turnTick = turn === undefined ? Infinity : Math.floor(turn.atMs / TICK_MS);
  const answeredAt = isAgentHeard.findIndex((isHeard, tick) => tick >= turnTick && isHeard);
  return {
    turnAtMs: turn?.atMs,
    decidedAtMs: turn?.decidedAtMs,
    answeredAtMs: answeredAt < 0 ? undefined : answeredAt * TICK_MS,
    stopMs: isOverAgent && silentAt >= 0 ? silentAt * TICK_MS : undefined,
    isStoppedForGood: outcome.isInterrupted,
  };
}

/** Whether the agent paused and continued. */
function hasGap(isAgentHeard: readonly boolean[]): boolean {
  const gap = isAgentHeard.indexOf(false, isAgentHeard.indexOf(true));
  return gap >= 0 && isAgentHeard.indexOf(true, gap) >= 0;
}

export function judge(outcome: Outcome, decision: Decision): Judged {
  const { situation, callerFromMs, callerToMs } = outcome;
  const { turnAtMs, decidedAtMs = turnAtMs, answeredAtMs, stopMs, isStoppedForGood } = decision;
  switch (situation.expects) {
    case "turn":
      if (turnAtMs === undefined) return { outcome, verdict: "turn missed", delayMs: undefined };
      if (turnAtMs < callerToMs) return { outcome, verdict: "cut off", delayMs: undefined };
      return {
        outcome,
        verdict: "right",
        delayMs: (decidedAtMs ?? turnAtMs) - callerToMs,
        answerMs: answeredAtMs === undefined ? undefined : answeredAtMs - callerToMs,
      };
    case "interruption": {
      const delayMs = stopMs === undefined ? Infinity : stopMs - callerFromMs;
      const isRight = isStoppedForGood && delayMs <= STOP_DEADLINE_MS && turnAtMs !== undefined;
      return { outcome, verdict: isRight ? "right" : "barge-in missed", delayMs };
    }
    case "nothing":
      if (isStoppedForGood) return { outcome, verdict: "false barge-in", delayMs: undefined };
      return { outcome, verdict: stopMs === undefined ? "right" : "false pause", delayMs: undefined };
  }
}

export function score(judged: readonly Judged[]): Score {
  const expecting = (expects: string): Judged[] =>
    judged.filter(({ outcome }) => outcome.situation.expects === expects);
  const [turns, interruptions, nothings] = [
    expecting("turn"),
    expecting("interruption"),
    expecting("nothing"),
  ];
  const share = (among: Judged[], verdict: Judged["verdict"]): number | null =>
    rounded((100 * among.filter((one) => one.verdict === verdict).length) / among.length, 1);
  const delays = (among: Judged[]): number[] =>
    among.flatMap(({ verdict, delayMs }) => (verdict === "right" && delayMs !== undefined ? [delayMs] : []));
  const turnDelays = delays(turns);
  const stopDelays = delays(interruptions);
  const answers = turns.flatMap(({ verdict, answerMs }) =>
    verdict === "right" && answerMs !== undefined ? [answerMs] : [],
  );
  return {
    situations: judged.length,
    falseCutoffPct: share(turns, "cut off"),
    missedTurnPct: share(turns, "turn missed"),
    addedDelayP50Ms: rounded(percentile(turnDelays, 0.5), 0),
    addedDelayP95Ms: rounded(percentile(turnDelays, 0.95), 0),
    answerP50Ms: rounded(percentile(answers, 0.5), 0),
    answerP95Ms: rounded(percentile(answers, 0.95), 0),
    missedBargeInPct: share(interruptions, "barge-in missed"),
    falseBargeInPct: share(nothings, "false barge-in"),
    falsePausePct: share(nothings, "false pause"),
    stopP50Ms: rounded(percentile(stopDelays, 0.5), 0),
    stopP95Ms: rounded(percentile(stopDelays, 0.95), 0),
  };
}

/** Share of the calls with an expected turn in which noise counted as a turn before the caller spoke. */
export function falseTurnPct(judged: readonly Judged[]): number | null {
  const expecting = judged.filter(({ outcome }) => outcome.situation.expects === "turn");
  const early = expecting.filter(({ outcome }) =>
    outcome.turns.some(({ atMs }) => atMs <= outcome.callerFromMs),
  );
  return rounded((100 * early.length) / expecting.length, 1);
}

/** Number of words that the transcript of an interrupted line has beyond those heard (positive) or lacks (negative). */
export function wordsKeptInExcess({ keptText, heardWords }: Outcome): number {
  return normalizeWords(keptText).length - heardWords;
}
