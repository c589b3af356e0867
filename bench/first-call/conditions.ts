import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";

/** Machine on which a person may try Parley. */
export interface Condition {
  name: string;
  /** Command that runs the platform. */
  launcher: readonly string[];
  /** Cores kept busy by other processes of the platform's own priority. */
  busyCores: readonly number[];
  /** Whether the models' optimized graphs exist from an earlier start. */
  arePrepared: boolean;
}

export const conditions: readonly Condition[] = [
  { name: "two free cores", launcher: [], busyCores: [], arePrepared: true },
  { name: "one core", launcher: ["taskset", "-c", "0"], busyCores: [], arePrepared: true },
  { name: "two busy cores", launcher: ["taskset", "-c", "0,1"], busyCores: [0, 1], arePrepared: true },
  { name: "no prepared graphs", launcher: [], busyCores: [], arePrepared: false },
];

/** Keeps each of the cores busy until the returned function is called. */
export function occupy(cores: readonly number[]): () => Promise<void> {
  const loops = cores.map((core): ChildProcess => {
    const args = ["-c", String(core), process.execPath, "-e", "for (;;);"];
    return spawn("taskset", args, { stdio: "ignore" });
  });
  return async () => {
    await Promise.all(
      loops.map(async (loop) => {
        const exited = once(loop, "exit");
        loop.kill("SIGKILL");
        await exited;
      }),
    );
  };
}

/** Copies the models as downloaded, without the files that a start creates from them. */
export async function copyUnprepared(modelsDir: string): Promise<{ folder: string } & AsyncDisposable> {
  // In the same parent folder, so that no file is copied between disks and the verification records stay valid.
  const folder = await mkdtemp(`${modelsDir}-unprepared-`);
  await cp(modelsDir, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !["prepared", ".partial", ".lock"].includes(path.relative(modelsDir, source)),
  });
  return {
    folder,
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}
