import type { TestAssertionResult, TestEndReason, TestEvidence, TestMode } from "@parley/contract";
import { errorMessage } from "@parley/conversation/error-message";
import type { Logger } from "pino";
import { AppError } from "../../../platform/app-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import { toStorableText } from "../../../platform/database/storable-text.ts";
import { inOrganization } from "../../../platform/organization-scope.ts";
import type { ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../../agents/versions/agent-resolution.service.ts";
import type { ConversationsService } from "../../conversations/conversations.service.ts";
import type { OrganizationsService } from "../../organizations/organizations.service.ts";
import { countRun } from "../test-runs.rules.ts";
import * as store from "../test-runs.store.ts";
import { AttemptFailed, AttemptPostponed, type AttemptCarrier, type AttemptIds } from "./attempt-carrier.ts";
import type { AttemptClaims } from "./attempt-claims.ts";
import type { AttemptVerdicts } from "./attempt-verdicts.ts";
import type { Tester } from "./tester.ts";

const RENEWAL_MS = 2_500;
/** Time beyond the duration of a conversation in which its carrier must have ended it. */
const ENDING_MS = 60_000;
/** An attempt whose node was lost runs once more. */
const MAX_LOST_CLAIMS = 1;
const MAX_REASONING_CHARACTERS = 4_000;

export interface AttemptRunnerOptions {
  database: Database;
  claims: AttemptClaims;
  carriers: readonly AttemptCarrier[];
  verdicts: AttemptVerdicts;
  createTester: (organizationId: string, attempt: TesterSource) => Promise<Tester>;
  agentResolution: Pick<AgentResolution, "resolveRecorded">;
  conversations: Pick<ConversationsService, "delete">;
  organizations: Pick<OrganizationsService, "find">;
  clock: Clock;
  logger: Logger;
}

/** What the tester of an attempt is made of. */
export interface TesterSource {
  run: store.RunRow;
  testCase: store.RunCaseRow;
}

/** How an attempt ended. */
export interface AttemptOutcome {
  result: "pass" | "fail" | "error";
  reasoning: string;
  evidence?: TestEvidence[];
  assertions?: TestAssertionResult[];
  endReason?: TestEndReason;
}

/** Carries attempts on this node. A result is stored only while the claim of the attempt lasts. */
export class AttemptRunner {
  readonly #options: AttemptRunnerOptions;
  readonly #closing = new AbortController();
  readonly #running = new Map<string, { runId: string; drop: AbortController }>();

  constructor(options: AttemptRunnerOptions) {
    this.#options = options;
  }

  /** Claims the next attempt for which this node has room. */
  async claim(): Promise<store.ClaimedAttempt | undefined> {
    const { claims, carriers } = this.#options;
    if (this.#closing.signal.aborted) return undefined;
    return await claims.claim(carriers.flatMap((carrier) => (carrier.hasPlace() ? carrier.modes : [])));
  }

  /** Carries and judges the attempt, and stores its result. */
  async run(attempt: store.ClaimedAttempt): Promise<void> {
    const { claims, logger } = this.#options;
    const drop = new AbortController();
    this.#running.set(attempt.claimId, { runId: attempt.runId, drop });
    const renewal = setInterval(() => {
      void claims.renew(attempt).then(
        (isOurs) => isOurs || drop.abort(new Error("the attempt has ended, or another node carries it")),
        (error: unknown) => logger.warn({ err: error }, "renewing the claim of a test attempt failed"),
      );
    }, RENEWAL_MS);
    try {
      const signal = AbortSignal.any([drop.signal, this.#closing.signal]);
      const outcome = await inOrganization(
        attempt.organizationId,
        async () => await this.#attempt(attempt, signal),
      );
      if (drop.signal.aborted) return;
      if (outcome === "postponed" || this.#closing.signal.aborted)
        return await claims.release(attempt, { isPostponed: outcome === "postponed" });
      await this.#settle(attempt, outcome);
    } finally {
      clearInterval(renewal);
      this.#running.delete(attempt.claimId);
    }
  }

  /** Ends the attempts of a run at once, without a result. */
  drop(runId: string): void {
    for (const running of this.#running.values())
      if (running.runId === runId) running.drop.abort(new Error("the run was cancelled"));
  }

  /** Ends the attempts in progress, which other nodes then begin anew. Idempotent. */
  close(): void {
    this.#closing.abort(new Error("the node is shutting down"));
  }

  /** Never rejects, unless the database fails. */
  async #attempt(attempt: store.ClaimedAttempt, signal: AbortSignal): Promise<AttemptOutcome | "postponed"> {
    const { database, conversations, organizations, logger } = this.#options;
    const { organizationId, conversationId, callId, lostClaims } = attempt;
    if (lostClaims > MAX_LOST_CLAIMS)
      return { result: "error", reasoning: "Its node was lost, and so was the one that repeated it." };
    // Of an earlier node that was lost, or that shut down. Records of calls are kept.
    if (conversationId !== null) {
      if (callId === null) await conversations.delete(database, conversationId);
      await store.updateClaimed(database, attempt, {
        conversationId: null,
        callId: null,
        inboundCallId: null,
      });
    }
    if ((await organizations.find(organizationId))?.isBillingActive !== true)
      return { result: "error", reasoning: "The organization's billing is inactive." };
    try {
      return await this.#carry(attempt, signal);
    } catch (error) {
      if (error instanceof AttemptPostponed) return "postponed";
      const isExpected = error instanceof AttemptFailed || error instanceof AppError;
      if (!isExpected && !signal.aborted)
        logger.warn({ err: error, attemptId: attempt.id }, "a test attempt failed");
      return { result: "error", reasoning: `No verdict: ${errorMessage(error)}.` };
    }
  }

  async #carry(attempt: store.ClaimedAttempt, signal: AbortSignal): Promise<AttemptOutcome> {
    const { database, carriers, verdicts, createTester } = this.#options;
    const { id, runId, organizationId, mode } = attempt;
    const run = await store.findRunById(database, runId);
    const testCase = await store.findRunCase(database, attempt);
    const carrier = carrierOf(carriers, mode);
    if (run === undefined || testCase === undefined) throw new AttemptFailed("the run was deleted");
    if (carrier === undefined) throw new AttemptFailed(`this server cannot carry runs of the mode ${mode}`);
    const agent = await this.#resolve(run, testCase);
    const tester = await createTester(organizationId, { run, testCase });
    const { testerModel, maxTurns, maxDurationSeconds } = run;
    const { definition, variables, name, testCaseId } = testCase;
    const overdue = AbortSignal.timeout(maxDurationSeconds * 1000 + ENDING_MS);
    try {
      const conversation = await carrier.carry(
        {
          id,
          runId,
          organizationId,
          mode,
          testCase: { ...definition, id: testCaseId, name },
          agent,
          variables,
          testerModel,
          maxTurns,
          maxDurationSeconds,
          tester,
          note: async (ids, queries = database) => await this.#note(attempt, ids, queries),
        },
        AbortSignal.any([signal, overdue]),
      );
      signal.throwIfAborted();
      return await verdicts.decide({ run, testCase, agent, conversation }, signal);
    } finally {
      tester.close();
    }
  }

  async #resolve(run: store.RunRow, { variables }: store.RunCaseRow): Promise<ResolvedAgent> {
    const { agentId, organizationId, agentRevision, configurationRevision, environment } = run;
    const agent = await this.#options.agentResolution.resolveRecorded({
      organizationId,
      agentId,
      agentRevision,
      configurationRevision,
      environment: environment === "production" ? null : environment,
      variables,
    });
    if (agent === undefined) throw new AttemptFailed("the agent's configuration is gone");
    return agent;
  }

  async #note(
    attempt: store.ClaimedAttempt,
    ids: AttemptIds,
    queries: Parameters<typeof store.updateClaimed>[0],
  ): Promise<void> {
    if (!(await store.updateClaimed(queries, attempt, ids)))
      throw new AttemptFailed("the attempt has ended, or another node carries it");
  }

  /** Stores the result, and completes the run with its last one. */
  async #settle(
    attempt: store.ClaimedAttempt,
    { result, reasoning, evidence = [], assertions = [], endReason }: AttemptOutcome,
  ): Promise<void> {
    const { database, clock } = this.#options;
    await database.transaction(async (transaction) => {
      const run = await store.lockRun(transaction, attempt.runId);
      const now = clock.now();
      const isStored = await store.updateClaimed(transaction, attempt, {
        result,
        reasoning: toStorableText(reasoning).slice(0, MAX_REASONING_CHARACTERS).toWellFormed(),
        evidence,
        assertions,
        endReason: endReason ?? null,
        completedAt: now,
        claimId: null,
        claimedUntil: null,
      });
      if (run === undefined || !isStored) return;
      const counts = countRun(await store.countResults(transaction, run.id));
      const isDone = counts.completedAttempts === run.totalAttempts;
      await store.updateRun(transaction, run.id, {
        ...counts,
        updatedAt: now,
        ...(isDone && { status: "completed", completedAt: now }),
      });
    });
  }
}

/** The mode's carrier, if this server has one. */
export function carrierOf(carriers: readonly AttemptCarrier[], mode: TestMode): AttemptCarrier | undefined {
  return carriers.find(({ modes }) => modes.includes(mode));
}
