import {
  type ProviderAccess,
  providerKind,
  type TextToSpeechKind,
  type VoiceCloning,
  voiceProviderIds,
  voiceProviderKind,
  type VoiceProviderId,
} from "@parley/providers/registry";
import type { Config } from "../../platform/config/config.ts";
import type { ProviderAccessById } from "../../platform/config/provider-access.ts";
import type { VoiceRow } from "./voices.store.ts";

/** Where an organization's voices are cloned. */
export interface CloningSettings {
  operator: Pick<Config, "textToSpeech" | "providerAccess">;
  /** Access with the organization's own keys. */
  own: ProviderAccessById;
}

type Account = VoiceRow["account"];

/** A provider that clones voices, with access to one account there. */
export interface CloningProvider {
  id: VoiceProviderId;
  account: Account;
  access: ProviderAccess;
  cloning: VoiceCloning;
  hasVoice: NonNullable<TextToSpeechKind["hasVoice"]>;
}

/**
 * Finds the provider that clones an organization's next voice: one with a key of its own, then one with the operator's key, and among
 * those first the provider of the operator's voices. `undefined` if none clones.
 */
export function findCloningProvider({ operator, own }: CloningSettings): CloningProvider | undefined {
  const first = operator.textToSpeech.provider;
  const ids = voiceProviderIds.toSorted((a, b) => Number(b === first) - Number(a === first));
  return (
    findFirst(ids, "organization", own) ??
    // Calls use the organization's key where it has one, and its account does not have the operator's clones.
    findFirst(
      ids.filter((id) => own[id] === undefined),
      "operator",
      operator.providerAccess,
    )
  );
}

function findFirst(
  ids: readonly VoiceProviderId[],
  account: Account,
  accessById: ProviderAccessById,
): CloningProvider | undefined {
  for (const id of ids) {
    const access = accessById[id];
    const { cloning, hasVoice }: TextToSpeechKind = voiceProviderKind(id);
    if (access !== undefined && cloning !== undefined && hasVoice !== undefined)
      return { id, account, access, cloning, hasVoice };
  }
  return undefined;
}

/** Access to the account that has a voice's clone; `undefined` if its key is gone. */
export function findCloneAccount(
  { operator, own }: { operator: Pick<Config, "providerAccess">; own: ProviderAccessById },
  { provider, account }: Pick<VoiceRow, "provider" | "account">,
): CloningProvider | undefined {
  const id = voiceProviderIds.find((each) => each === provider);
  if (id === undefined) return undefined;
  return findFirst([id], account, account === "organization" ? own : operator.providerAccess);
}

/** Languages that the voices of a provider speak, without regions. */
export function listLanguagesOf(provider: string): readonly string[] {
  const id = voiceProviderIds.find((each) => each === provider);
  return id === undefined ? [] : voiceProviderKind(id).languages;
}

/**
 * Why the organization's agents cannot speak with a clone at present, whose account at the provider no key of theirs opens;
 * `undefined` if they can.
 */
export function findAccountProblem(
  { operator, own }: { operator: Pick<Config, "providerAccess">; own: ProviderAccessById },
  { provider, account }: Pick<VoiceRow, "provider" | "account">,
): string | undefined {
  const id = voiceProviderIds.find((each) => each === provider);
  if (id === undefined) return undefined;
  const { displayName } = providerKind(id);
  if (account === "organization")
    return own[id] === undefined
      ? `The voice was cloned with your organization's key at ${displayName}, which has been deleted. Store a key of the same account again, or delete the voice.`
      : undefined;
  if (own[id] !== undefined)
    return `The voice was cloned with the operator's key at ${displayName}, and your calls use your organization's own key there. Create the voice again, or delete your key.`;
  return operator.providerAccess[id] === undefined
    ? `The voice was cloned with the operator's key at ${displayName}, which is no longer configured. Ask the operator to configure it, or delete the voice.`
    : undefined;
}
