import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type BeatSeries,
  BEAT_INTERVAL_MS,
  mayJudge,
  SILENCE_LIMIT_MS,
  stateOf,
  withBeat,
} from "./nodes.rules.ts";

function beatFor(durationMs: number, from?: BeatSeries): BeatSeries {
  const startMs = from === undefined ? 0 : from.lastMs + BEAT_INTERVAL_MS;
  let series = withBeat(from, startMs);
  for (let atMs = startMs; atMs <= startMs + durationMs; atMs += BEAT_INTERVAL_MS)
    series = withBeat(series, atMs);
  return series;
}

test("a node judges others once it has beaten for as long as others may be silent", () => {
  assert.equal(mayJudge(withBeat(undefined, 0)), false);
  assert.equal(mayJudge(beatFor(SILENCE_LIMIT_MS - BEAT_INTERVAL_MS)), false);
  assert.equal(mayJudge(beatFor(SILENCE_LIMIT_MS)), true);
});

test("a node that could not beat for a while starts a new series", () => {
  const before = beatFor(SILENCE_LIMIT_MS);
  const after = withBeat(before, before.lastMs + SILENCE_LIMIT_MS);
  assert.equal(mayJudge(after), false);
  assert.equal(mayJudge(beatFor(SILENCE_LIMIT_MS, after)), true);
});

test("a late beat does not break the series", () => {
  const before = beatFor(SILENCE_LIMIT_MS);
  assert.equal(mayJudge(withBeat(before, before.lastMs + 2 * BEAT_INTERVAL_MS)), true);
});

test("a node that is starting, full or draining takes no calls", () => {
  const load = { isDraining: false, isReady: true, activeCalls: 1, freePlaces: 1 };
  assert.equal(stateOf(load), "ready");
  assert.equal(stateOf({ ...load, freePlaces: 0 }), "full");
  assert.equal(stateOf({ ...load, isReady: false }), "starting");
  assert.equal(stateOf({ ...load, isDraining: true, isReady: false }), "draining");
});
