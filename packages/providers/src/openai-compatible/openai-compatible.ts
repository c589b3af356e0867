import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { takesTemperature } from "./temperature.ts";
import { connectModel, type OwnedModel, type RemoteModelOptions } from "../http/owned-model.ts";

export interface OpenAiCompatibleOptions extends RemoteModelOptions {
  /** URL without `/chat/completions`, e.g. `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Omitted for servers without authentication. */
  apiKey?: string | undefined;
  /** Name in errors and logs. */
  providerName?: string | undefined;
}

/** Language model on any server with OpenAI's chat completions over SSE; see `connectModel` for its errors. */
export function createOpenAiCompatibleModel(options: OpenAiCompatibleOptions): OwnedModel {
  const name = options.providerName ?? "openai-compatible";
  const connected = { ...options, takesTemperature: takesTemperature(options.model) };
  return connectModel(name, connected, (fetch) =>
    createOpenAICompatible({
      name,
      baseURL: options.baseUrl,
      fetch,
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    }).chatModel(options.model),
  );
}
