import type { CallDetail, CallEndReason, TestEndReason } from "@parley/contract";
import { AppError } from "../../../platform/app-error.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { Database } from "../../../platform/database/database.ts";
import { inJointTransaction } from "../../../platform/database/joint-transaction.ts";
import type { CallsService } from "../../calls/calls.service.ts";
import type {
  LoopbackCallsService,
  LoopbackRecords,
  LoopbackSides,
} from "../../phone-calls/loopback/loopback-calls.service.ts";
import {
  type AttemptCarrier,
  type AttemptConversation,
  AttemptFailed,
  AttemptPostponed,
  type CarriedAttempt,
  TESTER_NUMBER,
} from "../engine/attempt-carrier.ts";
import { createVoiceTester, isTurnLimitReached, setUpVoiceTester } from "./voice-tester.rules.ts";

interface VoiceAttemptsOptions {
  database: Database;
  loopbackCalls: Pick<LoopbackCallsService, "hasPlaces" | "reserve" | "record" | "start">;
  calls: Pick<CallsService, "get">;
  config: Pick<Config, "testerVoice" | "localSpeech">;
}

/** Ends of a call that are a fault of the platform, its providers or this node, and none of the agent. */
const FAULTS: ReadonlySet<CallEndReason> = new Set<CallEndReason>([
  "dial_failed",
  "dial_no_answer",
  "dial_busy",
  "dial_rejected",
  "canceled",
  "media_timeout",
  "node_lost",
  "error_llm",
  "error_stt",
  "error_tts",
  "error_internal",
]);

/** Carries attempts by voice: a tester calls the agent over loopback SIP. Both sides are test calls in `/calls`. */
export class VoiceAttempts implements AttemptCarrier {
  readonly modes = ["voice"] as const;
  readonly #options: VoiceAttemptsOptions;

  constructor(options: VoiceAttemptsOptions) {
    this.#options = options;
  }

  hasPlace(): boolean {
    return this.#options.loopbackCalls.hasPlaces;
  }

  async requireUsable(): Promise<void> {}

  async carry(attempt: CarriedAttempt, signal: AbortSignal): Promise<AttemptConversation> {
    const { loopbackCalls, config } = this.#options;
    const tester = createVoiceTester(attempt, config);
    const { agent, variables, testCase } = attempt;
    const sides: LoopbackSides = {
      fromNumber: TESTER_NUMBER,
      toNumber: agent.document.phoneNumbers[0]?.e164 ?? null,
      agent: { agent, variables, adjust: (setup) => ({ ...setup, toolMocks: testCase.toolMocks }) },
      tester: { agent: tester, variables, adjust: (setup) => setUpVoiceTester(attempt, setup) },
    };
    const places = loopbackCalls.reserve(agent, tester);
    if (places === undefined) throw new AttemptPostponed("this node has no two places for calls");
    let records: LoopbackRecords;
    try {
      records = await this.#record(sides, attempt);
    } catch (error) {
      places[Symbol.dispose]();
      throw error;
    }
    const call = loopbackCalls.start(sides, records, places);
    signal.addEventListener("abort", call.hangUp, { once: true });
    if (signal.aborted) call.hangUp();
    await call.ended;
    signal.removeEventListener("abort", call.hangUp);
    signal.throwIfAborted();
    return await this.#read(attempt, records);
  }

  /** Stores the records of both calls together with their ids in the attempt. */
  async #record(sides: LoopbackSides, { note }: CarriedAttempt): Promise<LoopbackRecords> {
    const { database, loopbackCalls } = this.#options;
    try {
      return await inJointTransaction(database, async (transaction) => {
        const records = await loopbackCalls.record(sides);
        const { callId, inboundCallId, inboundConversationId: conversationId } = records;
        await note({ callId, inboundCallId, conversationId }, transaction);
        return records;
      });
    } catch (error) {
      // The organization has as many calls as it may have now.
      if (error instanceof AppError && error.code === "rate_limited")
        throw new AttemptPostponed(error.message);
      throw error;
    }
  }

  /** What the agent's side stored, which has only what was spoken and heard. */
  async #read(attempt: CarriedAttempt, records: LoopbackRecords): Promise<AttemptConversation> {
    const { calls } = this.#options;
    const tester = await calls.get(attempt.organizationId, records.callId);
    const agent = await calls.get(attempt.organizationId, records.inboundCallId);
    for (const [side, call] of [["agent's", agent] as const, ["tester's", tester] as const])
      if (call.endReason === null || FAULTS.has(call.endReason))
        throw new AttemptFailed(`the ${side} call ended with ${describeEnd(call)}`);
    const replyMs = agent.turns.flatMap(({ totalMs }) => totalMs ?? []);
    return { transcript: agent.transcript, endReason: this.#endOf(attempt, agent, tester), replyMs };
  }

  /** The agent's side does not know why the tester hangs up. */
  #endOf(attempt: CarriedAttempt, agent: CallDetail, tester: CallDetail): TestEndReason {
    const { endReason } = agent;
    if (endReason === null) throw new AttemptFailed("the agent's call has not ended");
    if (tester.endReason === "max_duration") return "max_duration";
    const hasTesterEnded = tester.endReason === "agent_hangup";
    return hasTesterEnded && isTurnLimitReached(tester, attempt) ? "turn_limit" : endReason;
  }
}

function describeEnd({ endReason, endDetail }: CallDetail): string {
  return endDetail === null ? String(endReason) : `${endReason}: ${endDetail}`;
}
