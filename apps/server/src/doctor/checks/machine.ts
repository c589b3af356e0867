import { readFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";
import path from "node:path";
import { errorMessage } from "@parley/conversation/error-message";
import type { Config } from "../../platform/config/config.ts";
import { tryWriting } from "../../platform/machine/writable-folder.ts";
import { readFreeBytes } from "../../platform/machine/free-space.ts";
import { type Check, failed, type Finding, ok, skipped, warning } from "../finding.ts";

const MIN_NODE_MAJOR = 24;
/** The local speech models, the processes and an embedded database, measured with calls in progress. */
const MEMORY_WITH_LOCAL_SPEECH_MIB = 2_000;
const MEMORY_WITHOUT_MIB = 600;
/** Some 250 calls. */
const MEMORY_FOR_CALLS_MIB = 250;
const LOW_DISK_BYTES = 2e9;
const FULL_DISK_BYTES = 200e6;
/** A call takes two sockets and some connections to providers. */
const MIN_OPEN_FILES = 4_096;
const MIB = 1024 * 1024;

export function nodeCheck(version: string = process.versions.node): Check {
  return {
    name: "node",
    run: async () => {
      if (Number(version.split(".")[0]) >= MIN_NODE_MAJOR) return ok(`Node ${version}.`);
      return failed(
        `Node ${version} is too old: Parley needs ${MIN_NODE_MAJOR} or later.`,
        'Run "npm ci" with install scripts allowed, which brings Node 24, and start Parley with "npm start".',
      );
    },
  };
}

export const processorCheck: Check = {
  name: "processor",
  run: async () => {
    const cores = availableParallelism();
    const model = cpus()[0]?.model.trim() || process.arch;
    const text = `${cores} ${cores === 1 ? "core" : "cores"} of ${model}.`;
    if (cores > 1) return ok(text);
    return warning(text, "Use two cores or more: speech and audio packets now share one.");
  },
};

/** @param localSpeech `undefined` for a node that runs, which takes more with each call only. */
export function memoryCheck(
  localSpeech: Config["localSpeech"] | undefined,
  availableMib = Math.round(process.availableMemory() / MIB),
): Check {
  const isLocal = localSpeech?.hasSpeechToText === true || localSpeech?.hasTextToSpeech === true;
  const neededMib =
    localSpeech === undefined
      ? MEMORY_FOR_CALLS_MIB
      : isLocal
        ? MEMORY_WITH_LOCAL_SPEECH_MIB
        : MEMORY_WITHOUT_MIB;
  return {
    name: "memory",
    run: async () => {
      const purpose =
        localSpeech === undefined ? "calls in progress need" : "a node with these settings needs";
      const text = `${availableMib} MiB of memory are available; ${purpose} about ${neededMib} MiB.`;
      if (availableMib >= neededMib) return ok(text);
      const vendors = "or use a speech provider (PARLEY_STT, PARLEY_TTS), which needs no local models";
      const remedy = isLocal ? `Add memory, ${vendors}.` : "Add memory.";
      return warning(text, remedy);
    },
  };
}

export function diskCheck(
  { dataDirectory, modelsDirectory }: Pick<Config, "dataDirectory" | "modelsDirectory">,
  readSpace = findFreeBytes,
): Check {
  const folders = [
    { folder: dataDirectory, variable: "PARLEY_DATA_DIR" },
    { folder: modelsDirectory, variable: "PARLEY_MODELS_DIR" },
  ];
  return {
    name: "disk",
    run: async () =>
      await Promise.all(
        folders.map(async ({ folder, variable }) => {
          const freeBytes = await readSpace(folder);
          const text = `${(freeBytes / 1e9).toFixed(1)} GB are free for ${folder} (${variable}).`;
          const remedy = `Free some space, or set ${variable} to a folder on a larger disk.`;
          if (freeBytes < FULL_DISK_BYTES) return failed(text, remedy);
          return freeBytes < LOW_DISK_BYTES ? warning(text, remedy) : ok(text);
        }),
      ),
  };
}

async function findFreeBytes(folder: string): Promise<number> {
  for (let current = folder; ; current = path.dirname(current)) {
    try {
      return await readFreeBytes(current);
    } catch (error) {
      // Not there yet: the folder above it is.
      if (path.dirname(current) === current) throw error;
    }
  }
}

export function writeAccessCheck({
  dataDirectory,
  modelsDirectory,
}: Pick<Config, "dataDirectory" | "modelsDirectory">): Check {
  return {
    name: "write access",
    run: async () => [
      await judgeFolder(dataDirectory, "PARLEY_DATA_DIR"),
      await judgeFolder(modelsDirectory, "PARLEY_MODELS_DIR"),
    ],
  };
}

async function judgeFolder(folder: string, variable: string): Promise<Finding> {
  try {
    await tryWriting(folder);
    return ok(`${folder} (${variable}) is writable.`);
  } catch (error) {
    const reason = errorMessage(error);
    return failed(
      `${folder} (${variable}) cannot be written: ${reason}.`,
      `Set ${variable} to a folder that this user can write, or change its permissions.`,
    );
  }
}

/** Open files and sockets that the system allows this process. */
export const openFilesCheck: Check = {
  name: "open files",
  run: async () => {
    const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
    const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    if (limit === undefined) return skipped("This system does not report a limit for open files.");
    const text = `The limit is ${limit} open files and sockets.`;
    if (Number(limit) >= MIN_OPEN_FILES) return ok(text);
    return warning(
      text,
      `Raise the limit to ${MIN_OPEN_FILES} or more (ulimit -n, LimitNOFILE= of systemd).`,
    );
  },
};
