/**
 * `npm test`: fetches what the tests need (speech models, SIP peers) and runs them all.
 *
 * - `npm test -- FILE …` runs only those files.
 * - `npm test -- --unit` runs only the quick and pure ones (`*.test.ts` outside e2e/) and fetches nothing.
 * - `npm test -- --changed` runs only those whose imports reach a file changed since `main` (`--changed=REF`: since REF).
 * - `npm test -- --trace-timers FILE …` also reports what started the timers that a file leaves.
 *
 * A file that leaves a socket, server, timer, worker or process alive fails. Two files run at a time. Those of whole
 * platforms (e2e/) mostly wait for conversations in real time, so one lane begins with them and the other one with the rest.
 */
import { spawnSync } from "node:child_process";
import { glob } from "node:fs/promises";
import path from "node:path";
import { DEFAULT_MODEL_GROUPS } from "@parley/providers";
import { findChangedFiles, findTestsReaching } from "./test-run/changed-tests.ts";
import { TestReport } from "./test-run/report.ts";
import { TRACE_TIMERS_VARIABLE } from "./test-run/variables.ts";
import { endFilesUnderWay, runFile } from "./test-run/run-file.ts";

/** The default models, and those that only tests use. */
const modelGroups = [...DEFAULT_MODEL_GROUPS, "moonshine-tiny", "smollm2"];

function install(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function isOfPlatforms(file: string): boolean {
  return path.relative(".", file).startsWith("e2e");
}

async function findTests(): Promise<string[]> {
  const files: string[] = [];
  const isInstalled = (name: string): boolean => name === "node_modules";
  for await (const file of glob("{packages,apps,tools,bench,e2e}/**/*.test.ts", { exclude: isInstalled })) {
    files.push(file);
  }
  return files.sort();
}

async function selectTests(args: readonly string[]): Promise<string[]> {
  const named = args.filter((arg) => !arg.startsWith("--"));
  if (named.length > 0) return named;
  const files = await findTests();
  const changed = args.find((arg) => /^--changed(=|$)/.test(arg));
  const reaching =
    changed === undefined ? files : findTestsReaching(findChangedFiles(changed.split("=")[1]), files);
  if (!args.includes("--unit")) return reaching;
  return reaching.filter((file) => !(file.endsWith(".int.test.ts") || isOfPlatforms(file)));
}

/** Runs files one after another until `next` has none. */
async function runLane(next: () => string | undefined, report: TestReport): Promise<void> {
  for (let file = next(); file !== undefined; file = next()) report.add(await runFile(file));
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void endFilesUnderWay().finally(() => process.exit(1)));
}
const args = process.argv.slice(2);
if (args.includes("--trace-timers")) process.env[TRACE_TIMERS_VARIABLE] = "true";
const files = await selectTests(args);
if (!args.includes("--unit") && files.length > 0) {
  install("bash", ["tools/install-peers.sh"]);
  install(process.execPath, ["tools/models.ts", ...modelGroups]);
}
const report = new TestReport(process.stdout);
const platforms = files.filter((file) => isOfPlatforms(file));
const others = files.filter((file) => !isOfPlatforms(file));
await Promise.all([
  runLane(() => platforms.shift() ?? others.pop(), report),
  runLane(() => others.shift() ?? platforms.pop(), report),
]);
await report.end();
process.exitCode = report.isPassed ? 0 : 1;
