import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import { turnStep } from "./turn-policy.ts";
import {
  initialTurnState,
  type TurnEffect,
  type TurnEvent,
  type TurnSettings,
  type TurnState,
} from "./turn-state.ts";

const SETTINGS: TurnSettings = {
  startSpeaker: "agent",
  hasGreeting: false,
  firstMessageDelayMs: 0,
  endpointingDelayMs: 600,
  language: "en",
  interruptionThresholdMs: 160,
  disableInterruptions: false,
  interruptionIgnoreWords: [],
  minInterruptionWords: 0,
  turnTimeoutMs: Infinity,
  silenceLimitMs: 30_000,
  maxDurationMs: 600_000,
};

/** Runs the policy with a clock: windows of 32 ms, timers that return when due, and texts that arrive at once. */
class PolicyRun {
  state: TurnState;
  nowMs = 0;
  readonly effects: TurnEffect[] = [];
  areAnswersInstant = true;

  constructor(settings: Partial<TurnSettings> = {}) {
    this.state = initialTurnState({ ...SETTINGS, ...settings });
    this.send({ type: "start", atMs: 0 });
  }

  send(event: TurnEvent): readonly TurnEffect[] {
    const { state, effects } = turnStep(this.state, event);
    this.state = state;
    this.effects.push(...effects);
    if (this.areAnswersInstant && effects.some(({ type }) => type === "prepareReply")) {
      this.send({ type: "replyReady", atMs: event.atMs });
    }
    return effects;
  }

  hear(...probabilities: number[]): void {
    for (const probability of probabilities) {
      this.nowMs += 32;
      this.send({ type: "voice", atMs: this.nowMs, windowEndMs: this.nowMs, probability });
      if (this.state.wakeAtMs <= this.nowMs) this.send({ type: "timer", atMs: this.nowMs });
    }
  }

  /** Names of the effects since the last call, without timers. */
  take(): string[] {
    return this.effects.splice(0).flatMap(({ type }) => (type === "wakeAt" ? [] : [type]));
  }
}

const windows = (count: number, probability: number): number[] =>
  Array.from({ length: count }, () => probability);

test("one loud window is a click, two are speech", () => {
  const run = new PolicyRun();
  run.hear(0.9, 0.1, 0.9, 0.1);
  assert.deepEqual(run.take(), []);
  run.hear(0.9, 0.9);
  assert.deepEqual(run.take(), ["startUtterance"]);
});

test("speech continues while its probability lies between the two thresholds", () => {
  const run = new PolicyRun();
  run.hear(0.9, 0.9, ...windows(40, 0.4));
  assert.equal(run.state.isVoiced, true);
  run.hear(0.3);
  assert.equal(run.state.isVoiced, false);
});

test("the utterance starts 320 ms before the first loud window, but not before the call", () => {
  const run = new PolicyRun();
  run.hear(0.9, 0.9);
  assert.deepEqual(
    run.effects.find(({ type }) => type === "startUtterance"),
    { type: "startUtterance", leadMs: 64 },
  );
  const later = new PolicyRun();
  later.hear(...windows(20, 0.1), 0.9, 0.9);
  assert.deepEqual(
    later.effects.find(({ type }) => type === "startUtterance"),
    { type: "startUtterance", leadMs: 384 },
  );
});

test("windows that arrive late still start the utterance at the speech onset", () => {
  const run = new PolicyRun();
  run.hear(...windows(20, 0.1));
  for (const windowEndMs of [672, 704]) {
    run.send({ type: "voice", atMs: 800, windowEndMs, probability: 0.9 });
  }
  assert.deepEqual(
    run.effects.find(({ type }) => type === "startUtterance"),
    { type: "startUtterance", leadMs: 800 - 640 + 320 },
  );
});

test("a turn ends at the endpointing delay if its text is there, and otherwise with its text", () => {
  const run = new PolicyRun();
  run.hear(...windows(20, 0.9), ...windows(7, 0.1));
  assert.deepEqual(run.take(), ["startUtterance", "flush"]);
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text: "hello", agentText: "" });
  assert.deepEqual(run.take(), ["prepareReply"]);
  run.hear(...windows(12, 0.1));
  assert.deepEqual(run.take(), ["endUtterance", "callerTurn", "speak"]);

  const late = new PolicyRun();
  late.hear(...windows(20, 0.9), ...windows(40, 0.1));
  assert.deepEqual(late.take(), ["startUtterance", "flush"]);
  late.send({ type: "transcribed", atMs: late.nowMs, flushId: 1, text: "hello", agentText: "" });
  assert.deepEqual(late.take(), ["prepareReply", "endUtterance", "callerTurn", "speak"]);
});

