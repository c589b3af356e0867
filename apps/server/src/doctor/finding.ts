import { errorMessage } from "@parley/conversation/error-message";

/** Verdict of one check: `failed` means that a call cannot work, `warning` that something is worse than it should be. */
type Verdict = "ok" | "warning" | "failed" | "skipped";

/** Result of a check. */
export interface Finding {
  verdict: Verdict;
  /** Observation in one sentence. */
  message: string;
  /** Action for the operator; present for warnings and failures. */
  remedy?: string;
}

/** A finding under the name of its check: `database`, `ports`, … */
export interface CheckResult extends Finding {
  check: string;
}

export interface Check {
  name: string;
  /** Must stop when the signal aborts. */
  run: (signal: AbortSignal) => Promise<Finding | readonly Finding[]>;
}

const CHECK_DEADLINE_MS = 30_000;

export const ok = (message: string): Finding => ({ verdict: "ok", message });
export const skipped = (message: string): Finding => ({ verdict: "skipped", message });
export const warning = (message: string, remedy: string): Finding => ({
  verdict: "warning",
  message,
  remedy,
});
export const failed = (message: string, remedy: string): Finding => ({ verdict: "failed", message, remedy });

/**
 * Runs the checks one after another: a measurement beside another would measure both. A check that throws or exceeds its
 * deadline is a failed check.
 *
 * @param onResult Called with each result as it is there.
 */
export async function runChecks(
  checks: readonly Check[],
  onResult: (result: CheckResult) => void = () => {},
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, run } of checks) {
    for (const finding of await runCheck(run)) {
      const result = { check: name, ...finding };
      results.push(result);
      onResult(result);
    }
  }
  return results;
}

async function runCheck(run: Check["run"]): Promise<readonly Finding[]> {
  const deadline = AbortSignal.timeout(CHECK_DEADLINE_MS);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(new Error(`no answer within ${CHECK_DEADLINE_MS / 1000} s`));
  deadline.addEventListener("abort", giveUp);
  try {
    const found = await Promise.race([run(deadline), late]);
    return "verdict" in found ? [found] : found;
  } catch (error) {
    const reason = errorMessage(error);
    return [
      failed(`The check ended with an error: ${reason}.`, "Run it again. If it fails again, report it."),
    ];
  } finally {
    deadline.removeEventListener("abort", giveUp);
  }
}
