import { AppError } from "../../platform/app-error.ts";
import type { Queries } from "../../platform/database/database.ts";
import type { JobQueue } from "../../platform/jobs/jobs.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import { isAskedFor } from "./analysis.rules.ts";

export const ANALYSIS_JOB = { name: "analyze-call" } as const;

export interface AnalysisJob {
  organizationId: string;
  callId: string;
}

/** What of a call says which configuration ran. */
export interface EndedCall {
  id: string;
  organizationId: string;
  agentId: string;
  configurationRevision: number | null;
}

/** How a call's record has it; both null where the agent asks for nothing. */
export interface AnalysisState {
  analysisStatus: "pending" | "failed" | null;
  analysisDetail: string | null;
}

export interface AnalysisServiceOptions {
  jobs: JobQueue;
  agentResolution: Pick<AgentResolution, "findRevision">;
  /** Whether there is a model that can be asked: the built-in responder cannot. */
  hasLanguageModel: boolean;
}

const NOTHING_ASKED: AnalysisState = { analysisStatus: null, analysisDetail: null };
const NO_MODEL: AnalysisState = {
  analysisStatus: "failed",
  analysisDetail: "no language model is configured; the built-in responder cannot analyse calls",
};

/** Has calls analysed after their end, as the configuration that ran asks for. */
export class AnalysisService {
  readonly #options: AnalysisServiceOptions;

  constructor(options: AnalysisServiceOptions) {
    this.#options = options;
  }

  /** In the transaction that ends the call; the state goes into its record. */
  async request(transaction: Queries, call: EndedCall): Promise<AnalysisState> {
    const { id: callId, organizationId, agentId, configurationRevision } = call;
    const { jobs, agentResolution, hasLanguageModel } = this.#options;
    if (configurationRevision === null) return NOTHING_ASKED;
    const ran = { organizationId, agentId, revision: configurationRevision };
    const document = await agentResolution.findRevision(transaction, ran);
    if (document === undefined || !isAskedFor(document)) return NOTHING_ASKED;
    if (!hasLanguageModel) return NO_MODEL;
    await jobs.enqueue<AnalysisJob>(transaction, ANALYSIS_JOB, { organizationId, callId });
    return { analysisStatus: "pending", analysisDetail: null };
  }

  /** Throws `llm_not_configured`. */
  assertModel(): void {
    if (!this.#options.hasLanguageModel) throw new AppError("llm_not_configured");
  }
}
