import type { ProviderCheck, ProviderState } from "@parley/contract";
import { type ProviderId, type ProviderKind, providerIds, providerKind } from "@parley/providers/registry";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { ProviderFailures } from "../conversations/provider-failures.rules.ts";
import { checkKey, type KeyCheck } from "../provider-keys/key-check.ts";
import { type ProviderKeysService, takesKey } from "../provider-keys/provider-keys.service.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Dependencies {
  config: Pick<Config, "providerAccess">;
  calls: Pick<CallsService, "summarizeProviderFailures">;
  conversations: Pick<ConversationsService, "summarizeProviderFailures">;
  providerKeys: ProviderKeysService;
  clock: Clock;
}

/** The providers with their health in an organization's calls and conversations by text, and the check of their keys. */
export class ProviderHealthService {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async list(organizationId: string): Promise<ProviderState[]> {
    const { config, calls, conversations, providerKeys, clock } = this.#dependencies;
    const now = clock.now().getTime();
    const keys = await providerKeys.list(organizationId);
    const since = { countedSince: new Date(now - HOUR_MS), shownSince: new Date(now - DAY_MS) };
    const [inCalls, inTexts] = await Promise.all([
      calls.summarizeProviderFailures(organizationId, since),
      conversations.summarizeProviderFailures(organizationId, since),
    ]);
    return providerIds.map((id): ProviderState => {
      const key = keys.find(({ provider }) => provider === id);
      const operator = config.providerAccess[id];
      const health = addUp(inCalls.get(id), inTexts.get(id));
      const baseUrl = key === undefined ? operator?.baseUrl : undefined;
      return {
        id,
        displayName: providerKind(id).displayName,
        parts: partsOf(providerKind(id)),
        takesKey: takesKey(id),
        source: key !== undefined ? "organization" : operator !== undefined ? "operator" : null,
        host: new URL(baseUrl ?? providerKeys.baseUrlOf(id)).host,
        keyId: key?.id ?? null,
        last4: key?.last4 ?? null,
        failuresLastHour: health?.count ?? 0,
        lastFailure: health?.last ?? null,
      };
    });
  }

  /** Checks the key that the organization's calls use. */
  async check(organizationId: string, id: ProviderId): Promise<ProviderCheck> {
    const { config, providerKeys, clock } = this.#dependencies;
    const own = await providerKeys.findOwn(organizationId);
    const access = (own ?? config).providerAccess[id];
    const { displayName } = providerKind(id);
    const checkedAt = clock.now().toISOString();
    if (access !== undefined) return { ...describeCheck(displayName, await checkKey(id, access)), checkedAt };
    const message = `No access to ${displayName} is configured.`;
    return { isOk: false, problem: "not_configured", message, latencyMs: null, checkedAt };
  }
}

function describeCheck(displayName: string, check: KeyCheck): Omit<ProviderCheck, "checkedAt"> {
  switch (check.result) {
    case "ok": {
      const message = `${displayName} answers and accepts the key.`;
      return { isOk: true, problem: null, message, latencyMs: check.latencyMs };
    }
    case "refused": {
      const message = `The key ${check.message}.`;
      return { isOk: false, problem: "key_refused", message, latencyMs: check.latencyMs };
    }
    case "unreachable": {
      const message = `${check.message}.`;
      return { isOk: false, problem: "provider_unreachable", message, latencyMs: null };
    }
  }
}

function addUp(
  one: ProviderFailures | undefined,
  other: ProviderFailures | undefined,
): ProviderFailures | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const last = one.last.at < other.last.at ? other.last : one.last;
  return { count: one.count + other.count, last };
}

function partsOf({ speechToText, languageModel, textToSpeech }: ProviderKind): ProviderState["parts"] {
  const parts = { stt: speechToText, llm: languageModel, tts: textToSpeech };
  return (["stt", "llm", "tts"] as const).filter((part) => parts[part] !== undefined);
}
