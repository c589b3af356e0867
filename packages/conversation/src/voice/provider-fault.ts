import type { ProviderError } from "../providers/provider-error.ts";
import type { ProviderFault, ProviderPart } from "./voice-event.ts";

/** @param takenOverBy `undefined` if nothing is left to take over. */
export function toFault(
  part: ProviderPart,
  { provider, kind, status, message }: ProviderError,
  takenOverBy: string | undefined,
): ProviderFault {
  return {
    type: "fault",
    part,
    provider,
    kind,
    message,
    ...(status !== undefined && { status }),
    ...(takenOverBy !== undefined && { takenOverBy }),
  };
}
