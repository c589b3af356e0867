import { access, constants } from "node:fs/promises";
import { errorMessage } from "@parley/conversation/error-message";
import type { LanguageModel } from "@parley/conversation";
import { isModelAddress } from "@parley/providers/models";
import { modelProviderKind } from "@parley/providers/registry";
import {
  findModelProblem,
  findRemoteModel,
  type RemoteModel,
} from "../../model-providers/language-model-check.ts";
import { requireGgufFile } from "../../inference/gguf-file.ts";
import type { ModelSettings } from "../../platform/config/choose-language-model.ts";
import { type Check, failed, type Finding, ok, warning } from "../finding.ts";

/** A caller notices a pause that is longer. */
const SLOW_FIRST_TOKEN_MS = 1_500;

const SETTINGS_GUIDE = "docs/guides/language-models.md shows settings that work.";

/** Whether the language model answers, and how soon. */
export function languageModelCheck(config: ModelSettings): Check {
  return {
    name: "language model",
    run: async (signal) => {
      const remote = findRemoteModel(config);
      if (remote !== undefined) return await judgeServer(remote, signal);
      if (config.languageModel.provider === "gguf") return await judgeFile(config.languageModel.path);
      return warning(
        "No language model is configured: the built-in responder answers with sentences from the agent's prompt.",
        "Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, PARLEY_LLM_BASE_URL with PARLEY_LLM_MODEL or PARLEY_LLM_GGUF, or run Ollama (docs/guides/language-models.md).",
      );
    },
  };
}

async function judgeFile(file: string): Promise<Finding> {
  if (isModelAddress(file))
    return ok(
      `The start downloads ${file} into the models folder, unless it is there. It answers one request at a time.`,
    );
  try {
    await requireGgufFile(file);
    await access(file, constants.R_OK);
    return ok(`${file} is a GGUF model. It answers one request at a time.`);
  } catch (error) {
    const reason = errorMessage(error);
    return failed(`${reason}.`, "Set PARLEY_LLM_GGUF to a GGUF file that this user can read.");
  }
}

async function judgeServer(remote: RemoteModel, signal: AbortSignal): Promise<Finding> {
  const problem = await findModelProblem(remote, signal);
  if (problem !== undefined) return failed(`${problem}.`, SETTINGS_GUIDE);
  const { provider, access, model: name } = remote;
  const connect = await modelProviderKind(provider).load();
  const model = connect(access, { model: name });
  try {
    const firstTokenMs = Math.round(await measureFirstToken(model, signal));
    const text = `${name} at ${access.baseUrl} answers; first token after ${firstTokenMs} ms.`;
    if (firstTokenMs <= SLOW_FIRST_TOKEN_MS) return ok(text);
    const remedy = "Callers hear a pause before each answer: use a faster model, or a server that is closer.";
    return warning(text, remedy);
  } finally {
    await model.close?.();
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
