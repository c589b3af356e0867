/**
 * How the conversation of an attempt is carried: as text by `TextAttempts`, or as two calls. The engine (`AttemptRunner`)
 * claims the attempt, calls `carry` once, checks and judges what it returns, and stores the result. A carrier neither
 * judges nor writes to the tables of runs; it stores the conversation itself, so that it can be read while it runs, and
 * reports its ids by `note` before its first item.
 *
 * A further mode is one more class and one more entry in the list of carriers in `test-suites.module.ts`.
 */
import type {
  TestCaseDefinition,
  TestEndReason,
  TestMode,
  TranscriptItem,
  Variables,
} from "@parley/contract";
import type { Queries } from "../../../platform/database/database.ts";
import type { ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import type { Tester } from "./tester.ts";

/** Number of a tester that calls: one of those that the North American plan reserves for fiction. */
export const TESTER_NUMBER = "+12025550123";

export interface AttemptCarrier {
  readonly modes: readonly TestMode[];
  /** Whether this node has room for another attempt now. Read before each claim; cheap. */
  hasPlace: () => boolean;
  /** Throws an `AppError` if runs of this agent cannot start, for example because calls are not possible. */
  requireUsable: (mode: TestMode, agent: ResolvedAgent) => Promise<void>;
  /**
   * Holds the conversation to its end, and returns what is judged. It ends at `maxTurns` turns of the tester
   * (`turn_limit`) and after `maxDurationSeconds` (`max_duration`), which are no failures. When `signal` aborts (the run was
   * cancelled, the claim was lost, the node shuts down), the carrier ends the conversation at once, hangs up, and rejects.
   *
   * @throws {AttemptFailed} The attempt becomes an `error` with this reason. So does any other rejection.
   * @throws {AttemptPostponed} The attempt did not begin, for want of a place. It goes back into the queue uncounted.
   */
  carry: (attempt: CarriedAttempt, signal: AbortSignal) => Promise<AttemptConversation>;
}

/** An attempt with everything that was fixed when its run started. */
export interface CarriedAttempt {
  id: string;
  runId: string;
  organizationId: string;
  mode: TestMode;
  testCase: TestCaseDefinition & { id: string; name: string };
  /** Configuration of the agent; its `variables` are those of the attempt, suite, case and run included. */
  agent: ResolvedAgent;
  variables: Variables;
  /** Language model of a tester that plays the case's script. */
  testerModel: string;
  maxTurns: number;
  maxDurationSeconds: number;
  /** What the tester says. Used by one conversation. */
  tester: Tester;
  /**
   * Stores ids of the attempt, in a transaction of the caller if it has one.
   *
   * @throws if the claim is no longer valid: the conversation must not begin.
   */
  note: (ids: AttemptIds, queries?: Queries) => Promise<void>;
}

/** The agent's conversation, the tester's outbound call and the agent's inbound call. */
export interface AttemptIds {
  conversationId?: string;
  callId?: string;
  inboundCallId?: string;
}

/** A conversation that has ended, as the agent's side saw it. */
export interface AttemptConversation {
  transcript: readonly TranscriptItem[];
  endReason: TestEndReason;
  /** Milliseconds to each reply of the agent: to its end in text, to its first audio in calls. */
  replyMs: readonly number[];
}

/** No verdict is possible. The message is shown to users. */
export class AttemptFailed extends Error {
  override readonly name = "AttemptFailed";
}

/** There was no place for the conversation. */
export class AttemptPostponed extends Error {
  override readonly name = "AttemptPostponed";
}
