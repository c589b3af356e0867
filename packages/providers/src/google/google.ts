import { createGoogle } from "@ai-sdk/google";
import { connectModel, type OwnedModel, type RemoteModelOptions } from "../http/owned-model.ts";
import type { ProviderAccess } from "../registry/provider-kind.ts";

/** Gemini by `streamGenerateContent`; see `connectModel` for its errors. */
export function createGoogleModel(options: ProviderAccess & RemoteModelOptions): OwnedModel {
  const { baseUrl, apiKey = "" } = options;
  return connectModel("google", options, (fetch) =>
    createGoogle({ baseURL: `${baseUrl}/v1beta`, apiKey, fetch })(options.model),
  );
}
