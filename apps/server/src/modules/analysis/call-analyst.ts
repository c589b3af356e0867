import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallResult, CallsService } from "../calls/calls.service.ts";
import type { AnalysisJob } from "./analysis.service.ts";
import {
  type AnalyzedCall,
  type AnalysisFields,
  hasCallerWords,
  isAskedFor,
  unknownResult,
} from "./analysis.rules.ts";
import { type AnalysisModel, type AnalysisOutcome, askModel } from "./ask-model.ts";

/** Deadline of one run with all its repeated requests. */
export const ANALYSIS_DEADLINE_MS = 240_000;

const MAX_DETAIL_CHARACTERS = 1_000;

export interface CallAnalystOptions {
  database: Database;
  calls: Pick<CallsService, "get" | "noteResult">;
  agentResolution: Pick<AgentResolution, "findRevision">;
  analysisModel: AnalysisModel;
  clock: Clock;
  deadlineMs?: number;
  /** Waits before a request is repeated; by default on the clock. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Analyzes calls for their agents' fields. Each run analyzes the call anew. */
export class CallAnalyst {
  readonly #options: CallAnalystOptions;
  readonly #end = new AbortController();

  constructor(options: CallAnalystOptions) {
    this.#options = options;
  }

  /** Rejects if the node ends or the result could not be stored; the job then runs again. */
  async analyze({ organizationId, callId }: AnalysisJob): Promise<void> {
    const { database, calls, agentResolution, clock } = this.#options;
    const call = await calls.get(organizationId, callId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return undefined;
      throw error;
    });
    if (call === undefined || call.configurationRevision === null) return;
    if (call.transcriptDeletedAt !== null) return;
    const ran = { organizationId, agentId: call.agentId, revision: call.configurationRevision };
    const document = await agentResolution.findRevision(database, ran);
    if (document === undefined || !isAskedFor(document)) return;
    const { transcript } = call;
    const analyzed = {
      transcript,
      startedAt: new Date(call.startedAt ?? call.createdAt),
      timezone: document.timezone,
    };
    const outcome = hasCallerWords(transcript)
      ? await this.#ask(document, analyzed)
      : { result: unknownResult(document) };
    await database.transaction(
      async (transaction) => await calls.noteResult(transaction, callId, toCallResult(outcome), clock.now()),
    );
  }

  async #ask(fields: AnalysisFields, call: AnalyzedCall): Promise<AnalysisOutcome> {
    const { analysisModel, deadlineMs = ANALYSIS_DEADLINE_MS } = this.#options;
    const pause =
      this.#options.pause ?? (async (ms, aborted) => await sleep(ms, undefined, { signal: aborted }));
    const deadline = AbortSignal.timeout(deadlineMs);
    const signal = AbortSignal.any([deadline, this.#end.signal]);
    try {
      return await askModel(analysisModel, fields, call, {
        signal,
        pause: async (ms) => await pause(ms, signal),
      });
    } catch (error) {
      if (!deadline.aborted || this.#end.signal.aborted) throw error;
      return { problem: `the language model did not answer within ${deadlineMs / 1000} s` };
    }
  }

  /** Aborts running analyses; their jobs run again, on this node or another. Idempotent. */
  close(): void {
    this.#end.abort(new Error("the node is shutting down"));
  }
}

/** A failure keeps the results of an earlier run. */
function toCallResult(outcome: AnalysisOutcome): CallResult {
  if ("problem" in outcome) {
    return {
      analysisStatus: "failed",
      analysisDetail: toStorableText(outcome.problem).slice(0, MAX_DETAIL_CHARACTERS),
    };
  }
  return { analysisStatus: "ready", analysisDetail: null, ...outcome.result };
}
