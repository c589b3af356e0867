import {
  type ProviderAccess,
  type ProviderId,
  providerIds,
  providerKind,
  type ProviderVariable,
} from "@parley/providers/registry";
import type { EnvironmentReader } from "./environment-reader.ts";
import type { Variable } from "./variables.ts";

/** How to reach the configured providers. */
export type ProviderAccessById = Readonly<Partial<Record<ProviderId, ProviderAccess>>>;

/** Variables of all providers. */
export function listProviderVariables(): Record<ProviderVariable, Variable> {
  return Object.assign({}, ...providerIds.map((id) => providerKind(id).variables)) as Record<
    ProviderVariable,
    Variable
  >;
}

/** Reads the keys and URLs of the providers. One with its key, or with its URL if it needs no key, is configured. */
export function readProviderAccess(reader: EnvironmentReader): ProviderAccessById {
  const configured = providerIds.flatMap((id) => {
    const access = readAccess(reader, id);
    return access === undefined ? [] : [[id, access] as const];
  });
  return Object.fromEntries(configured);
}

/** Addresses of all providers, for keys of organizations: the operator's, else the provider's own. */
export type ProviderBaseUrls = Readonly<Record<ProviderId, string>>;

export function readProviderBaseUrls(reader: EnvironmentReader): ProviderBaseUrls {
  const urls = providerIds.map((id) => [id, readBaseUrl(reader, id) ?? providerKind(id).defaultBaseUrl]);
  return Object.fromEntries(urls) as ProviderBaseUrls;
}

/** A WebSocket has the URL of the HTTP requests, with another scheme. */
function readBaseUrl(reader: EnvironmentReader, id: ProviderId): string | undefined {
  return reader.streamingUrl(describe(id).baseUrlVariable)?.replace(/^ws/, "http");
}

function readAccess(reader: EnvironmentReader, id: ProviderId): ProviderAccess | undefined {
  const { apiKeyVariables, baseUrlVariable, defaultBaseUrl, needsKey } = describe(id);
  const apiKey = apiKeyVariables.map((name) => reader.text(name)).find((key) => key !== undefined);
  const baseUrl = readBaseUrl(reader, id);
  const isUrlEnough = needsKey !== "always" && reader.text(baseUrlVariable) !== undefined;
  if (apiKey === undefined && !isUrlEnough) return undefined;
  return { baseUrl: baseUrl ?? defaultBaseUrl, ...(apiKey !== undefined && { apiKey }) };
}

/** Reports that a provider was chosen and its key is missing. */
export function requireAccess(
  reader: EnvironmentReader,
  access: ProviderAccessById,
  id: ProviderId,
  because: string,
): void {
  const [keyVariable] = describe(id).apiKeyVariables;
  if (access[id] === undefined)
    reader.report(`${keyVariable ?? describe(id).baseUrlVariable} is required with ${because}`);
}

function describe(id: ProviderId) {
  const { apiKeyVariables, baseUrlVariable, ...kind } = providerKind(id);
  // The names are keys of the provider's own table of variables or of another provider's; a test compares them.
  return {
    ...kind,
    apiKeyVariables: apiKeyVariables as readonly ProviderVariable[],
    baseUrlVariable: baseUrlVariable as ProviderVariable,
  };
}
