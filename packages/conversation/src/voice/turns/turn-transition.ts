import { nextWake } from "./turn-deadlines.ts";
import type { TurnEffect, TurnState, TurnStep } from "./turn-state.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** One step of the policy: a copy of the state to change, and the effects so far. */
export class TurnTransition {
  readonly state: Writable<TurnState>;
  readonly atMs: number;
  readonly effects: TurnEffect[] = [];

  constructor(state: TurnState, atMs: number) {
    this.state = { ...state };
    if (state.wakeAtMs <= atMs) this.state.wakeAtMs = Infinity;
    this.atMs = atMs;
  }

  finish(): TurnStep {
    const wakeAtMs = nextWake(this.state);
    if (wakeAtMs !== this.state.wakeAtMs) {
      this.state.wakeAtMs = wakeAtMs;
      this.effects.push({ type: "wakeAt", atMs: wakeAtMs });
    }
    return { state: this.state, effects: this.effects };
  }
}
