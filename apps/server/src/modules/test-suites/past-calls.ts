import type { PastCall, TestCaseCreation } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { CallsService } from "../calls/calls.service.ts";
import { toTestCase } from "./case-from-call.rules.ts";

/** Makes test cases of calls that have ended. */
export class PastCalls {
  readonly #calls: Pick<CallsService, "get">;

  constructor(calls: Pick<CallsService, "get">) {
    this.#calls = calls;
  }

  /** Throws `invalid_body`, `call_not_ended` and `transcript_deleted`. */
  async toCase(organizationId: string, { callId, name }: PastCall): Promise<TestCaseCreation> {
    const call = await this.#calls.get(organizationId, callId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found")
        throw invalidBody("callId", "is the id of no call");
      throw error;
    });
    if (call.endedAt === null) throw new AppError("call_not_ended");
    if (call.transcriptDeletedAt !== null) throw new AppError("transcript_deleted");
    const definition = toTestCase(call);
    if (definition.callerLines.length === 0)
      throw invalidBody("callId", "is a call in which the other side said nothing");
    const at = call.createdAt.slice(0, 16).replace("T", " ");
    return { name: name ?? `Call of ${at} UTC`, ...definition };
  }
}
