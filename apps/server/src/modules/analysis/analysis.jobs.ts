import type { JobKind } from "../../platform/jobs/jobs.ts";
import { ANALYSIS_JOB, type AnalysisJob } from "./analysis.service.ts";
import { ANALYSIS_DEADLINE_MS, type CallAnalyst } from "./call-analyst.ts";

/** They mostly wait for a model elsewhere; a local one answers one after the other. */
const CONCURRENCY = 8;
/** Of runs that ended with their node, or whose result could not be written down. */
const RETRIES = 20;

export function analyzeCallJob(analyst: CallAnalyst): JobKind<AnalysisJob> {
  return {
    ...ANALYSIS_JOB,
    concurrency: CONCURRENCY,
    retries: RETRIES,
    expireSeconds: (2 * ANALYSIS_DEADLINE_MS) / 1000,
    run: async (job) => await analyst.analyze(job),
  };
}
