import type { TurnTransition } from "./turn-transition.ts";
import type { TurnState } from "./turn-state.ts";

/** Maximum pause between keys of one input: enough to look up the next digit on a card. */
const KEY_PAUSE_MS = 2000;
/** Key that completes an input, as in other telephone menus. */
const LAST_KEY = "#";
const MAX_KEYS = 64;

/** Media time at which the key input is complete; `Infinity` if there is none. */
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

/** Enters the keys pressed so far into the transcript. */
export function enterKeys({ state, effects }: TurnTransition): void {
  const { keys } = state;
  if (keys === undefined) return;
  state.keys = undefined;
  effects.push({ type: "callerKeys", ...keys });
}
