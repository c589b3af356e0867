import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { addToSpeedRecord, defaultModelsDir, ensureModels, type SpeechSpeeds } from "@parley/providers";

const PREPARED = "prepared";
const NOT_SHARED = new Set([PREPARED, ".partial", ".lock"]);

/** Links this machine's models into a folder that claims these speeds for them. */
export async function linkModels(speeds: SpeechSpeeds): Promise<{ modelsDir: string } & AsyncDisposable> {
  const real = await ensureModels();
  const modelsDir = await mkdtemp(`${defaultModelsDir()}-linked-`);
  const link = async (names: readonly string[], folder = ""): Promise<void> => {
    for (const name of names)
      await symlink(path.join(real, folder, name), path.join(modelsDir, folder, name));
  };
  await link((await readdir(real)).filter((name) => !NOT_SHARED.has(name)));
  await mkdir(path.join(modelsDir, PREPARED));
  const prepared = await readdir(path.join(real, PREPARED)).catch(() => []);
  await link(
    prepared.filter((name) => !name.startsWith("speech-speeds-")),
    PREPARED,
  );
  await addToSpeedRecord({ modelsDir, cores: availableParallelism() }, speeds, false);
  return { modelsDir, [Symbol.asyncDispose]: async () => await rm(modelsDir, { recursive: true }) };
}
