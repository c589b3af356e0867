import type { Call } from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { JobQueue } from "../../platform/jobs/jobs.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import { NO_MODEL_DETAIL } from "./call-analyst.ts";
import { isAskedFor } from "./analysis.rules.ts";

export const ANALYSIS_JOB = { name: "analyze-call" } as const;

/** What a job analyzes: a call, or a conversation by text. */
export type AnalysisJob = { organizationId: string } & ({ callId: string } | { conversationId: string });

/** Analysis as stored in a call's record; both are `null` if the agent defines no fields. */
interface AnalysisState {
  analysisStatus: "pending" | "failed" | null;
  analysisDetail: string | null;
}

/** The configuration that a conversation ran on. */
interface Ran {
  organizationId: string;
  agentId: string;
  configurationRevision: number | null;
}

export interface AnalysisServiceOptions {
  database: Database;
  calls: Pick<CallsService, "ending" | "lockEnded" | "noteResult">;
  conversations: Pick<ConversationsService, "ended" | "noteResult">;
  jobs: JobQueue;
  agentResolution: Pick<AgentResolution, "findRevision">;
  organizationLimits: Pick<OrganizationLimitsService, "find">;
  clock: Clock;
  /** Whether a language model is configured: the built-in responder cannot analyze calls. */
  hasLanguageModel: (organizationId: string, queries: Queries) => Promise<boolean>;
}

const NOTHING_ASKED: AnalysisState = { analysisStatus: null, analysisDetail: null };
const NO_MODEL: AnalysisState = {
  analysisStatus: "failed",
  analysisDetail: NO_MODEL_DETAIL,
};

/** Schedules the analysis of calls after their end, with the configuration that they ran on. */
export class AnalysisService {
  readonly #options: AnalysisServiceOptions;

  constructor(options: AnalysisServiceOptions) {
    this.#options = options;
  }

  /** Subscribes to the ends of calls and of conversations by text. */
  subscribe(): void {
    const { calls, conversations } = this.#options;
    conversations.ended.subscribe(async (transaction, conversation) => {
      const { id: conversationId, organizationId } = conversation;
      const state = await this.#request(transaction, conversation, { organizationId, conversationId });
      if (state !== NOTHING_ASKED) await conversations.noteResult(transaction, conversationId, state);
    });
    calls.ending.subscribe(async (transaction, { call, at }) => {
      const { id: callId, organizationId } = call;
      const state = await this.#request(transaction, call, { organizationId, callId });
      if (state !== NOTHING_ASKED) await calls.noteResult(transaction, call.id, state, at);
    });
  }

  /** Schedules the analysis of an ended call again. Throws `not_found`, `call_not_ended`, `transcript_deleted` and `llm_not_configured`. */
  async reanalyze(organizationId: string, callId: string): Promise<Call> {
    const { database, calls, clock, hasLanguageModel } = this.#options;
    return await database.transaction(async (transaction) => {
      const call = await calls.lockEnded(transaction, organizationId, callId);
      if (call.analysisStatus === "deleted") throw new AppError("transcript_deleted");
      if (!(await hasLanguageModel(organizationId, transaction))) throw new AppError("llm_not_configured");
      const state = await this.#request(transaction, call, { organizationId, callId });
      const noted = await calls.noteResult(transaction, callId, state, clock.now());
      if (noted === undefined) throw new AppError("not_found");
      return noted;
    });
  }

  async #request(
    transaction: Queries,
    { organizationId, agentId, configurationRevision }: Ran,
    job: AnalysisJob,
  ): Promise<AnalysisState> {
    const { jobs, agentResolution, organizationLimits, hasLanguageModel } = this.#options;
    if (configurationRevision === null) return NOTHING_ASKED;
    const ran = { organizationId, agentId, revision: configurationRevision };
    const document = await agentResolution.findRevision(transaction, ran);
    if (document === undefined || !isAskedFor(document)) return NOTHING_ASKED;
    if (!(await hasLanguageModel(organizationId, transaction))) return NO_MODEL;
    const { concurrentJobs } = await organizationLimits.find(organizationId, transaction);
    const group = { id: organizationId, concurrency: concurrentJobs };
    await jobs.enqueue<AnalysisJob>(transaction, ANALYSIS_JOB, job, { group });
    return { analysisStatus: "pending", analysisDetail: null };
  }
}
