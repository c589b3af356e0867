import type { TranscriptItem } from "@parley/contract";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { AnalysisJob } from "./analysis.service.ts";
import {
  type AnalyzedCall,
  type AnalysisFields,
  type AnalysisResult,
  hasCallerWords,
  isAskedFor,
  unknownResult,
} from "./analysis.rules.ts";
import type { AnalysisModel } from "./ask-for-json.ts";
import { type AnalysisOutcome, askModel } from "./ask-model.ts";

/** Deadline of one run with all its repeated requests. */
export const ANALYSIS_DEADLINE_MS = 240_000;

export const NO_MODEL_DETAIL = "no language model is configured; the built-in responder cannot analyze calls";
const MAX_DETAIL_CHARACTERS = 1_000;

export interface CallAnalystOptions {
  database: Database;
  calls: Pick<CallsService, "get" | "noteResult">;
  conversations: Pick<ConversationsService, "get" | "noteResult">;
  agentResolution: Pick<AgentResolution, "findRevision">;
  /** Returns `undefined` if the organization has no language model. */
  useModel: (
    organizationId: string,
  ) => Promise<{ set: { analysisModel: AnalysisModel }; release: () => void } | undefined>;
  clock: Clock;
  deadlineMs?: number;
  /** Waits before a request is repeated; by default on the clock. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A call or a conversation by text, with its transcript. */
interface Subject {
  agentId: string;
  configurationRevision: number | null;
  transcriptDeletedAt: string | null;
  transcript: readonly TranscriptItem[];
  createdAt: string;
  isText?: boolean;
}

interface AnalysisResultState extends Partial<AnalysisResult> {
  analysisStatus: "ready" | "failed";
  analysisDetail: string | null;
}

/** Analyzes calls and conversations by text for their agents' fields. Each run analyzes them anew. */
export class CallAnalyst {
  readonly #options: CallAnalystOptions;
  readonly #end = new AbortController();

  constructor(options: CallAnalystOptions) {
    this.#options = options;
  }

  /** Rejects if the node ends or the result could not be stored; the job then runs again. */
  async analyze(job: AnalysisJob): Promise<void> {
    const { database, calls, conversations, clock } = this.#options;
    const { organizationId } = job;
    if ("conversationId" in job) {
      const { conversationId } = job;
      const conversation = await found(conversations.get(organizationId, conversationId));
      const result = conversation && (await this.#analyze(organizationId, { ...conversation, isText: true }));
      if (result !== undefined) await conversations.noteResult(database, conversationId, result);
      return;
    }
    const { callId } = job;
    const call = await found(calls.get(organizationId, callId));
    const result =
      call && (await this.#analyze(organizationId, { ...call, createdAt: call.startedAt ?? call.createdAt }));
    if (result === undefined) return;
    await database.transaction(
      async (transaction) => await calls.noteResult(transaction, callId, result, clock.now()),
    );
  }

  /** `undefined` if there is nothing to analyze. */
  async #analyze(organizationId: string, subject: Subject): Promise<AnalysisResultState | undefined> {
    const { database, agentResolution } = this.#options;
    const { agentId, configurationRevision, transcriptDeletedAt, transcript, createdAt } = subject;
    if (configurationRevision === null || transcriptDeletedAt !== null) return undefined;
    const ran = { organizationId, agentId, revision: configurationRevision };
    const document = await agentResolution.findRevision(database, ran);
    if (document === undefined || !isAskedFor(document)) return undefined;
    const { isText = false } = subject;
    const { timezone } = document;
    const analyzed = { transcript, startedAt: new Date(createdAt), timezone, isText };
    return toResult(
      hasCallerWords(transcript)
        ? await this.#ask(organizationId, document, analyzed)
        : { result: unknownResult(document) },
    );
  }

  async #ask(organizationId: string, fields: AnalysisFields, call: AnalyzedCall): Promise<AnalysisOutcome> {
    const { useModel, deadlineMs = ANALYSIS_DEADLINE_MS } = this.#options;
    const lease = await useModel(organizationId);
    if (lease === undefined) return { problem: NO_MODEL_DETAIL };
    const pause =
      this.#options.pause ?? (async (ms, aborted) => await sleep(ms, undefined, { signal: aborted }));
    const deadline = AbortSignal.timeout(deadlineMs);
    const signal = AbortSignal.any([deadline, this.#end.signal]);
    try {
      return await askModel(lease.set.analysisModel, fields, call, {
        signal,
        pause: async (ms) => await pause(ms, signal),
      });
    } catch (error) {
      if (!deadline.aborted || this.#end.signal.aborted) throw error;
      return { problem: `the language model did not answer within ${deadlineMs / 1000} s` };
    } finally {
      lease.release();
    }
  }

  /** Aborts running analyses; their jobs run again, on this node or another. Idempotent. */
  close(): void {
    this.#end.abort(new Error("the node is shutting down"));
  }
}

/** `undefined` if it was deleted. */
async function found<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  });
}

/** A failure keeps the results of an earlier run. */
function toResult(outcome: AnalysisOutcome): AnalysisResultState {
  if ("problem" in outcome) {
    return {
      analysisStatus: "failed",
      analysisDetail: toStorableText(outcome.problem).slice(0, MAX_DETAIL_CHARACTERS),
    };
  }
  return { analysisStatus: "ready", analysisDetail: null, ...outcome.result };
}
