import type { TurnTransition } from "./turn-transition.ts";
import type { TurnState } from "./turn-state.ts";

/** Keys that follow each other sooner are one input: time enough to look the next digit up on a card. */
const KEY_PAUSE_MS = 2000;
/** Says that the input is complete, as callers know it from other systems. */
const LAST_KEY = "#";
const MAX_KEYS = 64;

/** When the keys that were pressed count as all; `Infinity` where none were. */
export function keysDueAt({ keys }: TurnState): number {
  if (keys === undefined) return Infinity;
  const isComplete = keys.text.endsWith(LAST_KEY) || keys.text.length >= MAX_KEYS;
  return isComplete ? keys.endMs : keys.endMs + KEY_PAUSE_MS;
}

export function addKey({ state, atMs }: TurnTransition, digit: string): void {
  const { keys } = state;
  state.keys = { text: (keys?.text ?? "") + digit, startMs: keys?.startMs ?? atMs, endMs: atMs };
  state.lastActivityMs = atMs;
}

/** What was pressed so far enters the transcript. */
export function enterKeys({ state, effects }: TurnTransition): void {
  const { keys } = state;
  if (keys === undefined) return;
  state.keys = undefined;
  effects.push({ type: "callerKeys", ...keys });
}
