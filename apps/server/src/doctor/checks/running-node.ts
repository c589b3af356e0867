import { type Check, failed, ok, skipped } from "../finding.ts";

const TIMEOUT_MS = 5_000;

/** Whether a node that runs here takes calls, by its own account (`/readyz`). */
export function runningNodeCheck(port: number): Check {
  return {
    name: "running node",
    run: async (signal) => {
      const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: limits }).catch(
        () => undefined,
      );
      const answer: unknown = await response?.json().catch(() => undefined);
      if (typeof answer !== "object" || answer === null || !("status" in answer))
        return skipped(`No Parley runs on port ${port}.`);
      if (answer.status === "ready") return ok("The Parley that runs here accepts calls.");
      const reasons =
        "waitingFor" in answer && Array.isArray(answer.waitingFor) ? answer.waitingFor.join(", ") : "";
      return failed(
        `The Parley that runs here does not accept calls. It waits for: ${reasons}.`,
        "After a start, wait a few seconds. Otherwise read its log.",
      );
    },
  };
}
