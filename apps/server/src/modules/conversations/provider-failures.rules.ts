import type { ProviderFailure } from "@parley/contract";
import { toStorableText } from "../../platform/database/storable-text.ts";

/** Vendors answer with pages of text. */
const MAX_FAILURE_CHARACTERS = 500;
/** The latest ones of an organization. */
export const MAX_SUMMARIZED_FAILURES = 1_000;

/** A failure as it is stored. */
export type StoredFailure = Omit<ProviderFailure, "at"> & { at: Date };

export function toStoredFailure({ at, message, ...failure }: ProviderFailure): StoredFailure {
  return {
    ...failure,
    at: new Date(at),
    message: toStorableText(message).slice(0, MAX_FAILURE_CHARACTERS),
  };
}

export function presentFailure({
  id,
  at,
  part,
  provider,
  kind,
  message,
  takenOverBy,
}: StoredFailure): ProviderFailure {
  return { id, at: at.toISOString(), part, provider, kind, message, takenOverBy };
}

/** Failures of one provider. */
export interface ProviderFailures {
  /** Since `countedSince`. */
  count: number;
  last: ProviderFailure;
}

/** Groups failures, the latest first, by the vendor that precedes a provider's model. */
export function summarizeByVendor(
  failures: readonly ProviderFailure[],
  countedSince: Date,
): Map<string, ProviderFailures> {
  const byVendor = new Map<string, ProviderFailures>();
  for (const failure of failures) {
    // Some clients add the kind of API: `openai.chat/gpt-4o-mini`.
    const [vendor = ""] = failure.provider.split(/[/.]/);
    const known = byVendor.get(vendor) ?? { count: 0, last: failure };
    known.count += Date.parse(failure.at) >= countedSince.getTime() ? 1 : 0;
    byVendor.set(vendor, known);
  }
  return byVendor;
}
