import type { LocalSpeechPlaces } from "../../inference/local-speech-places.ts";
import type { MediaPool } from "../../media/media-pool.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { ActiveCallRegistry } from "./active-call-registry.ts";

/** What limits the calls of this node. */
export interface CallPlaces {
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls">;
  media: Pick<MediaPool, "hasFreePlace">;
  speechPlaces: LocalSpeechPlaces;
}

type Agent = Pick<ResolvedAgent, "document">;

/** Whether a call of this agent would be taken now. */
export function hasPlaceFor(places: CallPlaces, { document }: Agent): boolean {
  return isOpen(places) && places.speechPlaces.hasPlaceFor(document.voiceId ?? "");
}

/** A place for a call of this agent, which its disposal ends; `undefined` if there is none. */
export function takePlace(places: CallPlaces, { document }: Agent): Disposable | undefined {
  return isOpen(places) ? places.speechPlaces.take(document.voiceId ?? "") : undefined;
}

function isOpen({ activeCalls, media }: CallPlaces): boolean {
  return activeCalls.isTakingCalls && media.hasFreePlace;
}
