import { AppError } from "../../platform/app-error.ts";
import type { CallsService } from "../calls/calls.service.ts";
import { readInstruction } from "../conversations/instruction.rules.ts";
import type { CallCommands } from "./call-commands.ts";

/** Sends instructions to the agents of calls in progress. */
export class CallInstructions {
  readonly #calls: Pick<CallsService, "describe">;
  readonly #commands: CallCommands;

  constructor(calls: Pick<CallsService, "describe">, commands: CallCommands) {
    this.#calls = calls;
    this.#commands = commands;
  }

  /**
   * Resolves once the conversation has the instruction. Throws `invalid_body`, `not_found`,
   * `call_not_active`, `call_not_addressable`.
   */
  async instruct(
    organizationId: string,
    callId: string,
    { instruction, speak }: { instruction: string; speak: boolean },
  ): Promise<void> {
    const command = { type: "instruct", text: readInstruction(instruction), speak } as const;
    const call = await this.#find(organizationId, callId);
    if (!call.isInProgress) throw new AppError("call_not_active");
    if ((await this.#commands.send({ id: callId, nodeId: call.nodeId }, command)) === "done") return;
    const { isInProgress } = await this.#find(organizationId, callId);
    throw new AppError(isInProgress ? "call_not_addressable" : "call_not_active");
  }

  /**
   * Finds the call's node. A call of this node needs no query, so an instruction does not wait for the
   * database.
   */
  async #find(organizationId: string, callId: string): Promise<{ nodeId: string; isInProgress: boolean }> {
    const local = this.#commands.findLocal(callId);
    if (local === undefined) {
      const { nodeId, status } = await this.#calls.describe(organizationId, callId);
      return { nodeId, isInProgress: status === "in_progress" };
    }
    if (local.organizationId !== organizationId) throw new AppError("not_found");
    return local;
  }
}
