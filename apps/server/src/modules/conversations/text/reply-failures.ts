import { randomUUID } from "node:crypto";
import type { ProviderFailure } from "@parley/contract";
import { ProviderError, type ReplyPart } from "@parley/conversation";
import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { Metrics } from "../../../platform/telemetry/metrics.ts";
import type { ConversationsService } from "../conversations.service.ts";

/** Collects the failures of language models while a reply by text is written. */
export interface ReplyFailures {
  note: (part: ReplyPart) => void;
  /** @param error Why the reply has no end; `undefined` if it has one. */
  noteEnd: (error: unknown) => void;
  /** Puts them on the conversation's record. Never rejects: a reply does not depend on it. */
  store: () => Promise<void>;
}

interface Dependencies {
  conversations: Pick<ConversationsService, "recordProviderFailures">;
  metrics: Pick<Metrics, "observeProviderFailure">;
  clock: Clock;
  logger: Logger;
}

/** Records failures of language models in conversations by text. */
export class ReplyFailureLog {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  open(conversationId: string): ReplyFailures {
    const { conversations, metrics, clock, logger } = this.#dependencies;
    const failures: ProviderFailure[] = [];
    const add = ({ provider, kind, message }: ProviderError, takenOverBy: string | null): void => {
      metrics.observeProviderFailure("llm", provider, takenOverBy !== null);
      const at = clock.now().toISOString();
      failures.push({ id: randomUUID(), at, part: "llm", provider, kind, message, takenOverBy });
    };
    return {
      note: (part) => {
        if (part.type === "retry") add(part.error, part.takenOverBy);
      },
      noteEnd: (error) => {
        if (error instanceof ProviderError) add(error, null);
      },
      store: async () => {
        if (failures.length === 0) return;
        try {
          await conversations.recordProviderFailures(conversationId, failures.splice(0));
        } catch (error) {
          logger.warn({ err: error, conversationId }, "recording the failures of a language model failed");
        }
      },
    };
  }
}
