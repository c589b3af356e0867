import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ApiError,
  ConnectionError,
  paginate,
  Parley,
  type TestRunDetail,
  type TestSuite,
} from "@parley/client/api";
import { UsageError } from "../operator/commands.ts";
import type { TestCommand } from "./options.ts";
import { hasPassed, renderJunit, renderMarkdown, reasonOf, type SuiteResult } from "./reports.ts";

const POLL_INTERVAL_MS = 1_000;
const CANCEL_DEADLINE_MS = 30_000;

/**
 * Runs the suites one after another and writes the reports. Returns whether all cases passed.
 *
 * @throws UsageError if the node refuses the command
 */
export async function runTests(
  command: TestCommand,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await runAll(command, print, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500)
      throw new UsageError(`The node refused the command: ${error.message}`);
    if (error instanceof ConnectionError)
      throw new UsageError(`No node answers at ${command.baseUrl}. Start one, or name another with --url.`);
    throw error;
  }
}

async function runAll(
  command: TestCommand,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const parley = new Parley({ baseUrl: command.baseUrl, apiKey: command.apiKey });
  const suites = await findSuites(parley, command.suites);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(command.timeoutMs)]);
  const results: SuiteResult[] = [];
  for (const suite of suites) {
    if (deadline.aborted) break;
    results.push({ suiteName: suite.name, run: await runSuite(parley, suite, command, print, deadline) });
  }
  if (deadline.aborted && !signal.aborted)
    print(`The runs did not end within ${command.timeoutMs / 60_000} minutes.`);
  if (command.junit !== undefined) await writeFile(command.junit, renderJunit(results));
  const summary = renderMarkdown(results);
  if (command.summary !== undefined) await writeFile(command.summary, summary);
  print(`\n${summary}`);
  return results.length === suites.length && results.every(hasPassed);
}

/** A node that restarts answers again. */
function ignoreLostConnection(error: unknown): undefined {
  if (!(error instanceof ConnectionError)) throw error;
}

async function findSuites(parley: Parley, wanted: readonly string[]): Promise<TestSuite[]> {
  const all = await Array.fromAsync(paginate(async (page) => await parley.listTestSuites(page)));
  return wanted.map((nameOrId) => {
    const found = all.filter(({ id, name }) => id === nameOrId || name === nameOrId);
    const [suite] = found;
    if (suite === undefined) throw new UsageError(`There is no test suite with the name or id ${nameOrId}.`);
    if (found.length > 1)
      throw new UsageError(
        `${found.length} test suites have the name ${nameOrId}: give one of ${found.map(({ id }) => id).join(", ")}`,
      );
    return suite;
  });
}

/** Starts a run, prints each result, and returns the run at its end. Cancels it if the signal is aborted. */
async function runSuite(
  parley: Parley,
  suite: TestSuite,
  { start }: TestCommand,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<TestRunDetail> {
  const { id: runId, name, totalAttempts } = await parley.startTestRun(suite.id, start);
  print(`${suite.name}: ${name}, ${totalAttempts} ${totalAttempts === 1 ? "attempt" : "attempts"}`);
  const printed = new Set<string>();
  const read = async (): Promise<TestRunDetail> => {
    const run = await parley.getTestRun(suite.id, runId);
    for (const attempt of run.attempts) {
      if (attempt.result === null || printed.has(attempt.id)) continue;
      printed.add(attempt.id);
      const reason = attempt.result === "pass" ? "" : `: ${reasonOf(attempt)}`;
      print(
        `  ${attempt.result.padEnd(9)} ${attempt.testCaseName}, attempt ${attempt.attemptNumber}${reason}`,
      );
    }
    return run;
  };
  for (;;) {
    const run = await read().catch(ignoreLostConnection);
    if (run?.status === "completed" || run?.status === "cancelled") return run;
    const isAborted = await sleep(POLL_INTERVAL_MS, false, { signal }).catch(() => true);
    if (isAborted) return await cancel();
  }

  async function cancel(): Promise<TestRunDetail> {
    print("  cancelling the run");
    await parley
      .cancelTestRun(suite.id, runId, { signal: AbortSignal.timeout(CANCEL_DEADLINE_MS) })
      .catch((error: unknown) => {
        // It may have ended meanwhile.
        if (!(error instanceof ApiError && error.code === "run_not_cancellable")) throw error;
      });
    return await read();
  }
}
