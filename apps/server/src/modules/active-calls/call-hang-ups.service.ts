import { setTimeout as sleep } from "node:timers/promises";
import type { Call } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { CallCommands } from "./call-commands.ts";
import type { CallsService } from "../calls/calls.service.ts";

/** How long the response waits for the call's end to be written. */
const END_DEADLINE_MS = 1_000;
const END_POLL_MS = 50;

/** Ends calls on request, on any node. */
export class CallHangUpsService {
  readonly #calls: CallsService;
  readonly #commands: Pick<CallCommands, "send">;

  constructor(calls: CallsService, commands: Pick<CallCommands, "send">) {
    this.#calls = calls;
    this.#commands = commands;
  }

  /** Throws `not_found`, `call_not_active`, and `call_not_addressable` if the call's node does not answer. */
  async hangUp(organizationId: string, id: string): Promise<Call> {
    const { nodeId, endedAt } = await this.#calls.describe(organizationId, id);
    if (endedAt !== null) throw new AppError("call_not_active");
    const answer = await this.#commands.send({ id, nodeId }, { type: "hangUp" });
    if (answer === "unreachable") throw new AppError("call_not_addressable");
    if (answer === "refused") throw new AppError("call_not_active");
    const deadlineMs = performance.now() + END_DEADLINE_MS;
    for (;;) {
      const call = await this.#calls.describe(organizationId, id);
      if (call.endedAt !== null || performance.now() > deadlineMs) return call;
      await sleep(END_POLL_MS);
    }
  }
}
