import { setTimeout as sleep } from "node:timers/promises";
import type { TestAssertionResult } from "@parley/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import { askForJson, type AnalysisModel, type Patience } from "../../analysis/ask-for-json.ts";
import { askModel } from "../../analysis/ask-model.ts";
import { renderTemplate } from "../../conversations/setup/variables.rules.ts";
import { needsJudge } from "../test-cases.rules.ts";
import type { RunCaseRow, RunRow } from "../test-runs.store.ts";
import { checkAssertions } from "./assertions.rules.ts";
import { AttemptFailed, type AttemptConversation } from "./attempt-carrier.ts";
import type { AttemptOutcome } from "./attempt-runner.ts";
import {
  readVerdict,
  renderJudgedTranscript,
  renderJudgeInstructions,
  verdictSchema,
} from "./judge.rules.ts";

/** Deadline of the judge, and of an extraction, with all their repeated requests. */
const JUDGE_DEADLINE_MS = 240_000;
const MIN_TRANSCRIPT_CHARACTERS = 2_000;

/** Lends a language model; `undefined` if the organization has none of this name. */
export type UseJudgeModel = (
  organizationId: string,
  llmModel: string,
) => Promise<{ model: AnalysisModel; release: () => void } | undefined>;

/** A conversation that has ended, and what it is judged by. */
export interface JudgedAttempt {
  run: Pick<RunRow, "organizationId" | "judgeModel">;
  testCase: Pick<RunCaseRow, "definition" | "variables">;
  agent: ResolvedAgent;
  conversation: AttemptConversation;
}

interface AttemptVerdictsOptions {
  useModel: UseJudgeModel;
  clock: Clock;
  /** Aborts after the deadline of a judge. Default: on the machine's clock. */
  startTimeout?: (ms: number) => AbortSignal;
}

/** Decides about attempts: by the assertions of their case, then by a judge. */
export class AttemptVerdicts {
  readonly #options: AttemptVerdictsOptions;

  constructor(options: AttemptVerdictsOptions) {
    this.#options = options;
  }

  /** Rejects with the signal's reason, or with `AttemptFailed` if no verdict is possible. */
  async decide(attempt: JudgedAttempt, signal: AbortSignal): Promise<AttemptOutcome> {
    const { definition } = attempt.testCase;
    const { endReason } = attempt.conversation;
    const extraction = definition.assertions.some(({ type }) => type === "extraction")
      ? await this.#extract(attempt, signal)
      : undefined;
    const assertions = checkAssertions(definition.assertions, { ...attempt.conversation, extraction });
    const failed = assertions.filter(({ passed }) => !passed);
    // A judge cannot make up for a condition that is not met.
    if (failed.length > 0) return { result: "fail", reasoning: join(failed), assertions, endReason };
    if (!needsJudge(definition))
      return { result: "pass", reasoning: join(assertions), assertions, endReason };
    return { ...(await this.#judge(attempt, signal)), assertions, endReason };
  }

  /** A judge that does not decide makes an error, never a pass. */
  async #judge(
    { run, testCase: { definition, variables }, conversation: { transcript } }: JudgedAttempt,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    const rubric = renderTemplate(definition.scoringRubric, variables).text;
    const instructions = renderJudgeInstructions(rubric);
    const answer = await this.#ask(run, signal, async (model, patience) => {
      const room = Math.max(MIN_TRANSCRIPT_CHARACTERS, model.mostCharacters - instructions.length);
      const question = {
        instructions,
        material: `Transcript:\n\n${renderJudgedTranscript(transcript, room)}`,
        schema: verdictSchema,
        schemaName: "verdict",
        read: (text: string) => readVerdict(text, transcript),
      };
      return await askForJson(model, question, patience);
    });
    if ("problem" in answer)
      return { result: "error", reasoning: `The judge did not decide: ${answer.problem}.` };
    const { verdict, reason, evidence } = answer.result;
    return { result: verdict, reasoning: reason, evidence };
  }

  /** Fills in the agent's `postCallExtraction`. */
  async #extract({ run, agent, conversation }: JudgedAttempt, signal: AbortSignal) {
    const { timezone, postCallExtraction } = agent.document;
    const fields = { postCallExtraction, postCallEvaluation: [] };
    const { transcript } = conversation;
    const call = { transcript, startedAt: this.#options.clock.now(), timezone, isText: true };
    if (postCallExtraction.length === 0) return null;
    const answer = await this.#ask(
      run,
      signal,
      async (model, patience) => await askModel(model, fields, call, patience),
    );
    if ("problem" in answer) throw new AttemptFailed(`the extraction failed: ${answer.problem}`);
    return answer.result.extraction;
  }

  async #ask<Result>(
    { organizationId, judgeModel }: JudgedAttempt["run"],
    signal: AbortSignal,
    ask: (model: AnalysisModel, patience: Patience) => Promise<{ result: Result } | { problem: string }>,
  ): Promise<{ result: Result } | { problem: string }> {
    const { useModel, startTimeout = (ms: number) => AbortSignal.timeout(ms) } = this.#options;
    const lease = await useModel(organizationId, judgeModel);
    if (lease === undefined) return { problem: "no language model is configured" };
    const deadline = startTimeout(JUDGE_DEADLINE_MS);
    const either = AbortSignal.any([deadline, signal]);
    const patience = {
      signal: either,
      pause: async (ms: number) => await sleep(ms, undefined, { signal: either }),
    };
    try {
      return await ask(lease.model, patience);
    } catch (error) {
      if (!deadline.aborted || signal.aborted) throw error;
      return { problem: `the language model did not answer within ${JUDGE_DEADLINE_MS / 1000} s` };
    } finally {
      lease.release();
    }
  }
}

const join = (assertions: readonly TestAssertionResult[]): string =>
  assertions.map(({ detail }) => detail).join(" ");
