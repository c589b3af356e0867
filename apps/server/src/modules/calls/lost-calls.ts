import type { Database } from "../../platform/database/database.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { CallsService } from "./calls.service.ts";
import { findLastSign } from "./calls.rules.ts";
import * as store from "./calls.store.ts";

/** Calls whose node has died. */
interface Orphans {
  livingNodeIds: readonly string[];
  /** Last beats of nodes, by id. */
  lastBeats: ReadonlyMap<string, Date>;
  now: Date;
  /** Calls created later are skipped. */
  begunBefore?: Date;
}

/** Ends the records of calls that no node runs any more. */
export class LostCalls {
  readonly #database: Database;
  readonly #calls: Pick<CallsService, "finish">;
  readonly #conversations: Pick<ConversationsService, "findUpdatedAt">;

  constructor(
    database: Database,
    {
      calls,
      conversations,
    }: { calls: Pick<CallsService, "finish">; conversations: Pick<ConversationsService, "findUpdatedAt"> },
  ) {
    this.#database = database;
    this.#calls = calls;
    this.#conversations = conversations;
  }

  /** Ends calls recorded for this node that it does not run. Skips calls created after `begunBefore`. */
  async closeAbandoned(
    nodeId: string,
    activeIds: readonly string[],
    begunBefore: Date,
    now: Date,
  ): Promise<number> {
    const ids = await store.listOpenCallsBut(this.#database, nodeId, activeIds, begunBefore);
    const endDetail = "no node took the call";
    const end = { status: "failed", endReason: "error_internal", endDetail, endedAt: now } as const;
    for (const id of ids) await this.#calls.finish(id, end);
    return ids.length;
  }

  /**
   * Ends calls without a living node (`node_lost`) at the last sign of life of each: its node's last beat or its last
   * write, so that the time until the loss was noticed is not billed. Returns how many.
   */
  async closeOrphans({ livingNodeIds, lastBeats, now, begunBefore }: Orphans): Promise<number> {
    let closed = 0;
    for (const call of await store.listOpenCallsOfOthers(this.#database, livingNodeIds, begunBefore)) {
      const written = await this.#conversations.findUpdatedAt(call.conversationId);
      const endedAt = findLastSign(call, [lastBeats.get(call.nodeId), written], now);
      if (await this.close(call.id, endedAt, now)) closed += 1;
    }
    return closed;
  }

  /** Ends a call whose node has died (`node_lost`), at its last known sign of life. Returns what `finish` returns. */
  async close(id: string, endedAt: Date, now: Date): Promise<boolean> {
    const endDetail = "the node that ran the call stopped responding";
    return await this.#calls.finish(id, {
      status: "failed",
      endReason: "node_lost",
      endDetail,
      endedAt,
      noticedAt: now,
    });
  }
}
