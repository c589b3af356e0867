import { ProviderError } from "@parley/conversation";
import { type ProviderAccess, type ProviderId, providerKind } from "@parley/providers/registry";

const DEADLINE_MS = 8_000;

export type KeyCheck =
  | { result: "ok"; latencyMs: number }
  /** `message` continues a sentence: "was refused by …". */
  | { result: "refused"; latencyMs: number; message: string }
  | { result: "unreachable"; message: string };

/** Sends the provider a request with the key that costs nothing. Never rejects with a provider's error. */
export async function checkKey(id: ProviderId, access: ProviderAccess): Promise<KeyCheck> {
  const { displayName, checkKey: check } = providerKind(id);
  const startedAtMs = performance.now();
  const latencyMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    await check(access, AbortSignal.timeout(DEADLINE_MS));
    return { result: "ok", latencyMs: latencyMs() };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      return {
        result: "unreachable",
        message: `${displayName} did not answer within ${DEADLINE_MS / 1000} s`,
      };
    if (!(error instanceof ProviderError)) throw error;
    const { kind, status = 0 } = error;
    // Some providers answer 400 to a malformed key.
    if (kind === "status" && [400, 401, 403].includes(status))
      return {
        result: "refused",
        latencyMs: latencyMs(),
        message: `was refused by ${displayName} (HTTP status ${status})`,
      };
    const reason = kind === "status" ? `it returned HTTP status ${status}` : kind;
    return { result: "unreachable", message: `${displayName} could not be reached: ${reason}` };
  }
}
