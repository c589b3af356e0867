import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { MODEL_CATALOG } from "../../models/catalog.ts";
import { describeRuntime, preparedFolder } from "../onnx/prepared-model.ts";
import type { SpeechSpeeds, SpeedName } from "./speech-speeds.ts";

export interface SpeedRecord {
  speeds: SpeechSpeeds;
  /** Starts that measured; their shortest times count. */
  starts: number;
  /** Other processes took a part of the processor at every start that measured. */
  isDisturbed: boolean;
  /** Whether the speeds need no further measurement. */
  isFinal: boolean;
}

export interface SpeedRecordOptions {
  modelsDir: string;
  /** Cores available to the process. */
  cores: number;
  /** Milliseconds since 1970. Default: the time of this machine. */
  now?: number;
}

/** Version of the measurement; increase it when speeds are measured in another way, or a model's runs take another time. */
const RECIPE = 4;
const GROUPS = ["moonshine-base", "moonshine-tiny", "kokoro", "dittli"] as const;
/** A machine that is always busy is measured at so many starts, … */
const MAX_MEASURED_STARTS = 3;
/** … and again after a day: it may have been busy for an hour only. */
const DISTURBED_VALID_MS = 86_400_000;

/** `undefined` if nothing was measured for this processor, these models and this number of cores, or the file is damaged. */
export async function readSpeedRecord(options: SpeedRecordOptions): Promise<SpeedRecord | undefined> {
  const text = await readFile(await locate(options), "utf8").catch(() => "");
  try {
    const stored: unknown = JSON.parse(text);
    return isStored(stored) && stored.key === (await createKey(options))
      ? toRecord(stored, options.now ?? Date.now())
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Adds a start's measurements to those before; the shortest time of each model counts. If the folder cannot be written, the
 * next start measures again.
 */
export async function addToSpeedRecord(
  options: SpeedRecordOptions,
  measured: SpeechSpeeds,
  isDisturbed: boolean,
): Promise<SpeechSpeeds> {
  const before = await readSpeedRecord(options);
  const speeds = before === undefined ? measured : shorterOf(before.speeds, measured);
  const starts = (before?.starts ?? 0) + 1;
  const measuredAt = options.now ?? Date.now();
  const stored: Stored = { key: await createKey(options), speeds, starts, isDisturbed, measuredAt };
  const location = await locate(options);
  const unfinished = `${location}.${process.pid}`;
  try {
    await mkdir(path.dirname(location), { recursive: true });
    await writeFile(unfinished, JSON.stringify(stored));
    await rename(unfinished, location);
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
  return speeds;
}

interface Stored {
  key: string;
  speeds: SpeechSpeeds;
  starts: number;
  isDisturbed: boolean;
  /** Milliseconds since 1970. */
  measuredAt: number;
}

function toRecord({ speeds, starts, isDisturbed, measuredAt }: Stored, now: number): SpeedRecord {
  const isRecent = now - measuredAt < DISTURBED_VALID_MS;
  return {
    speeds,
    starts,
    isDisturbed,
    isFinal: !isDisturbed || (starts >= MAX_MEASURED_STARTS && isRecent),
  };
}

function shorterOf(before: SpeechSpeeds, now: SpeechSpeeds): SpeechSpeeds {
  const shorter: Partial<Record<SpeedName, number>> = { ...before };
  for (const [name, factor] of Object.entries(now) as [SpeedName, number][])
    shorter[name] = Math.min(factor, shorter[name] ?? Infinity);
  return shorter;
}

async function locate({ modelsDir, cores }: SpeedRecordOptions): Promise<string> {
  const { processor } = await describeRuntime();
  return path.join(preparedFolder(modelsDir), `speech-speeds-${processor}-${cores}.json`);
}

async function createKey({ cores }: SpeedRecordOptions): Promise<string> {
  const hashes = GROUPS.flatMap((group) => MODEL_CATALOG[group].files.map(({ sha256 }) => sha256));
  const state = JSON.stringify([RECIPE, await describeRuntime(), cores, hashes]);
  return createHash("sha256").update(state).digest("hex");
}

function isStored(value: unknown): value is Stored {
  return (
    typeof value === "object" &&
    value !== null &&
    "key" in value &&
    "starts" in value &&
    Number.isInteger(value.starts) &&
    "isDisturbed" in value &&
    typeof value.isDisturbed === "boolean" &&
    "measuredAt" in value &&
    typeof value.measuredAt === "number" &&
    "speeds" in value &&
    isSpeeds(value.speeds)
  );
}

function isSpeeds(value: unknown): value is SpeechSpeeds {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((factor) => typeof factor === "number" && factor > 0)
  );
}
