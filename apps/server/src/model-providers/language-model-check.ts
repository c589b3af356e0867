import { errorMessage } from "@parley/conversation/error-message";
import type { Logger } from "pino";
import type { Config } from "../platform/config/config.ts";

type RemoteModel = Extract<Config["languageModel"], { provider: "openai-compatible" }>;

/** Long enough for a local server, which loads the model before it answers. */
const ANSWER_TIMEOUT_MS = 60_000;
/** Interval between two requests while the model does not answer. */
const RETRY_INTERVAL_MS = 60_000;

/**
 * Sends the language model a request of one token at start, and repeats it until the model answers. Logs problems and
 * reports them as `problem`. Calls are accepted regardless, because problems may be temporary.
 */
export class LanguageModelCheck {
  readonly #model: RemoteModel;
  readonly #logger: Logger;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #problem: string | undefined;

  constructor(model: RemoteModel, logger: Logger) {
    this.#model = model;
    this.#logger = logger;
  }

  /** Problem of the language model, for the operator; `undefined` if none is known. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    void this.#check();
  }

  /** Idempotent. */
  close(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #check(): Promise<void> {
    const problem = await findModelProblem(this.#model, this.#abort.signal);
    if (this.#abort.signal.aborted) return;
    if (problem !== undefined && problem !== this.#problem) this.#logger.warn(problem);
    if (problem === undefined && this.#problem !== undefined)
      this.#logger.info("the language model answers again");
    this.#problem = problem;
    if (problem !== undefined) this.#timer = setTimeout(() => void this.#check(), RETRY_INTERVAL_MS).unref();
  }
}

/**
 * Omits the server's own message: it may contain the key, and `/readyz` requires none.
 *
 * @returns Why the model does not answer and what to do about it; `undefined` if it answers.
 */
export async function findModelProblem(
  { baseUrl, apiKey, model }: RemoteModel,
  signal: AbortSignal,
  timeoutMs: number = ANSWER_TIMEOUT_MS,
): Promise<string | undefined> {
  const { host } = new URL(baseUrl);
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        stream: true,
        max_tokens: 1,
        messages: [{ role: "user", content: "Hi" }],
      }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return explainStatus(response.status, { host, model, hasKey: apiKey !== undefined });
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return isLate
      ? `the language model ${model} at ${host} did not answer within ${timeoutMs / 1000} s`
      : `the language model's server ${host} cannot be reached (${reasonOf(error)}): check PARLEY_LLM_BASE_URL`;
  }
}

function explainStatus(
  status: number,
  { host, model, hasKey }: { host: string; model: string; hasKey: boolean },
): string | undefined {
  const answer = `(HTTP status ${status})`;
  switch (status) {
    case 401:
    case 403:
      return hasKey
        ? `${host} rejects the API key for the language model ${answer}: check PARLEY_LLM_API_KEY or OPENAI_API_KEY`
        : `${host} requires an API key for the language model ${answer}: set PARLEY_LLM_API_KEY`;
    case 404:
      return (
        `${host} has no language model ${model}, or no chat completions at this URL ${answer}: check PARLEY_LLM_MODEL ` +
        `and PARLEY_LLM_BASE_URL, which must end in its version (with Ollama: "ollama pull ${model}")`
      );
    case 402:
    case 429:
      return `${host} rejects requests to the language model ${answer}: the quota of the account is used up`;
    default:
      // Status 400 concerns this request, which some models do not support; calls send other requests.
      return status >= 500 ? `the language model's server ${host} returns an error ${answer}` : undefined;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (typeof cause === "object" && cause !== null && "code" in cause) return String(cause.code);
  return errorMessage(error);
}