/** Lets the caller say something, followed by silent windows; the text arrives after the fourth. */
function afterTurn(run: PolicyRun, silentWindows: number): void {
  run.hear(...windows(20, 0.9), ...windows(4, 0.1));
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text: "hello there friend", agentText: "" });
  run.hear(...windows(silentWindows - 4, 0.1));
}

test("a turn stays the caller's until its answer is audible, within a limit", () => {
  const run = new PolicyRun();
  run.areAnswersInstant = false;
  afterTurn(run, 25);
  assert.deepEqual(run.take(), ["startUtterance", "flush", "prepareReply"]);
  run.send({ type: "replyReady", atMs: run.nowMs });
  const turn = run.effects.find((effect) => effect.type === "callerTurn")?.turn;
  assert.ok(
    turn !== undefined && turn.decidedAtMs < run.nowMs,
    "what was waited for the answer is told apart",
  );
  assert.deepEqual(run.take(), ["endUtterance", "callerTurn", "speak"]);

  const slow = new PolicyRun();
  slow.areAnswersInstant = false;
  afterTurn(slow, 50);
  assert.ok(slow.take().includes("callerTurn"));
});

test("a caller who continues before the answer is audible is not cut off: the answer is dropped and the turn is one", () => {
  const run = new PolicyRun();
  run.areAnswersInstant = false;
  afterTurn(run, 25);
  run.take();
  run.hear(...windows(10, 0.9));
  assert.deepEqual(run.take(), ["dropReply"]);
  run.send({ type: "replyReady", atMs: run.nowMs });
  assert.deepEqual(run.take(), []);
});

test("an answer is not prepared before the shortest silence that ends a turn, however early the text arrives", () => {
  const run = new PolicyRun({ endpointingDelayMs: undefined });
  run.hear(...windows(20, 0.9), ...windows(2, 0.1));
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text: "hello there friend", agentText: "" });
  run.hear(...windows(4, 0.1));
  assert.ok(!run.take().includes("prepareReply"));
  run.hear(0.1);
  assert.ok(run.take().includes("prepareReply"));
});

test("after one loud window the turn does not end before the next one", () => {
  const run = new PolicyRun();
  run.areAnswersInstant = false;
  afterTurn(run, 25);
  run.take();
  run.hear(0.9);
  run.send({ type: "replyReady", atMs: run.nowMs });
  assert.deepEqual(run.take(), []);
  const click = run.state;
  run.hear(0.9);
  assert.deepEqual(run.take(), ["dropReply"]);

  run.state = click;
  run.hear(0.1);
  assert.deepEqual(run.take(), ["endUtterance", "callerTurn", "speak"]);
});

test("the sound before a pause decides how long the pause may be", () => {
  const decidedAfter = (probability: number | undefined): number => {
    const run = new PolicyRun({ endpointingDelayMs: undefined });
    run.hear(...windows(20, 0.9), ...windows(6, 0.1));
    assert.ok(run.take().includes("judgeTurn"));
    if (probability !== undefined) {
      run.send({ type: "turnJudged", atMs: run.nowMs, requestId: 1, probability });
    }
    const text = "I would like to book a table";
    run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text, agentText: "" });
    run.hear(...windows(40, 0.1));
    const turn = run.effects.find((effect) => effect.type === "callerTurn")?.turn;
    return turn === undefined ? Infinity : turn.decidedAtMs - turn.endMs;
  };
  assert.ok(decidedAfter(0.97) <= 350);
  assert.ok(decidedAfter(undefined) > decidedAfter(0.97));
  assert.ok(decidedAfter(0.1) > decidedAfter(undefined));
});

test("text and judgment are requested together, once per pause", () => {
  const run = new PolicyRun({ endpointingDelayMs: undefined });
  run.hear(...windows(20, 0.9), ...windows(8, 0.1));
  assert.deepEqual(run.take(), ["startUtterance", "flush", "judgeTurn"]);
  run.hear(...windows(3, 0.9), ...windows(8, 0.1));
  assert.deepEqual(run.take(), ["flush", "judgeTurn"]);
});

