import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { run } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { endOutlivedProcesses } from "./outlived-processes.ts";
import { REPORT_VARIABLE } from "./variables.ts";

/** A safety net for tests that wait for ever. */
const TEST_DEADLINE_MS = 240_000;
/** Later than the test's, so that the file still reports which test it was. */
const FILE_DEADLINE_MS = 420_000;
/** Totals of one file. The runner counts all files together. */
const TOTAL = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;
/** A child whose parent died, such as a media process, ends itself within 5 s. */
const PROCESS_GRACE_MS = 6_000;

export interface FileResult {
  file: string;
  seconds: number;
  /** In the order in which the file reported them. */
  events: TestEvent[];
  passed: number;
  failed: number;
  skipped: number;
  /** What the file left alive after its last test, a line each. */
  leaks: string[];
}

/** The reports that the files under way write to. Their processes are known by them. */
const reportsUnderWay = new Set<string>();

/** Ends the processes of the files under way, for a run that is interrupted. */
export async function endFilesUnderWay(): Promise<void> {
  await Promise.all([...reportsUnderWay].map((report) => endOutlivedProcesses(REPORT_VARIABLE, report, 0)));
}

/** Runs one test file in a process of its own, and ends what the file leaves alive. */
export async function runFile(file: string): Promise<FileResult> {
  const report = path.join(tmpdir(), `parley-test-leaks-${randomUUID()}`);
  reportsUnderWay.add(report);
  const startedAt = performance.now();
  const result: FileResult = { file, seconds: 0, events: [], passed: 0, failed: 0, skipped: 0, leaks: [] };
  const stream = run({
    files: [file],
    timeout: FILE_DEADLINE_MS,
    execArgv: [`--test-timeout=${TEST_DEADLINE_MS}`, `--import=${import.meta.resolve("./leak-guard.ts")}`],
    env: { ...process.env, [REPORT_VARIABLE]: report },
  });
  for await (const event of stream) add(result, event);
  const reported = await readFile(report, "utf8").catch(() => "");
  await rm(report, { force: true });
  const outlived = await endOutlivedProcesses(REPORT_VARIABLE, report, PROCESS_GRACE_MS);
  reportsUnderWay.delete(report);
  result.leaks = [
    ...reported.split("\n").filter((line) => line !== ""),
    ...outlived.map(({ pid, command }) => `process ${pid} outlived the file: ${command}`),
  ];
  result.seconds = (performance.now() - startedAt) / 1000;
  return result;
}

function add(result: FileResult, event: TestEvent): void {
  if (event.type === "test:summary") return;
  if (event.type === "test:diagnostic" && TOTAL.test(event.data.message)) return;
  result.events.push(event);
  if (event.type === "test:pass" && event.data.details.type !== "suite") {
    if (event.data.skip === undefined) result.passed++;
    else result.skipped++;
  }
  if (event.type === "test:fail") result.failed++;
}
