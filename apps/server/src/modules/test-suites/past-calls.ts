import type { PastCall, TestCaseCreation } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import { toTestCase } from "./case-from-call.rules.ts";

interface PastCallsDependencies {
  calls: Pick<CallsService, "get">;
  conversations: Pick<ConversationsService, "get">;
}

/** What a case is made of. */
type Past = Parameters<typeof toTestCase>[0] & {
  what: string;
  createdAt: string;
  transcriptDeletedAt: string | null;
};

/** Makes test cases of calls that have ended, and of conversations by text. */
export class PastCalls {
  readonly #dependencies: PastCallsDependencies;

  constructor(dependencies: PastCallsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `invalid_body`, `call_not_ended` and `transcript_deleted`. */
  async toCase(
    organizationId: string,
    { callId, conversationId, name }: PastCall,
  ): Promise<TestCaseCreation> {
    if ((callId === undefined) === (conversationId === undefined))
      throw invalidBody("callId", "is required, or a conversationId in its place, but not both");
    const field = callId === undefined ? "conversationId" : "callId";
    const past =
      callId === undefined
        ? await this.#findConversation(organizationId, conversationId ?? "")
        : await this.#findCall(organizationId, callId);
    if (past.transcriptDeletedAt !== null) throw new AppError("transcript_deleted");
    const definition = toTestCase(past);
    if (definition.callerLines.length === 0)
      throw invalidBody(field, "is one in which the other side said nothing");
    const at = past.createdAt.slice(0, 16).replace("T", " ");
    return { name: name ?? `${past.what} of ${at} UTC`, ...definition };
  }

  async #findCall(organizationId: string, id: string): Promise<Past> {
    const call = await this.#dependencies.calls
      .get(organizationId, id)
      .catch(refuse("callId", "is the id of no call"));
    if (call.endedAt === null) throw new AppError("call_not_ended");
    return { ...call, what: "Call" };
  }

  async #findConversation(organizationId: string, id: string): Promise<Past> {
    const problem = "is the id of no conversation by text";
    const found = await this.#dependencies.conversations
      .get(organizationId, id)
      .catch(refuse("conversationId", problem));
    if (found.channel !== "sms" && found.channel !== "web_chat") throw invalidBody("conversationId", problem);
    return { ...found, endReason: null, what: found.channel === "sms" ? "Messages" : "Chat" };
  }
}

/** Returns a handler that blames the body for an id that names nothing. */
function refuse(field: string, problem: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof AppError && error.code === "not_found" ? invalidBody(field, problem) : error;
  };
}
