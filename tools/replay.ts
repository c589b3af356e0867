/**
 * `npm run replay -- FILE [--all]`: the events of a recorded call's turn log on a time line, with what the turn policy
 * decides on them. Decisions that were others when the log was written are marked. `--all` shows every window of voice
 * activity, not only where speech begins and ends. `npm run bench -- turns --log=FOLDER` writes logs.
 */
import { readFile } from "node:fs/promises";
import { replayTurnLog, type TurnEffect, type TurnEvent } from "@parley/conversation";

const args = process.argv.slice(2);
const file = args.find((arg) => !arg.startsWith("--"));
if (file === undefined) {
  console.error("Usage: npm run replay -- FILE [--all]");
  process.exit(2);
}

function describe(entry: TurnEvent | TurnEffect): string {
  const { type, ...rest } = entry;
  const details = Object.entries(rest).flatMap(([name, value]) =>
    name === "atMs" && type !== "wakeAt" ? [] : [`${name} ${JSON.stringify(value)}`],
  );
  return [type, ...details].join("  ");
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2).padStart(8);
const shown = (effects: readonly TurnEffect[]): readonly TurnEffect[] =>
  effects.filter(({ type }) => type !== "wakeAt");

let wasVoiced = false;
let differences = 0;
for (const { event, effects, recorded, state } of replayTurnLog((await readFile(file, "utf8")).split("\n"))) {
  const hasTurned = state.isVoiced !== wasVoiced;
  wasVoiced = state.isVoiced;
  const isQuiet = (event.type === "voice" && !hasTurned) || event.type === "timer";
  if (isQuiet && shown(effects).length === 0 && recorded === undefined && !args.includes("--all")) continue;
  const voice = hasTurned ? `the caller ${state.isVoiced ? "speaks" : "is silent"}` : describe(event);
  console.log(`${seconds(event.atMs)}  ${event.type === "voice" ? voice : describe(event)}`);
  for (const effect of shown(effects)) console.log(`          → ${describe(effect)}`);
  if (recorded === undefined) continue;
  differences += 1;
  console.log(`          ≠ then: ${shown(recorded).map(describe).join("; ") || "nothing"}`);
}
if (differences > 0) console.log(`${differences} decisions are not those of the log`);
