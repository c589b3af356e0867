import type { JobKind } from "../../platform/jobs/jobs.ts";
import { ANALYSIS_JOB, type AnalysisJob } from "./analysis.service.ts";
import { ANALYSIS_DEADLINE_MS, type CallAnalyst } from "./call-analyst.ts";

/** Analyses mostly wait for a remote model; a local model processes them one after the other. */
const CONCURRENCY = 8;
/** Retries of runs whose node ended or whose result could not be stored. */
const RETRIES = 20;

export function analyzeCallJob(analyst: CallAnalyst): JobKind<AnalysisJob> {
  return {
    ...ANALYSIS_JOB,
    concurrency: CONCURRENCY,
    isGrouped: true,
    retries: RETRIES,
    expireSeconds: (2 * ANALYSIS_DEADLINE_MS) / 1000,
    run: async (job) => await analyst.analyze(job),
  };
}
