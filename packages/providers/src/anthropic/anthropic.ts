import { createAnthropic } from "@ai-sdk/anthropic";
import { connectModel, type OwnedModel, type RemoteModelOptions } from "../http/owned-model.ts";
import type { ProviderAccess } from "../registry/provider-kind.ts";

/** Claude by Anthropic's streamed messages; see `connectModel` for its errors. */
export function createAnthropicModel(options: ProviderAccess & RemoteModelOptions): OwnedModel {
  const { baseUrl, apiKey = "" } = options;
  return connectModel("anthropic", options, (fetch) =>
    createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey, fetch })(options.model),
  );
}