test("an unsure judgment is requested again when the pause has grown, and counts until the second one arrives", () => {
  const judge = (probability: number): PolicyRun => {
    const run = new PolicyRun({ endpointingDelayMs: undefined });
    run.hear(...windows(20, 0.9), ...windows(3, 0.1));
    run.send({ type: "turnJudged", atMs: run.nowMs, requestId: 1, probability });
    run.take();
    run.hear(...windows(8, 0.1));
    return run;
  };
  assert.deepEqual(judge(0.95).take(), []);
  const unsure = judge(0.6);
  assert.deepEqual(unsure.take(), ["judgeTurn"]);
  assert.deepEqual(unsure.state.utterance?.judgment, { requestId: 2, probability: 0.6, isSecond: true });
  unsure.send({ type: "turnJudged", atMs: unsure.nowMs, requestId: 2, probability: 0.3 });
  unsure.hear(...windows(3, 0.1));
  assert.deepEqual(unsure.take(), []);
});

test("a caller who begins a number before the question ends is still taken to read one out", () => {
  const run = new PolicyRun({ endpointingDelayMs: undefined, hasGreeting: true });
  run.send({ type: "speechStarted", atMs: run.nowMs, speechId: 1 });
  run.hear(...windows(12, 0.9), ...windows(3, 0.1));
  const agentText = "Could you tell me your phone number";
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text: "It is six one", agentText });
  assert.ok(run.take().includes("stopSpeech"));
  assert.ok((run.state.utterance?.flush?.answer?.silenceMs ?? 0) > 1000);
});

test("a judgment of an earlier pause does not count for the next one", () => {
  const run = new PolicyRun({ endpointingDelayMs: undefined });
  run.hear(...windows(20, 0.9), ...windows(6, 0.1), ...windows(10, 0.9), ...windows(3, 0.1));
  run.send({ type: "turnJudged", atMs: run.nowMs, requestId: 1, probability: 0.99 });
  assert.deepEqual(run.state.utterance?.judgment, { requestId: 2, probability: undefined, isSecond: false });
});

test("noise after the last word does not make the caller a slow speaker", () => {
  const run = new PolicyRun({ endpointingDelayMs: undefined });
  const text = "my train leaves at seven";
  afterTurnOf(run, text);
  run.hear(...windows(12, 0.1), ...windows(2, 0.9), ...windows(4, 0.1));
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 2, text, agentText: "" });
  assert.equal(run.state.rhythm.pauseMs, 0);

  const slow = new PolicyRun({ endpointingDelayMs: undefined });
  afterTurnOf(slow, text);
  slow.hear(...windows(12, 0.1), ...windows(8, 0.9), ...windows(4, 0.1));
  slow.send({ type: "transcribed", atMs: slow.nowMs, flushId: 2, text: `${text} thirty`, agentText: "" });
  assert.ok(slow.state.rhythm.pauseMs > 400);
});

function afterTurnOf(run: PolicyRun, text: string): void {
  run.hear(...windows(20, 0.9), ...windows(4, 0.1));
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text, agentText: "" });
}

test("a text requested before speech resumed is not taken as the turn's text", () => {
  const run = new PolicyRun();
  run.hear(...windows(20, 0.9), ...windows(8, 0.1), ...windows(10, 0.9), ...windows(8, 0.1));
  assert.deepEqual(run.take(), ["startUtterance", "flush", "flush"]);
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text: "my number", agentText: "" });
  run.hear(...windows(30, 0.1));
  assert.deepEqual(run.take(), []);
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 2, text: "my number is five", agentText: "" });
  assert.ok(run.take().includes("callerTurn"));
});

test("only speech over the agent's voice counts toward interrupting it", () => {
  const run = new PolicyRun({ hasGreeting: true });
  run.hear(...windows(10, 0.9));
  run.send({ type: "speechStarted", atMs: run.nowMs, speechId: 1 });
  run.take();
  run.hear(...windows(4, 0.9));
  assert.deepEqual(run.take(), []);
  run.hear(0.9);
  assert.deepEqual(run.take(), ["pauseSpeech"]);
});

test("knocks with pauses between them do not add up to an interruption", () => {
  const run = new PolicyRun({ hasGreeting: true });
  run.send({ type: "speechStarted", atMs: run.nowMs, speechId: 1 });
  run.take();
  for (let i = 0; i < 10; i++) run.hear(0.9, 0.9, 0.9, ...windows(10, 0.1));
  assert.deepEqual(
    run.take().filter((effect) => effect !== "flush"),
    ["startUtterance"],
  );
  run.hear(0.9, 0.9, 0.1, 0.9, 0.9, 0.9);
  assert.deepEqual(run.take(), ["pauseSpeech"]);
});

