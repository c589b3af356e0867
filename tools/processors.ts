/**
 * Known answers of the 8-bit models on processors without VNNI: `npm run test:processors`.
 *
 * Runs the models' self-tests and the tests of the end-of-turn model under `qemu-x86_64` (Debian: `qemu-user`, 7.2 or later), which
 * emulates the instructions of other processors. Takes about five minutes of one core. The emulated node sees the host's
 * /proc/cpuinfo, so that it gets a folder of prepared graphs of its own; voices are left out, because they are not 8-bit and
 * their emulation is slow.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureModels } from "@parley/providers/models";

const EMULATOR = "qemu-x86_64";
/** AVX2 without VNNI, like AMD EPYC before Zen 4 and Intel before Cascade Lake. */
const PROCESSORS = ["Haswell-v4"];
const EIGHT_BIT_GROUPS = ["smart-turn", "minilm", "moonshine-tiny", "moonshine-base"] as const;
const local = path.join(import.meta.dirname, "..", "packages", "providers", "src", "local");

if (spawnSync(EMULATOR, ["--version"]).status !== 0) {
  console.error(`${EMULATOR} was not found. On Debian or Ubuntu: apt-get install qemu-user`);
  process.exit(1);
}
const modelsDir = await ensureModels({ groups: EIGHT_BIT_GROUPS });
const failed = PROCESSORS.filter((processor) => !passesOn(processor));
if (failed.length > 0) {
  console.error(`Models answer wrongly on: ${failed.join(", ")}`);
  process.exit(1);
}

function passesOn(processor: string): boolean {
  console.log(`\n${processor}`);
  const emulatedModelsDir = mkdtempSync(path.join(tmpdir(), "parley-models-"));
  try {
    linkModels(emulatedModelsDir);
    const env = { ...process.env, PARLEY_MODELS_DIR: emulatedModelsDir };
    return [
      ["smart-turn/smart-turn.int.test.ts", "."],
      ["self-test/self-test.int.test.ts", `the model (${EIGHT_BIT_GROUPS.join("|")}) answers`],
    ].every(([file = "", names = ""]) => {
      const node = [
        "--test",
        "--test-isolation=none",
        `--test-name-pattern=${names}`,
        path.join(local, file),
      ];
      const emulator = ["-cpu", processor, process.execPath, ...node];
      // QEMU's own warnings, hundreds of them, are about instructions that neither node nor the models use.
      return spawnSync(EMULATOR, emulator, { env, stdio: ["ignore", "inherit", "ignore"] }).status === 0;
    });
  } finally {
    rmSync(emulatedModelsDir, { recursive: true, force: true });
  }
}

function linkModels(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(modelsDir)) {
    if (name !== "prepared" && !name.startsWith("."))
      symlinkSync(path.join(modelsDir, name), path.join(folder, name));
  }
}
