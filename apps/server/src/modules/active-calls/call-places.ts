import type { LocalSpeechPlaces } from "../../inference/local-speech-places.ts";
import type { MediaPool } from "../../media/media-pool.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { ActiveCallRegistry } from "./active-call-registry.ts";

/** Limits on the number of calls of this node. */
export interface CallPlaces {
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls">;
  media: Pick<MediaPool, "hasFreePlace">;
  speechPlaces: LocalSpeechPlaces;
}

type Agent = Pick<ResolvedAgent, "document">;

/** Returns whether this node can take a call of this agent now. */
export function hasPlaceFor(places: CallPlaces, { document }: Agent): boolean {
  return isOpen(places) && places.speechPlaces.hasPlaceFor(document.voiceId ?? "");
}

/** Reserves a place for a call of this agent until it is disposed; `undefined` if none is free. */
export function takePlace(places: CallPlaces, { document }: Agent): Disposable | undefined {
  return isOpen(places) ? places.speechPlaces.take(document.voiceId ?? "") : undefined;
}

function isOpen({ activeCalls, media }: CallPlaces): boolean {
  return activeCalls.isTakingCalls && media.hasFreePlace;
}
