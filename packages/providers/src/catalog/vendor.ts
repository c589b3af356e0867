import { ProviderError } from "@parley/conversation";
import { fetchError, statusError } from "../openai-compatible/http-error.ts";

/** How to reach a vendor. */
export interface VendorAccess {
  /** URL of the vendor or of a server with its API. */
  baseUrl: string;
  apiKey?: string | undefined;
}

/** A voice as its vendor lists it. */
export interface VendorVoice {
  /** Name of the voice at the vendor. */
  name: string;
  displayName: string;
  /** BCP 47; `undefined` if the vendor does not say. */
  language: string | undefined;
  gender: "female" | "male" | "neutral" | null;
  category: "standard" | "cloned";
}

/** Requests JSON. Rejects with a `ProviderError`. */
export async function requestJson(
  provider: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { headers, signal });
  } catch (error) {
    throw fetchError(provider, error);
  }
  if (!response.ok) throw await statusError(provider, response);
  try {
    const answer: unknown = await response.json();
    return answer;
  } catch (cause) {
    const message = "the answer is not JSON";
    throw new ProviderError({ provider, kind: "connection", message, isRetryable: true, cause });
  }
}
