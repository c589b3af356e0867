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

/** Of one run, with all that is asked again in it. */
export const ANALYSIS_DEADLINE_MS = 240_000;

const LONGEST_DETAIL = 1_000;

export interface CallAnalystOptions {
  database: Database;
  calls: Pick<CallsService, "get" | "noteResult">;
  agentResolution: Pick<AgentResolution, "findRevision">;
  analysisModel: AnalysisModel;
  clock: Clock;
  deadlineMs?: number;
  /** Waits before a request is sent again; on the clock unless told. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Fills in what agents want to know of their calls: once more whenever it is run. */
export class CallAnalyst {
  readonly #options: CallAnalystOptions;
  readonly #end = new AbortController();

  constructor(options: CallAnalystOptions) {
    this.#options = options;
  }

  /** Rejects where the node ends meanwhile or the outcome could not be written down; then it is to be run again. */
  async analyze({ organizationId, callId }: AnalysisJob): Promise<void> {
    const { database, calls, agentResolution, clock } = this.#options;
    const call = await calls.get(organizationId, callId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return undefined;
      throw error;
    });
    if (call === undefined || call.configurationRevision === null) return;
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

  /** Breaks off what is under way: it is run again, here or on another node. Idempotent. */
  close(): void {
    this.#end.abort(new Error("the node is shutting down"));
  }
}

/** A failure leaves what an earlier run has found. */
function toCallResult(outcome: AnalysisOutcome): CallResult {
  if ("problem" in outcome) {
    return {
      analysisStatus: "failed",
      analysisDetail: toStorableText(outcome.problem).slice(0, LONGEST_DETAIL),
    };
  }
  return { analysisStatus: "ready", analysisDetail: null, ...outcome.result };
}
