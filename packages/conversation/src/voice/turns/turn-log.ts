import { turnStep } from "./turn-policy.ts";
import {
  initialTurnState,
  type TurnEffect,
  type TurnEvent,
  type TurnSettings,
  type TurnState,
} from "./turn-state.ts";

/**
 * First line of a turn log, which records turn-taking as JSON lines: `{"settings": …}`, then `{"event": …, "effects":
 * […]}` for every policy event, in order. `Infinity` is written as null.
 */
export function formatTurnSettings(settings: TurnSettings): string {
  return JSON.stringify({ settings });
}

/** One decision as a line of the log, without the line break. */
export function formatTurnDecision(event: TurnEvent, effects: readonly TurnEffect[]): string {
  return JSON.stringify({ event, effects });
}

export interface ReplayedStep {
  event: TurnEvent;
  effects: readonly TurnEffect[];
  state: TurnState;
  /** Effects in the log, if they differ from those decided now. */
  recorded?: readonly TurnEffect[];
}

/**
 * Replays a log through the current policy.
 *
 * @throws SyntaxError if a line is not JSON or the first one has no settings.
 */
export function* replayTurnLog(lines: Iterable<string>): Generator<ReplayedStep, void> {
  let state: TurnState | undefined;
  for (const line of lines) {
    if (line.trim() === "") continue;
    const entry: unknown = JSON.parse(line);
    if (state === undefined) {
      if (!isHeader(entry)) throw new SyntaxError("the first line of a turn log holds the settings");
      const { turnTimeoutMs, ...settings } = entry.settings;
      state = initialTurnState({ ...settings, turnTimeoutMs: turnTimeoutMs ?? Infinity });
    } else if (isDecision(entry)) {
      const { event } = entry;
      const step = turnStep(state, event);
      ({ state } = step);
      const isSame = JSON.stringify(step.effects) === JSON.stringify(entry.effects);
      yield { event, effects: step.effects, state, ...(!isSame && { recorded: entry.effects }) };
    }
  }
}

type Logged<T> = { [K in keyof T]: T[K] extends number ? T[K] | null : T[K] };

function isHeader(entry: unknown): entry is { settings: Logged<TurnSettings> & TurnSettings } {
  return typeof entry === "object" && entry !== null && "settings" in entry;
}

function isDecision(entry: unknown): entry is { event: TurnEvent; effects: readonly TurnEffect[] } {
  return typeof entry === "object" && entry !== null && "event" in entry && "effects" in entry;
}
