import type { MediaPool } from "../../media/media-pool.ts";
import type { ActiveCallRegistry } from "./active-call-registry.ts";

/** What decides whether this node can take a call. */
interface NodeCapacity {
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls">;
  media: Pick<MediaPool, "hasFreePlace">;
}

/** Whether this node can take another call now. */
export function canTakeCall({ activeCalls, media }: NodeCapacity): boolean {
  return activeCalls.isTakingCalls && media.hasFreePlace;
}
