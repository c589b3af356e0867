/**
 * `npm test`: fetches what the tests need (speech models, SIP peers) and runs them all. `npm test -- FILE …` runs
 * only those files; `npm test -- --unit` only the quick and pure ones.
 */
import { spawnSync } from "node:child_process";
import { glob } from "node:fs/promises";
import { defaultModelGroups } from "@parley/providers";

const TEST_DEADLINE_MS = 300_000;
/** Beside the default ones, those that only tests use. */
const modelGroups = [...defaultModelGroups, "moonshine-tiny", "smollm2"];

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

async function findTests(isUnitOnly: boolean): Promise<string[]> {
  const files: string[] = [];
  const isInstalled = (name: string): boolean => name === "node_modules";
  for await (const file of glob("{packages,apps,tools,bench,e2e}/**/*.test.ts", { exclude: isInstalled })) {
    if (!isUnitOnly || !(file.endsWith(".int.test.ts") || file.startsWith("e2e/"))) files.push(file);
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
// A test that fails half-way leaves its call open: its file would go on for ever.
const options = ["--test-concurrency=2", `--test-timeout=${TEST_DEADLINE_MS}`, "--test-force-exit"];
run(process.execPath, ["--test", ...options, ...files]);
