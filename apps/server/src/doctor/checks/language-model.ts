import { access, constants } from "node:fs/promises";
import { type LanguageModel, ProviderError, toProviderError } from "@parley/conversation";
import { createOpenAiCompatibleModel } from "@parley/providers";
import { requireGgufFile } from "../../inference/gguf-file.ts";
import type { LanguageModelConfig } from "../../platform/config/language-model.ts";
import { type Check, failed, type Finding, ok, warning } from "../finding.ts";

/** A caller notices a pause that is longer. */
const SLOW_FIRST_TOKEN_MS = 1_500;

/** Whether the language model answers, and how soon. */
export function languageModelCheck(config: LanguageModelConfig): Check {
  return {
    name: "language model",
    run: async (signal) => {
      if (config.provider === "builtin-responder") {
        return warning(
          "No language model is set: the built-in responder reads answers out of the agent's prompt.",
          "Set OPENAI_API_KEY, PARLEY_LLM_BASE_URL with PARLEY_LLM_MODEL, or PARLEY_LLM_GGUF (docs/guides/language-models.md).",
        );
      }
      return config.provider === "gguf" ? await judgeFile(config.path) : await judgeServer(config, signal);
    },
  };
}

async function judgeFile(file: string): Promise<Finding> {
  try {
    await requireGgufFile(file);
    await access(file, constants.R_OK);
    return ok(`${file} is a GGUF model. It answers one call at a time.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(`${reason}.`, "Set PARLEY_LLM_GGUF to a GGUF file that this user can read.");
  }
}

async function judgeServer(
  config: Extract<LanguageModelConfig, { provider: "openai-compatible" }>,
  signal: AbortSignal,
): Promise<Finding> {
  const model = createOpenAiCompatibleModel(config);
  const name = `${config.model} at ${config.baseUrl}`;
  try {
    const firstTokenMs = Math.round(await measureFirstToken(model, signal));
    const text = `${name} answers; first token after ${firstTokenMs} ms.`;
    if (firstTokenMs <= SLOW_FIRST_TOKEN_MS) return ok(text);
    const remedy = "Callers hear a pause before each answer: choose a faster model, or a server nearer by.";
    return warning(text, remedy);
  } catch (error) {
    return describeProviderError(name, toProviderError(error, name));
  } finally {
    await model.close();
  }
}

async function measureFirstToken(model: LanguageModel, signal: AbortSignal): Promise<number> {
  const startedAtMs = performance.now();
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "Answer with the word yes." }] }],
    abortSignal: signal,
  });
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta" || part.type === "reasoning-delta") return performance.now() - startedAtMs;
  }
  throw new Error("the answer is empty");
}

function describeProviderError(name: string, error: ProviderError): Finding {
  const { status } = error;
  const message = `${name} does not answer: ${error.message}.`;
  if (status === 401 || status === 403)
    return failed(message, "Set the right key in PARLEY_LLM_API_KEY or OPENAI_API_KEY.");
  if (status === 404)
    return failed(
      message,
      "Set PARLEY_LLM_MODEL to a model of this server, and PARLEY_LLM_BASE_URL with its version (…/v1).",
    );
  if (status === 429)
    return failed(
      message,
      "The account has no credit left, or too many requests: see the provider's console.",
    );
  return failed(message, "Start the server, or set PARLEY_LLM_BASE_URL to its address.");
}
