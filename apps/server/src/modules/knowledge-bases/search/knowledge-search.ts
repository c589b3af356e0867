import { randomUUID } from "node:crypto";
import type { KnowledgePassage } from "@parley/contract";
import type { SearchKnowledge } from "@parley/conversation";
import type { Logger } from "pino";
import type { KnowledgeSetup } from "../../../custom-tools/create-dialogue.ts";
import { AppError } from "../../../platform/app-error.ts";
import { SupervisedChild } from "../../../platform/supervised-child.ts";
import type { EmbedderSettings } from "../embedder.ts";
import type { FromSearch, KnowledgeQuery, SearchedBases, ToSearch } from "./search-protocol.ts";

const CLOSE_GRACE_MS = 2_000;
const MAX_WAITING = 256;
const CONVERSATION_DEADLINE_MS = 4_000;
const WARNING_INTERVAL_MS = 60_000;

interface KnowledgeSearchOptions {
  databaseUrl: string;
  embedder: EmbedderSettings;
  logger: Logger;
}

interface Waiting {
  resolve: (passages: KnowledgePassage[]) => void;
  reject: (error: AppError) => void;
  deadline: NodeJS.Timeout;
}

/** The main process's side of the search process, which is started by the first search. */
export class KnowledgeSearch {
  readonly #options: KnowledgeSearchOptions;
  readonly #waiting = new Map<string, Waiting>();
  #child: SupervisedChild<ToSearch, FromSearch> | undefined;
  #isClosed = false;
  #nextWarningAtMs = 0;

  constructor(options: KnowledgeSearchOptions) {
    this.#options = options;
  }

  /** Reads what searches of these bases need, so that the first one does not wait for it. */
  prepare(bases: SearchedBases): void {
    if (!this.#isClosed) this.#process().send({ type: "prepare", bases });
  }

  /** Returns the best passages, best first. Throws `capacity_exceeded` if there is no answer within the deadline. */
  async search(query: KnowledgeQuery, deadlineMs: number): Promise<KnowledgePassage[]> {
    if (this.#isClosed) throw unavailable("The server is shutting down.");
    if (this.#waiting.size >= MAX_WAITING)
      throw unavailable("Too many searches wait. Try again in a second.");
    const requestId = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<KnowledgePassage[]>();
    const deadline = setTimeout(() => {
      this.#waiting.delete(requestId);
      reject(unavailable("The search took too long. Try again in a few seconds."));
    }, deadlineMs);
    this.#waiting.set(requestId, { resolve, reject, deadline });
    // Without a process its restart follows, and the deadline ends the wait.
    if (!this.#process().send({ type: "search", requestId, query }))
      this.#take(requestId)?.reject(unavailable("The search is starting. Try again in a few seconds."));
    return await promise;
  }

  /** Search of one conversation, which its first search does not wait for. Rejects as `search` does. */
  forConversation(organizationId: string, knowledge: KnowledgeSetup | undefined): SearchKnowledge {
    if (knowledge === undefined) return async () => await Promise.resolve([]);
    const { mode: _mode, ...settings } = knowledge;
    const { knowledgeBaseIds } = settings;
    this.prepare({ organizationId, knowledgeBaseIds });
    return async (query) =>
      await this.search({ organizationId, ...settings, query, isHurried: true }, CONVERSATION_DEADLINE_MS);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll("The server is shutting down.");
    await this.#child?.close(CLOSE_GRACE_MS);
  }

  #process(): SupervisedChild<ToSearch, FromSearch> {
    const { databaseUrl, embedder, logger } = this.#options;
    this.#child ??= new SupervisedChild<ToSearch, FromSearch>({
      name: "knowledge",
      entry: new URL("./search-process.ts", import.meta.url),
      firstMessage: () => ({ type: "configure", databaseUrl, embedder }),
      onMessage: (message) => {
        const waiting = this.#take(message.requestId);
        if (message.type === "found") {
          if (message.problem !== undefined) this.#warnOfWords(message.problem);
          return waiting?.resolve(message.passages);
        }
        logger.warn({ reason: message.reason }, "a search in knowledge bases failed");
        waiting?.reject(unavailable(`The search failed: ${message.reason}.`));
      },
      onReady: () => logger.debug("knowledge search ready"),
      onExit: () => this.#failAll("The search was interrupted. Try again in a few seconds."),
      logger,
    });
    return this.#child;
  }

  #warnOfWords(reason: string): void {
    const now = performance.now();
    if (now < this.#nextWarningAtMs) return;
    this.#nextWarningAtMs = now + WARNING_INTERVAL_MS;
    this.#options.logger.warn(
      { reason },
      "knowledge bases are searched by words alone: a question could not be embedded",
    );
  }

  #take(requestId: string): Waiting | undefined {
    const waiting = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    clearTimeout(waiting?.deadline);
    return waiting;
  }

  #failAll(message: string): void {
    for (const requestId of this.#waiting.keys()) this.#take(requestId)?.reject(unavailable(message));
  }
}

function unavailable(message: string): AppError {
  return new AppError("capacity_exceeded", { message });
}
