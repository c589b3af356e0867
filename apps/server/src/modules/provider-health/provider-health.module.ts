import {
  checkProviderRoute,
  listProvidersRoute,
  type ProviderCheck,
  type ProviderState,
} from "@parley/contract";
import { type ProviderId, type ProviderKind, providerIds, providerKind } from "@parley/providers/registry";
import { AppError } from "../../platform/app-error.ts";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { checkKey } from "../provider-keys/key-check.ts";
import { type ProviderKeysService, takesKey } from "../provider-keys/provider-keys.service.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Dependencies {
  calls: Pick<CallsService, "summarizeProviderFailures">;
  providerKeys: ProviderKeysService;
}

/** The providers with their health in an organization's calls, and the check of their keys. */
export function createProviderHealth(
  { config, clock }: NodeResources,
  { calls, providerKeys }: Dependencies,
) {
  const list = async (organizationId: string): Promise<ProviderState[]> => {
    const now = clock.now().getTime();
    const keys = await providerKeys.list(organizationId);
    const failures = await calls.summarizeProviderFailures(organizationId, {
      countedSince: new Date(now - HOUR_MS),
      shownSince: new Date(now - DAY_MS),
    });
    return providerIds.map((id): ProviderState => {
      const key = keys.find(({ provider }) => provider === id);
      const operator = config.providerAccess[id];
      const health = failures.get(id);
      const { displayName, ...kind } = providerKind(id);
      const baseUrl = key === undefined ? operator?.baseUrl : undefined;
      return {
        id,
        displayName,
        parts: partsOf(kind),
        takesKey: takesKey(id),
        source: key !== undefined ? "organization" : operator !== undefined ? "operator" : null,
        host: new URL(baseUrl ?? providerKeys.baseUrlOf(id)).host,
        keyId: key?.id ?? null,
        last4: key?.last4 ?? null,
        failuresLastHour: health?.count ?? 0,
        lastFailure: health?.last ?? null,
      };
    });
  };
  const check = async (organizationId: string, id: ProviderId): Promise<ProviderCheck> => {
    const { displayName } = providerKind(id);
    const own = await providerKeys.findOwn(organizationId);
    const access = (own ?? config).providerAccess[id];
    const checkedAt = clock.now().toISOString();
    if (access === undefined) {
      const message = `No key for ${displayName} is configured.`;
      return { isOk: false, problem: "not_configured", message, latencyMs: null, checkedAt };
    }
    const result = await checkKey(id, access);
    switch (result.result) {
      case "ok": {
        const message = `${displayName} answers and accepts the key.`;
        return { isOk: true, problem: null, message, latencyMs: result.latencyMs, checkedAt };
      }
      case "refused": {
        const { latencyMs, message } = result;
        return { isOk: false, problem: "key_refused", message: `The key ${message}.`, latencyMs, checkedAt };
      }
      case "unreachable": {
        const message = `${result.message}.`;
        return { isOk: false, problem: "provider_unreachable", message, latencyMs: null, checkedAt };
      }
    }
  };
  return {
    services: {},
    bindRoutes: (app) => {
      bindRoute(app, listProvidersRoute, async ({ principal }) => ({
        data: await list(principal.organizationId),
      }));
      bindRoute(
        app,
        checkProviderRoute,
        async ({ principal, params }) => {
          const id = providerIds.find((each) => each === params.provider);
          if (id === undefined) throw new AppError("not_found");
          return { data: await check(principal.organizationId, id) };
        },
        { isRemote: true },
      );
    },
  } satisfies Feature;
}

function partsOf(kind: Omit<ProviderKind, "displayName">): ProviderState["parts"] {
  const parts = { stt: kind.speechToText, llm: kind.languageModel, tts: kind.textToSpeech };
  return (["stt", "llm", "tts"] as const).filter((part) => parts[part] !== undefined);
}
