import { errorMessage } from "@parley/conversation/error-message";
import type { Logger } from "pino";
import type { Config } from "../platform/config/config.ts";
import {
  modelProviderKind,
  type ModelProviderId,
  type ProviderAccess,
  providerKind,
} from "@parley/providers/registry";

/** A language model at a provider. */
export interface RemoteModel {
  provider: ModelProviderId;
  model: string;
  access: ProviderAccess;
}

/** Long enough for a local server, which loads the model before it answers. */
const ANSWER_TIMEOUT_MS = 60_000;
/** Interval between two requests while the model does not answer. */
const RETRY_INTERVAL_MS = 60_000;

/** The operator's model, if it is at a provider and not on this node. */
export function findRemoteModel({
  languageModel,
  providerAccess,
}: Pick<Config, "languageModel" | "providerAccess">): RemoteModel | undefined {
  if (languageModel.provider === "gguf" || languageModel.provider === "builtin-responder") return undefined;
  const access = providerAccess[languageModel.provider];
  return access && { provider: languageModel.provider, model: languageModel.model, access };
}

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
  remote: RemoteModel,
  signal: AbortSignal,
  timeoutMs: number = ANSWER_TIMEOUT_MS,
): Promise<string | undefined> {
  const { provider, model, access } = remote;
  const { host } = new URL(access.baseUrl);
  try {
    const { url, headers, body } = modelProviderKind(provider).probe(access, model);
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return explainStatus(response.status, remote);
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return isLate
      ? `the language model ${model} at ${host} did not answer within ${timeoutMs / 1000} s`
      : `the language model's server ${host} cannot be reached (${reasonOf(error)}): check ${providerKind(provider).baseUrlVariable}`;
  }
}

function explainStatus(status: number, { provider, model, access }: RemoteModel): string | undefined {
  const { host } = new URL(access.baseUrl);
  const { apiKeyVariables, baseUrlVariable, needsKey } = providerKind(provider);
  const answer = `(HTTP status ${status})`;
  switch (status) {
    case 401:
    case 403:
      return access.apiKey === undefined
        ? `${host} requires an API key for the language model ${answer}: set ${apiKeyVariables[0] ?? "one"}`
        : `${host} rejects the API key for the language model ${answer}: check ${apiKeyVariables.join(" or ")}`;
    case 404:
      return (
        `${host} has no language model ${model}, or no chat completions at this URL ${answer}: check PARLEY_LLM_MODEL ` +
        `and ${baseUrlVariable}` +
        (needsKey === "always" ? "" : `, which must end in its version (with Ollama: "ollama pull ${model}")`)
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
