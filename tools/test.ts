/**
 * `npm test`: fetches what the tests need (speech models, SIP peers) and runs them all. `npm test -- FILE …` runs
 * only those files; `npm test -- --unit` only the quick and pure ones.
 *
 * Tests of whole platforms (`e2e/`) hold calls of real speech in real time: two at once may be more than a small or busy
 * machine keeps up with. Files of theirs that fail are run once more, one at a time, and have to pass then; of others none is.
 */
import { spawnSync } from "node:child_process";
import { glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultModelGroups } from "@parley/providers";

const TEST_DEADLINE_MS = 300_000;
/** Beside the default ones, those that only tests use. */
const modelGroups = [...defaultModelGroups, "moonshine-tiny", "smollm2"];

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function isOfPlatforms(file: string): boolean {
  return path.relative(".", file).startsWith("e2e");
}

async function findTests(isUnitOnly: boolean): Promise<string[]> {
  const files: string[] = [];
  const isInstalled = (name: string): boolean => name === "node_modules";
  for await (const file of glob("{packages,apps,tools,bench,e2e}/**/*.test.ts", { exclude: isInstalled })) {
    const isUnit = !(file.endsWith(".int.test.ts") || isOfPlatforms(file));
    if (!isUnitOnly || isUnit) files.push(file);
  }
  return files.sort();
}

const args = process.argv.slice(2);
const isUnitOnly = args.includes("--unit");
const named = args.filter((arg) => !arg.startsWith("--"));
const files = named.length > 0 ? named : await findTests(isUnitOnly);
if (!isUnitOnly) {
  run("bash", ["tools/install-peers.sh"]);
  run(process.execPath, ["tools/models.ts", ...modelGroups]);
}
process.exitCode = await runTests(files);

async function runTests(files: readonly string[]): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-test-"));
  try {
    const list = path.join(folder, "failed");
    const status = nodeTest(files, { concurrency: 2, failedList: list });
    const failed = (await readFile(list, "utf8")).split("\n").filter((file) => file !== "");
    if (status === 0 || failed.length === 0 || !failed.every(isOfPlatforms)) return status;
    console.log(`\nOnce more, one at a time, what failed beside others:\n${failed.join("\n")}\n`);
    return nodeTest(failed, { concurrency: 1 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function nodeTest(
  files: readonly string[],
  { concurrency, failedList }: { concurrency: number; failedList?: string },
): number {
  const options = [
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${TEST_DEADLINE_MS}`,
    // A test that fails half-way leaves its call open: its file would go on for ever.
    "--test-force-exit",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    ...(failedList === undefined
      ? []
      : ["--test-reporter=./tools/failed-files.ts", `--test-reporter-destination=${failedList}`]),
  ];
  const { status, error } = spawnSync(process.execPath, ["--test", ...options, ...files], {
    stdio: "inherit",
  });
  if (error !== undefined) throw error;
  return status ?? 1;
}