test("a word too short to pause the agent stops it only if it is a command", () => {
  for (const [text, expected] of [
    ["Stop.", ["stopSpeech"]],
    ["Just.", []],
    ["Yeah.", []],
  ] as const) {
    const run = new PolicyRun({ hasGreeting: true });
    run.send({ type: "speechStarted", atMs: run.nowMs, speechId: 1 });
    run.take();
    run.hear(...windows(4, 0.9), ...windows(3, 0.1));
    assert.deepEqual(run.take(), ["startUtterance", "flush"]);
    run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text, agentText: "We are open" });
    assert.deepEqual(
      run.take().filter((effect) => effect === "stopSpeech"),
      expected,
      text,
    );
  }
});

test("events of a stopped speech change nothing", () => {
  const run = new PolicyRun({ hasGreeting: true });
  run.send({ type: "speechStarted", atMs: run.nowMs, speechId: 1 });
  run.hear(...windows(8, 0.9), ...windows(3, 0.1));
  run.send({ type: "transcribed", atMs: run.nowMs, flushId: 1, text: "wait", agentText: "" });
  assert.ok(run.take().includes("stopSpeech"));
  run.send({ type: "speechEnded", atMs: run.nowMs, speechId: 1, endsConversation: true, text: "" });
  run.send({ type: "speechFailed", atMs: run.nowMs, speechId: 1, part: "llm", detail: "late" });
  assert.deepEqual(run.take(), []);
});

test("uneventful silence creates no new state", () => {
  const run = new PolicyRun();
  const { state } = run;
  run.hear(...windows(20, 0.1));
  assert.equal(run.state, state);
});

test("nothing is decided after the end", () => {
  const run = new PolicyRun();
  run.send({ type: "hangup", atMs: 10, reason: "user_hangup" });
  run.take();
  run.hear(...windows(50, 0.9));
  run.send({ type: "hangup", atMs: 20, reason: "api_hangup" });
  assert.deepEqual(run.take(), []);
});

function randomEvent(random: () => number, atMs: number, state: TurnState): TurnEvent {
  const pick = random();
  const speechId = random() < 0.8 ? state.lastSpeechId : Math.floor(random() * 5);
  const flushId = random() < 0.8 ? state.lastFlushId : Math.floor(random() * 5);
  if (pick < 0.7)
    return { type: "voice", atMs, windowEndMs: atMs, probability: random() < 0.5 ? 0.9 : random() };
  if (pick < 0.75)
    return { type: "transcribed", atMs, flushId, text: random() < 0.5 ? "" : "words", agentText: "" };
  if (pick < 0.8) return { type: "speechStarted", atMs, speechId };
  if (pick < 0.84) return { type: "speechEnded", atMs, speechId, endsConversation: random() < 0.1, text: "" };
  if (pick < 0.86)
    return { type: "speechFailed", atMs, speechId, part: random() < 0.5 ? "llm" : "tts", detail: "?" };
  if (pick < 0.87) return { type: "hearingLost", atMs, isFatal: random() < 0.1, detail: "?" };
  if (pick < 0.88) return { type: "key", atMs, digit: random() < 0.2 ? "#" : "5" };
  return { type: "timer", atMs };
}

test("any sequence of events ends the call once and always leaves a next deadline", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const run = new PolicyRun({ hasGreeting: seed % 2 === 0, firstMessageDelayMs: seed % 3 === 0 ? 500 : 0 });
    for (let i = 0; i < 400; i++) {
      run.nowMs += 32;
      run.send(randomEvent(random, run.nowMs, run.state));
      if (run.state.phase === "running") assert.ok(run.state.wakeAtMs < Infinity, `seed ${seed}`);
    }
    for (let i = 0; run.state.phase === "running" && i < 1000; i++) {
      run.nowMs = Math.max(run.nowMs + 1, run.state.wakeAtMs);
      run.send({ type: "timer", atMs: run.nowMs });
    }
    assert.equal(run.state.phase, "ended", `seed ${seed}`);
    const ends = run.effects.filter(({ type }) => type === "end").length;
    assert.equal(ends, 1, `seed ${seed}`);
  }
});
